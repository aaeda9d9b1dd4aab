package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/certificate"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

// additionOutput keeps what an addition would create.
type additionOutput struct {
	cli.Display
	shown *[]string // names of nodes
}

func (o additionOutput) ShowPreview(preview appnodes.AdditionPreview) error {
	*o.shown = preview.Names
	return nil
}
func (additionOutput) Confirm(context.Context) error               { return nil }
func (additionOutput) End(appnodes.AdditionPreview, error, string) {}

func nodeInstaller(s run.Run) appnodes.Installer {
	return appnodes.Installer{OpenRun: func(_ context.Context, spec state.Spec, _ wizard.Secrets, _ state.Folder) (run.Run, error) {
		r := s
		r.Spec = spec
		return r, nil
	}}
}

// addNodes returns the names that the preview has, and requires that the run shows each node until it is added.
func addNodes(t *testing.T, s run.Run, group string, count int, dryRun bool) ([]string, error) {
	t.Helper()
	var names []string
	var out bytes.Buffer
	wanted := appnodes.Addition{Group: group, Count: count, DryRun: dryRun, Installer: nodeInstaller(s)}
	err := clusterOf(t, s).Add(t.Context(), wanted, additionOutput{jsonDisplay(cli.Streams{Out: &out, Err: new(bytes.Buffer)}), &names})
	if err != nil || dryRun {
		return names, err
	}
	for _, name := range names {
		if strings.Contains(name, "-#") {
			continue // a pool names its machines itself
		}
		if !slices.ContainsFunc(eventsOf(t, out.String()), func(e provisioner.Event) bool {
			return e.Type == provisioner.TypeTarget && e.Name == name && e.State == provisioner.TargetAdded
		}) {
			t.Errorf("nothing shows that %s is added:\n%s", name, lastLines(out.String()))
		}
	}
	return names, nil
}

// addTo is for a cluster whose clients are altered: those of an installation, too.
func addTo(ctx context.Context, s run.Run, cluster appnodes.Cluster, group string, count int) error {
	altered := s
	altered.Alter = cluster.AlterInstallation
	wanted := appnodes.Addition{Group: group, Count: count, Installer: nodeInstaller(altered)}
	return cluster.Add(ctx, wanted, additionOutput{jsonDisplay(cli.Streams{Out: io.Discard, Err: new(bytes.Buffer)}), new([]string)})
}

// nodesAdded requires that added nodes have the names that are free, join, and are in the answers; and that nothing is created of an
// addition that is refused or only shown.
func nodesAdded(t *testing.T, s run.Run, _ *simcloud.Zone) {
	b := backdoor{t, s}
	before := len(b.list("/instance", "instances"))
	for name, refused := range map[string]struct {
		group string
		count int
		code  int
		want  string
	}{
		"masters":            {"controlPlane", 1, exit.Answers, "the masters are 3 for the life of a cluster"},
		"a load balancer":    {"loadBalancers", 1, exit.Answers, "is no node of the cluster"},
		"an unknown group":   {"nowhere", 1, exit.Usage, "it has infra, storage, workers"},
		"beyond the network": {"workers", 100_000, exit.Answers, "the answers would have faults"},
	} {
		if _, err := addNodes(t, s, refused.group, refused.count, false); exit.Code(err) != refused.code || !strings.Contains(err.Error(), refused.want) {
			t.Errorf("%s: exit code %d, %v", name, exit.Code(err), err)
		}
	}
	if _, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}, Force: true, DeleteEmptyDir: true}, nil); err != nil {
		t.Fatal(err)
	}
	names, err := addNodes(t, s, "workers", 2, true)
	if want := []string{"worker-1", "worker-4"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the preview has %v, not %v: %v", names, want, err)
	}
	if left := len(b.list("/instance", "instances")); left != before-1 {
		t.Errorf("%d machines after refusals and a dry run, not %d", left, before-1)
	}
	if _, err := addNodes(t, s, "workers", 2, false); err != nil {
		t.Fatal(err)
	}
	for _, node := range listNodes(t, s) {
		if node.Node == nil || !node.Node.Ready || len(node.Differs()) > 0 {
			t.Errorf("%s is not as the answers have it: %v", node.Name, node.Differs())
		}
	}
	if all := listNodes(t, s); len(all) != 3+4+5 {
		t.Errorf("%d nodes", len(all))
	}
	additionEnded(t, s, b)
	removeMachine(b, "worker-2")
	if _, err := addNodes(t, s, "workers", 1, false); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "differs from its answers already") {
		t.Errorf("with a machine that is missing: exit code %d, %v", exit.Code(err), err)
	}
}

// additionEnded requires that nothing is added as long as nodes of an earlier addition have not joined, which an installation ends.
func additionEnded(t *testing.T, s run.Run, b backdoor) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	cluster := clusterOf(t, s)
	cluster.AlterInstallation = func(clients *install.Clients) { clients.Cluster = stopAtApproval{clients.Cluster, stop} }
	if err := addTo(ctx, s, cluster, "workers", 1); exit.Code(err) != exit.Interrupted {
		t.Fatalf("an addition that is stopped: %v", err)
	}
	machines := len(b.list("/instance", "instances"))
	for _, group := range []string{"workers", "infra"} {
		if _, err := addNodes(t, s, group, 1, false); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "have not joined the cluster yet: worker-5") {
			t.Errorf("another addition to %s: exit code %d, %v", group, exit.Code(err), err)
		}
	}
	if left := len(b.list("/instance", "instances")); left != machines {
		t.Errorf("%d machines after refusals, not %d", left, machines)
	}
	if err := endAddition(t, s, 6); err != nil {
		t.Fatal(err)
	}
	if all := listNodes(t, s); len(all) != 3+4+6 {
		t.Errorf("%d nodes", len(all))
	}
}

// stopAtApproval stops a run before it approves anything.
type stopAtApproval struct {
	install.Cluster
	stop func()
}

func (c stopAtApproval) Approve(ctx context.Context) ([]state.CSRDecision, error) {
	c.stop()
	return nil, ctx.Err()
}

// authorityFollowed requires that new nodes trust the authority that the machine config server has now, and that none is made which could
// not verify it.
func authorityFollowed(t *testing.T, s run.Run, _ *simcloud.Zone) {
	const namespace = "/api/v1/namespaces/openshift-machine-config-operator"
	host := "api-int." + s.Spec.Domain()
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: "another machine-config-server-ca"}, 24*time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	served, err := authority.Issue(certificate.Request{Subject: pkix.Name{CommonName: "system:machine-config-server"}, DNS: []string{host}, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, Validity: 24 * time.Hour}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := served.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	replaceData(t, s, namespace+"/secrets/machine-config-server-tls", map[string]any{"tls.crt": served.CertPEM(), "tls.key": key})
	before := len((backdoor{t, s}).list("/instance", "instances"))
	if _, err := addNodes(t, s, "workers", 1, false); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "new nodes could not verify the server") {
		t.Errorf("a server of another authority: exit code %d, %v", exit.Code(err), err)
	}
	if left := len((backdoor{t, s}).list("/instance", "instances")); left != before {
		t.Errorf("%d machines, not %d", left, before)
	}
	replaceData(t, s, namespace+"/configmaps/machine-config-server-ca", map[string]any{"ca-bundle.crt": string(authority.CertPEM())})
	if _, err := addNodes(t, s, "workers", 1, false); err != nil {
		t.Fatal(err)
	}
}

func replaceData(t *testing.T, s run.Run, path string, data map[string]any) {
	t.Helper()
	var object map[string]any
	askCluster(t, s, http.MethodGet, path, &object)
	object["data"] = data
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	requestCluster(t, s, http.MethodPut, path, string(body), nil)
}
