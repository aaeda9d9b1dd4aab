package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/nodes/masters"
	"exoshift/provisioner/openshift"
	"exoshift/state"
	"exoshift/state/controlplane"
)

func changeMasters(t *testing.T, s run.Run, wanted appnodes.Removal, alter func(*masters.Clients), do func(context.Context, appnodes.Cluster, appnodes.Removal, appnodes.Display) error) (string, error) {
	t.Helper()
	wanted.Backup.Without, wanted.DeleteEmptyDir = true, true
	return changeNodes(t, s, wanted, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		cluster.AlterMasters = alter
		return do(ctx, cluster, wanted, shown)
	})
}

func replaceMaster(t *testing.T, s run.Run, name string, alter func(*masters.Clients)) (string, error) {
	t.Helper()
	return changeMasters(t, s, appnodes.Removal{Names: []string{name}}, alter, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
}

func resizeMasters(t *testing.T, s run.Run, alter func(*masters.Clients), size appnodes.Size) (string, error) {
	t.Helper()
	return changeMasters(t, s, appnodes.Removal{}, alter, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Resize(ctx, size, wanted, nodeInstaller(s), shown)
	})
}

// inspectPlane reads the control plane as it is.
func inspectPlane(t *testing.T, s run.Run) controlplane.State {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	for range 20 { // until the load balancers have noticed that an API server is gone
		seen, err := cluster.InspectControlPlane(t.Context())
		if err == nil {
			return seen
		}
		t.Log(err)
		passTime(t, s, 10*time.Second)
	}
	t.Fatal("the control plane does not answer")
	return controlplane.State{}
}

// requireWholePlane requires three healthy members at the addresses of their machines, one machine of each name, no cordon, nothing begun,
// and the latest revisions everywhere.
func requireWholePlane(t *testing.T, s run.Run) {
	t.Helper()
	seen := inspectPlane(t, s)
	if len(seen.Peers) != 3 || len(seen.APIServers) != 3 {
		t.Errorf("members %+v, API servers %v", seen.Peers, seen.APIServers)
	}
	for _, node := range listNodes(t, s) {
		if node.Role != state.RoleMaster {
			continue
		}
		peer := seen.FindPeer(node.Name)
		switch {
		case node.Machine == nil, node.Node == nil, peer == nil:
			t.Errorf("of %s: machine %v, node %v, member %v", node.Name, node.Machine, node.Node, peer)
			continue
		case !peer.Healthy || peer.Learner || peer.Address != node.Machine.Address || !node.Node.Ready || node.Node.Cordoned:
			t.Errorf("of %s: machine at %s, node %+v, member %+v", node.Name, node.Machine.Address, *node.Node, *peer)
		}
		for _, rollout := range seen.Rollouts {
			if rollout.Nodes[node.Name] != rollout.Latest {
				t.Errorf("%s on %s is at %d of %d", rollout.Component, node.Name, rollout.Nodes[node.Name], rollout.Latest)
			}
		}
	}
	if count := countMachines(t, s, "master"); count != 3 || len(facts(t, s).Removals) > 0 {
		t.Errorf("%d machines of masters, begun: %+v", count, facts(t, s).Removals)
	}
}

// readTrail returns how many members of etcd there were, one after the other, and requires that each event has votes.
func readTrail(t *testing.T, out string) (trail []int) {
	t.Helper()
	for _, e := range eventsOf(t, keepJSON(out)) {
		if e.Type != provisioner.TypeEtcd {
			continue
		}
		if e.Voters == nil || e.Quorum == nil || *e.Quorum > 2 || *e.Voters < *e.Quorum {
			t.Errorf("an event of etcd: %+v, voters %v, quorum %v", e.Members, e.Voters, e.Quorum)
		}
		if len(trail) == 0 || trail[len(trail)-1] != len(e.Members) {
			trail = append(trail, len(e.Members))
		}
	}
	return trail
}

// keepJSON leaves out lines that are no events.
func keepJSON(out string) string {
	var kept strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// replaceBackedUp replaces a master without a word about backups: one is made first.
func replaceBackedUp(t *testing.T, s run.Run, name string) (string, error) {
	t.Helper()
	wanted := appnodes.Removal{Names: []string{name}, DeleteEmptyDir: true}
	if _, err := changeNodes(t, s, wanted, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	}); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "no backup of etcd was named") {
		t.Errorf("without a backup: exit code %d, %v", exit.Code(err), err)
	}
	keys := newBackupKeys(t)
	wanted.ReadKeys = func(context.Context) (backup.Keys, error) { return keys, nil }
	return changeNodes(t, s, wanted, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
}

// deadMasterReplaced replaces a master whose machine is gone, which is not well, and whose node and member are still listed.
func deadMasterReplaced(t *testing.T, s run.Run, _ *simcloud.Zone) {
	b := backdoor{t, s}
	b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", "master-2"), nil)
	passTime(t, s, 5*time.Minute)
	out, err := replaceMaster(t, s, "master-0", nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the member of etcd on master-2 does not answer") {
		t.Errorf("beside a dead one: exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	before := inspectPlane(t, s)
	if out, err = replaceBackedUp(t, s, "master-2"); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireWholePlane(t, s)
	if all := listBackups(t, s); len(all) != 1 || all[0].Etcd.Node == "master-2" || !strings.Contains(out, `"id":"backup"`) {
		t.Errorf("backups: %+v", all)
	}
	if trail := readTrail(t, out); !slices.Equal(trail, []int{3, 2, 3}) {
		t.Errorf("etcd went %v", trail)
	}
	if after := inspectPlane(t, s); after.Rollouts[1].Latest < before.Rollouts[1].Latest+2 {
		t.Errorf("the API servers were at revision %d, and are at %d", before.Rollouts[1].Latest, after.Rollouts[1].Latest)
	}
	installed(t, s) // which has nothing left to do
}

// stoppedMasters requires that no two masters are stopped at a time, and counts those that were.
type stoppedMasters struct {
	masters.Cloud
	t     *testing.T
	stops int
}

func (c *stoppedMasters) StopInstance(ctx context.Context, id string) (state.Action, error) {
	machines, err := c.ListInstances(ctx, map[string]string{state.LabelRole: "master"})
	if err != nil {
		return "", err
	}
	for _, machine := range machines {
		if machine.State != "running" && machine.ID != id {
			c.t.Errorf("%s is %s when another master is stopped", machine.Name, machine.State)
		}
	}
	action, err := c.Cloud.StopInstance(ctx, id)
	if action == state.Updated {
		c.stops++
	}
	return action, err
}

// mastersResized is stopped after its first master, and killed with the second one stopped; the same command ends it.
func mastersResized(t *testing.T, s run.Run, zone *simcloud.Zone) {
	size := appnodes.Size{Group: "controlPlane", Type: "standard.huge"}
	before, mutations := inspectPlane(t, s), zone.Mutations()
	for says, wrong := range map[string]appnodes.Size{
		"is of another family":  {Group: "controlPlane", Type: "gpu2.small"},
		"keep their disks":      {Group: "controlPlane", Disk: 500},
		"standard.none":         {Group: "controlPlane", Type: "standard.none"},
		"standard.extra-large ": {Group: "controlPlane", Type: s.Spec.Sizing.ControlPlane.Type},
	} {
		if _, err := resizeMasters(t, s, nil, wrong); exit.Code(err) != exit.Answers || zone.Mutations() != mutations {
			t.Errorf("%s: exit code %d, %v", says, exit.Code(err), err)
		}
	}
	stopped := &stoppedMasters{t: t}
	count := func(clients *masters.Clients) { stopped.Cloud = clients.Cloud; clients.Cloud = stopped }
	killed := func(clients *masters.Clients) {
		count(clients)
		clients.Cloud = killedAtScale{clients.Cloud, new(int)}
	}
	if out, err := resizeMasters(t, s, killed, size); err == nil {
		t.Fatalf("it was not killed\n%s", lastLines(out))
	}
	if out, err := replaceMaster(t, s, "master-1", nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("another verb in between: %v\n%s", err, lastLines(out))
	}
	out, err := resizeMasters(t, s, count, size)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireWholePlane(t, s)
	after := inspectPlane(t, s)
	for _, peer := range before.Peers {
		if now := after.FindPeer(peer.Name); now.ID != peer.ID {
			t.Errorf("the member of %s was %s, and is %s", peer.Name, peer.ID, now.ID)
		}
	}
	if stopped.stops != 3 {
		t.Errorf("%d machines were stopped", stopped.stops)
	}
	for _, node := range listNodes(t, s) {
		if node.Role == state.RoleMaster && node.Machine.Type != size.Type {
			t.Errorf("%s is of the type %s", node.Name, node.Machine.Type)
		}
	}
	if spec, err := clusterdir.ReadAnswers(s.Folder); err != nil || spec.Sizing.ControlPlane.Type != size.Type {
		t.Errorf("the answers have %+v: %v", spec.Sizing.ControlPlane, err)
	}
}

// killedAtScale ends a process when the second machine is given its type.
type killedAtScale struct {
	masters.Cloud
	scaled *int
}

func (k killedAtScale) ScaleInstance(ctx context.Context, id, typeName string) (state.Action, error) {
	if *k.scaled++; *k.scaled == 2 {
		return "", errKilled
	}
	return k.Cloud.ScaleInstance(ctx, id, typeName)
}

// alteredPlane is a control plane whose state is altered.
type alteredPlane struct {
	masters.Cluster
	alter func(*controlplane.State)
}

func (a alteredPlane) InspectControlPlane(ctx context.Context) (controlplane.State, error) {
	seen, err := a.Cluster.InspectControlPlane(ctx)
	a.alter(&seen)
	return seen, err
}

func mastersRefused(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	out, err := replaceMaster(t, s, "master-1", func(clients *masters.Clients) {
		clients.Cluster = alteredPlane{clients.Cluster, func(p *controlplane.State) { p.FindPeer("master-0").Healthy, p.APIServers = false, p.APIServers[1:] }}
	})
	for _, says := range []string{"the member of etcd on master-0 does not answer", "the API server on master-0 is not ready"} {
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: exit code %d, %v\n%s", says, exit.Code(err), err, lastLines(out))
		}
	}
	for says, wanted := range map[string]appnodes.Removal{
		"no backup of etcd was named":       {Names: []string{"master-1"}},
		"masters are changed one at a time": {Names: []string{"master-1"}, Parallel: 2, Backup: etcdbackup.Choice{Without: true}},
		"worker-1 is no master":             {Names: []string{"master-1", "worker-1"}, Backup: etcdbackup.Choice{Without: true}},
		"is named twice":                    {Names: []string{"master-1", "master-1"}, Backup: etcdbackup.Choice{Without: true}},
	} {
		out, err := changeNodes(t, s, wanted, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
			return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
		})
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: exit code %d, %v\n%s", says, exit.Code(err), err, lastLines(out))
		}
	}
	if made := zone.Mutations() - before; made > 0 || len(facts(t, s).Removals) > 0 {
		t.Errorf("%d calls changed something; begun: %+v", made, facts(t, s).Removals)
	}
	requireWholePlane(t, s)
}

// membersKept requires that a master is not taken out of the cluster once the member of another one has failed, although that was well when
// the replacement began; and that the one with the failed member can be replaced.
func membersKept(t *testing.T, s run.Run, _ *simcloud.Zone) {
	machine := (backdoor{t, s}).id("/instance", "instances", "name", "master-0")
	out, err := replaceMaster(t, s, "master-0", nil)
	if exit.Code(err) != exit.ControlPlane || !strings.Contains(err.Error(), "the member of etcd on master-2 does not answer") {
		t.Fatalf("exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	requireFinding(t, out, "member-unhealthy", "exoshift nodes replace master-2")
	requireUncordoned(t, s)
	if now := (backdoor{t, s}).id("/instance", "instances", "name", "master-0"); now != machine {
		t.Errorf("master-0 has the machine %s, not %s", now, machine)
	}
	if seen := inspectPlane(t, s); len(seen.Peers) != 3 || !seen.FindPeer("master-0").Healthy || !seen.FindPeer("master-1").Healthy {
		t.Errorf("the members are %+v", seen.Peers)
	}
	if out, err := replaceMaster(t, s, "master-2", nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	for _, peer := range inspectPlane(t, s).Peers {
		if !peer.Healthy || peer.Learner {
			t.Errorf("%s is not well: %+v", peer.Name, peer)
		}
	}
}
