package main

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/rook"
)

// countedConfiguration has Rook, and the node counts of the Terraform module, of which that of the workers is not that of the answers.
const countedConfiguration = `# Ours
applications:
  - rook-ceph
parameters:
  openshift4_terraform:
    terraform_variables:
      worker_count: 7 # before
      storage_count: 3
`

// The node counts of the tenant's configuration follow the answers, and Ceph's disks follow those by Argo CD; without a login, nothing is
// changed.
func TestSyn_NodeCountsFollowTheAnswers(t *testing.T) {
	long(t)
	t.Parallel()
	storage := func(spec *state.Spec) {
		connectedSpec(spec)
		threeStorageNodes(spec)
	}
	virtuallyIn(t, circumstances{spec: storage}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		configure(t, zone, countedConfiguration)
		installed(t, s)
		requireCounts(t, zone, 3, 3, 0)
		waitForCeph(t, s)
		writeObjects(t, s)

		if _, err := addNodes(t, s, "workers", 1, false); err != nil {
			t.Fatal(err)
		}
		requireCounts(t, zone, 4, 3, 0)
		signedOut := s
		signedOut.Access = &environment.Access{}
		before := zone.Mutations()
		if _, err := removeNodes(t, signedOut, appnodes.Removal{Names: []string{"worker-1"}}, nil); exit.Code(err) == 0 || !strings.Contains(err.Error(), "nothing was changed: the node counts") {
			t.Errorf("without a login: exit code %d, %v", exit.Code(err), err)
		}
		out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}, DryRun: true}, nil)
		if err != nil || zone.Mutations() != before {
			t.Errorf("a dry run: %v, %d changes\n%s", err, zone.Mutations()-before, out)
		}
		removal := appnodes.Removal{Names: []string{"worker-1"}, Force: true, DeleteEmptyDir: true}
		out, err = changeNodes(t, s, removal, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
			cluster.AlterInstallation = func(clients *install.Clients) { clients.Syn.Git = failingGit{clients.Syn.Git} }
			return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
		})
		if exit.Code(err) == 0 || !strings.Contains(fault.HintOf(err), "run the same command again") {
			t.Errorf("no push: exit code %d, %v: %s\n%s", exit.Code(err), err, fault.HintOf(err), lastLines(out))
		}
		requireCounts(t, zone, 4, 3, 0)
		if out, err := removeNodes(t, s, removal, nil); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		checkRemoved(t, s, "worker-1", 12)
		requireCounts(t, zone, 3, 3, 0)

		if _, out, err := addStorage(t.Context(), t, s, 1, nil); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		requireCounts(t, zone, 3, 4, 4)
		requireStored(t, s, "storage-0", "storage-1", "storage-2", "storage-3")
		requireDevices(t, s, 4)
		argo := &slowArgoCD{}
		out, err = removeNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, func(clients *nodes.Clients) { argo.Cluster = clients.Cluster; clients.Cluster = argo })
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		if argo.early {
			t.Error("Argo CD was switched off before it had lowered the count of disks")
		}
		requireCounts(t, zone, 3, 3, 3)
		requireStored(t, s, "storage-0", "storage-2", "storage-3")
		requireDevices(t, s, 3)
	})
}

// failingGit pushes nothing.
type failingGit struct{ syn.Git }

func (failingGit) Commit(context.Context, state.GitRepo, string, []state.YAMLEdit, string) (state.Difference, error) {
	return state.Difference{}, fault.Newf(fault.Transient, "push the configuration", "the host does not answer")
}

// slowArgoCD seems not to have lowered the count of disks in the first minutes.
type slowArgoCD struct {
	nodes.Cluster
	polls int
	early bool // it was switched off before
}

func (c *slowArgoCD) GetCephSetup(ctx context.Context) (rook.Setup, error) {
	setup, err := c.Cluster.GetCephSetup(ctx)
	if c.polls++; c.polls < 30 && setup.Devices == 3 {
		setup.Devices = 4
	}
	return setup, err
}

func (c *slowArgoCD) SetSyncPolicy(ctx context.Context, name, automated string) error {
	c.early = c.early || c.polls < 30
	return c.Cluster.SetSyncPolicy(ctx, name, automated)
}

// requireCounts requires the node counts in the configuration, and that nothing else of it has changed. disks is 0 where it has none.
func requireCounts(t *testing.T, zone *simcloud.Zone, workers, storage, disks int) {
	t.Helper()
	content := configurationOf(t, zone)
	for _, want := range []string{"# Ours\n", "  - rook-ceph\n", "      worker_count: " + strconv.Itoa(workers) + " # before\n", "      storage_count: " + strconv.Itoa(storage) + "\n"} {
		if !strings.Contains(content, want) {
			t.Errorf("the configuration lacks %q:\n%s", want, content)
		}
	}
	if has := strings.Contains(content, "node_count: "+strconv.Itoa(disks)+"\n"); has != (disks > 0) || disks == 0 && strings.Contains(content, "node_count") {
		t.Errorf("the configuration should have %d disks:\n%s", disks, content)
	}
}

func requireDevices(t *testing.T, s run.Run, want int) {
	t.Helper()
	passTime(t, s, 10*time.Minute) // Argo CD would set back what its catalog does not have
	setup, err := openCluster(t, s).GetCephSetup(t.Context())
	if err != nil || setup.Devices != want {
		t.Errorf("Ceph is to use %d disks, not %d: %v", setup.Devices, want, err)
	}
}
