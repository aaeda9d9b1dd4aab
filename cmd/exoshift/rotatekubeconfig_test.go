package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/rotation"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/openshift"
	engine "exoshift/provisioner/rotation"
	"exoshift/state"
)

func rotateKubeconfig(ctx context.Context, t *testing.T, s run.Run, alter func(*engine.KubeconfigClients, engine.Files) engine.Files) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cluster := rotation.Cluster{Cluster: clusterOf(t, s), AlterKubeconfig: alter}
	err := cluster.RotateKubeconfig(ctx, rotation.Request{}, rotationOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
	return out.String(), err
}

func readKubeconfig(t *testing.T, s run.Run) []byte {
	t.Helper()
	content, err := s.Folder.Read(engine.CurrentFile)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkKubeconfig requires that the API refuses the old kubeconfig and accepts that of the folder, and that nothing else is left.
func checkKubeconfig(t *testing.T, s run.Run, old []byte) {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	current := readKubeconfig(t, s)
	if err := cluster.CheckKubeconfig(t.Context(), old); !fault.Is(err, fault.Denied) || bytes.Equal(old, current) {
		t.Errorf("the old kubeconfig: %v", err)
	}
	if err := cluster.CheckKubeconfig(t.Context(), current); err != nil {
		t.Errorf("the new kubeconfig: %v", err)
	}
	if all, err := cluster.ListAdminAuthorities(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("there are %d signers: %v", len(all), err)
	}
	if action, err := cluster.EndTokenAccess(t.Context(), "exoshift-rotation"); err != nil || action != state.Found {
		t.Errorf("the second access was left: %s, %v", action, err)
	}
	for _, name := range []string{engine.CurrentFile + "-next", engine.CurrentFile + "-old"} {
		if _, err := s.Folder.Read(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	if info, err := os.Stat(s.Folder.Path(engine.CurrentFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the kubeconfig: %v, %v", info, err)
	}
}

// kubeconfigRotated replaces the kubeconfig, and issues one that ends by itself.
func kubeconfigRotated(t *testing.T, s run.Run, _ *simcloud.Zone) {
	for range 2 { // that of openshift-install, and one of our own
		old := readKubeconfig(t, s)
		out, err := rotateKubeconfig(t.Context(), t, s, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		checkKubeconfig(t, s, old)
	}
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
	access, err := rotation.Cluster{Cluster: clusterOf(t, s)}.IssueKubeconfig(t.Context(), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	if err := cluster.CheckToken(t.Context(), access.Kubeconfig); err != nil || !strings.Contains(string(access.Kubeconfig), "token:") {
		t.Errorf("a kubeconfig that was just issued: %v", err)
	}
	if left := access.Expires.Sub(s.Net.Clock.Now()); left > 2*time.Hour || left < time.Hour {
		t.Errorf("it ends in %s", left)
	}
	passTime(t, s, 2*time.Hour+time.Minute)
	if err := cluster.CheckToken(t.Context(), access.Kubeconfig); !fault.Is(err, fault.Denied) {
		t.Errorf("a kubeconfig that has ended: %v", err)
	}
	restoredKubeconfig(t, s)
}

// restoredKubeconfig requires that the old signer comes back if the new kubeconfig does not work without it, and that the same command goes on.
func restoredKubeconfig(t *testing.T, s run.Run) {
	t.Helper()
	old := readKubeconfig(t, s)
	out, err := rotateKubeconfig(t.Context(), t, s, func(clients *engine.KubeconfigClients, files engine.Files) engine.Files {
		clients.Cluster = &brokenReload{Administrators: clients.Cluster}
		return files
	})
	if err == nil || !strings.Contains(err.Error(), "the old signer was restored") {
		t.Errorf("%v\n%s", err, lastLines(out))
	}
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	if err := cluster.CheckKubeconfig(t.Context(), old); err != nil {
		t.Errorf("the old kubeconfig, restored: %v", err)
	}
	if out, err := rotateKubeconfig(t.Context(), t, s, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkKubeconfig(t, s, old)
}

// brokenReload is a cluster whose API servers refuse every certificate once a signer was removed.
type brokenReload struct {
	engine.Administrators
	removed bool
}

func (b *brokenReload) RemoveAdminAuthority(ctx context.Context, authority []byte) (state.Action, error) {
	b.removed = true
	return b.Administrators.RemoveAdminAuthority(ctx, authority)
}

func (b *brokenReload) CheckKubeconfig(ctx context.Context, kubeconfig []byte) error {
	if b.removed {
		return fault.Newf(fault.Denied, "read", "Unauthorized")
	}
	return b.Administrators.CheckKubeconfig(ctx, kubeconfig)
}

// faultyAdministrators is the cluster and the folder for what rotates a kubeconfig.
type faultyAdministrators struct {
	engine.Administrators
	engine.Files
	by *faultInjector
}

func (f faultyAdministrators) Write(name string, content []byte) error {
	return f.by.change(func() error { return f.Files.Write(name, content) })
}

func (f faultyAdministrators) Remove(name string) error {
	return f.by.change(func() error { return f.Files.Remove(name) })
}

func (f faultyAdministrators) do(call func() (state.Action, error)) (action state.Action, err error) {
	err = f.by.change(func() (err error) {
		action, err = call()
		return err
	})
	return action, err
}

func (f faultyAdministrators) EnsureAdminAuthority(ctx context.Context, authority []byte) (state.Action, error) {
	return f.do(func() (state.Action, error) { return f.Administrators.EnsureAdminAuthority(ctx, authority) })
}

func (f faultyAdministrators) RemoveAdminAuthority(ctx context.Context, authority []byte) (state.Action, error) {
	return f.do(func() (state.Action, error) { return f.Administrators.RemoveAdminAuthority(ctx, authority) })
}

func (f faultyAdministrators) RestoreAdminAuthority(ctx context.Context, token, authority []byte) (state.Action, error) {
	return f.do(func() (state.Action, error) { return f.Administrators.RestoreAdminAuthority(ctx, token, authority) })
}

func (f faultyAdministrators) EndTokenAccess(ctx context.Context, account string) (state.Action, error) {
	return f.do(func() (state.Action, error) { return f.Administrators.EndTokenAccess(ctx, account) })
}

// kubeconfigWithFaults rotates the kubeconfig for each call that has a fault, in one cluster. The first kubeconfig has to be refused after each, and
// that of the folder to work.
func kubeconfigWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	more := true
	for at := range listFaultyCalls(first, 4, 9, &more) {
		old := readKubeconfig(t, s)
		verb := faultyVerb{
			name: "rotate kubeconfig",
			run: func(ctx context.Context) (string, error) {
				return rotateKubeconfig(ctx, t, s, func(clients *engine.KubeconfigClients, files engine.Files) engine.Files {
					faulty, issue := faultyAdministrators{clients.Cluster, files, by}, clients.NewToken
					clients.Cluster = faulty
					clients.NewToken = func(ctx context.Context) (kubeconfig []byte, account string, err error) {
						err = by.change(func() (err error) {
							kubeconfig, account, err = issue(ctx)
							return err
						})
						return kubeconfig, account, err
					}
					return faulty
				})
			},
			again: func() (string, error) { return rotateKubeconfig(t.Context(), t, s, nil) },
			check: func() { checkKubeconfig(t, s, old) },
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 9 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}
