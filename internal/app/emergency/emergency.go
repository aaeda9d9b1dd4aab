// Package emergency verifies a cluster's emergency access, and then invalidates the administrator's kubeconfig.
package emergency

import (
	"context"

	"fmt"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/emergency"
	"exoshift/state"
)

// Access is emergency credentials and the cluster that they are for.
type Access struct {
	Folder      state.Folder
	Cluster     *openshift.Cluster
	Credentials []byte
	Close       func()
}

// Open locks the folder of the cluster until close is called.
func Open(ctx context.Context, host *environment.Host, dir, kubeconfig string) (Access, error) {
	credentials, err := fileread.Text(kubeconfig, fileread.Small)
	if err != nil {
		return Access{}, exit.WithCode(exit.Usage, fmt.Errorf("read the emergency credentials, which --kubeconfig names: %w", err))
	}
	folder, err := clusterdir.Find(dir)
	if err != nil {
		return Access{}, err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return Access{}, err
	}
	cluster, leave, err := openCluster(ctx, host, folder)
	if err != nil {
		unlock()
		return Access{}, toUsageError(err)
	}
	return Access{Folder: folder, Cluster: cluster, Credentials: credentials, Close: func() { leave(); unlock() }}, nil
}

// Verify proves that the credentials let somebody in.
func (a Access) Verify(ctx context.Context) (emergency.Emergency, error) {
	verified, err := a.Cluster.VerifyEmergency(ctx, a.Credentials)
	return verified, toUsageError(err)
}

// AreAlertsRouted reports whether alerts reach people on call.
func (a Access) AreAlertsRouted() (bool, error) {
	facts, err := a.Folder.LoadFacts()
	return !facts.Syn.OnCall.IsZero(), err
}

// Revoke invalidates the administrator's kubeconfig.
func (a Access) Revoke(ctx context.Context) error {
	_, err := a.Cluster.RevokeAdmin(ctx, a.Credentials)
	return err
}

// toUsageError marks invalid files and folders as usage errors.
func toUsageError(err error) error {
	if fault.Is(err, fault.Invalid) {
		return exit.WithCode(exit.Usage, err)
	}
	return err
}

// RecordInvalidated records the time, and rewrites the hand-over page without the kubeconfig.
func (a Access) RecordInvalidated() error {
	facts, err := a.Folder.LoadFacts()
	if err != nil || !facts.Syn.AdminInvalidated.IsZero() {
		return err
	}
	facts.Syn.AdminInvalidated = time.Now().UTC().Truncate(time.Second)
	if err := a.Folder.SaveFacts(facts); err != nil {
		return err
	}
	spec, err := clusterdir.ReadAnswers(a.Folder)
	if err != nil {
		return err
	}
	page, err := clusterdir.BuildHandover(a.Folder, spec, true)
	if err != nil {
		return err
	}
	return a.Folder.Write(state.HandoverFile, page.RenderMarkdown())
}

func openCluster(ctx context.Context, host *environment.Host, folder state.Folder) (cluster *openshift.Cluster, leave func(), err error) {
	const op = "reach the cluster"
	if _, err := clusterdir.ReadAnswers(folder); err != nil {
		return nil, nil, err
	}
	facts, err := folder.LoadFacts()
	switch {
	case err != nil:
		return nil, nil, err
	case facts.Rehearsal:
		return nil, nil, fault.Newf(fault.Invalid, op, "the cluster of %s is a rehearsal", folder.Path()).
			WithHint("a simulated cluster has no emergency credentials: use the folder of a real one")
	case facts.Installed.IsZero():
		return nil, nil, fault.Newf(fault.Invalid, op, "the cluster of %s is not installed", folder.Path()).
			WithHint("emergency credentials are created once Project Syn runs: complete the installation first")
	}
	net, err := host.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	cluster = openshift.NewCluster(net, run.Run{Folder: folder}.ReadKubeconfig)
	return cluster, cluster.Close, nil
}
