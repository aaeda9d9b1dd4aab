package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/nodes/masters"
	"exoshift/state"
	"exoshift/state/controlplane"
)

// faultyMasters is the cluster for what changes masters; it requires that no member is removed beside one that is not healthy.
type faultyMasters struct {
	masters.Cluster
	faultyCluster
	by      *faultInjector
	t       *testing.T
	deleted *bool // the Secrets were
}

// SetCordon meets no fault if it changes nothing.
func (c faultyMasters) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	all, err := c.ListClusterNodes(ctx)
	if err == nil && slices.ContainsFunc(all, func(n state.ClusterNode) bool { return n.Name == node && n.Cordoned == cordoned }) {
		return c.Cluster.SetCordon(ctx, node, cordoned)
	}
	return c.faultyCluster.SetCordon(ctx, node, cordoned)
}

func (c faultyMasters) EvictPod(ctx context.Context, pod state.Pod) (state.Action, error) {
	return c.faultyCluster.EvictPod(ctx, pod)
}

func (c faultyMasters) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	return c.faultyCluster.DeleteNode(ctx, node)
}

func (c faultyMasters) RemoveMember(ctx context.Context, member controlplane.Peer) (state.Action, error) {
	seen, err := c.InspectControlPlane(ctx)
	for _, peer := range seen.Peers {
		if peer.Name != member.Name && !peer.Healthy {
			c.t.Errorf("a member is removed while that of %s is not healthy", peer.Name)
		}
	}
	if err != nil {
		return "", err
	}
	return c.do(func() (state.Action, error) { return c.Cluster.RemoveMember(ctx, member) })
}

func (c faultyMasters) DeleteMemberSecrets(ctx context.Context, node string) (deleted []string, err error) {
	if *c.deleted {
		return c.Cluster.DeleteMemberSecrets(ctx, node)
	}
	err = c.by.change(func() (err error) {
		deleted, err = c.Cluster.DeleteMemberSecrets(ctx, node)
		*c.deleted = err == nil
		return err
	})
	return deleted, err
}

// keptMachines requires that no machine of a master is deleted whose member etcd still lists.
type keptMachines struct {
	masters.Cloud
	cluster masters.Cluster
	t       *testing.T
}

func (c keptMachines) DeleteInstance(ctx context.Context, id string) (state.Action, error) {
	if seen, err := c.cluster.InspectControlPlane(ctx); err == nil && seen.FindPeer("master-1") != nil {
		c.t.Errorf("the machine of master-1 is deleted, and etcd lists %+v", seen.Peers)
	}
	return c.Cloud.DeleteInstance(ctx, id)
}

// masterLoop is a loop over the calls of a verb that changes masters, with one kind of faults.
type masterLoop struct {
	how injectedFault
	run func(t *testing.T, s run.Run, by *faultInjector)
}

// listMasterLoops returns that of a replacement that is killed, by both ways of that in turns; and with EXOSHIFT_NODE_FAULTS=all the others, which
// take a replacement or a resize for each call.
func listMasterLoops() map[string]masterLoop {
	const replacement, resize = "a master's replacement with a fault at every call: ", "a resize of the masters with a fault at every call: "
	loops := map[string]masterLoop{replacement + string(killedBefore): {killedBefore, masterKilled}}
	for _, how := range listFaults() {
		loops[resize+string(how)] = masterLoop{how, mastersResizedWithFaults}
		if how == answerLost || how == refusedBurst {
			loops[replacement+string(how)] = masterLoop{how, masterWithFaults}
		}
	}
	return loops
}

// replaceWithFaults replaces master-1, and meets the faults of the injector.
func replaceWithFaults(ctx context.Context, t *testing.T, s run.Run, by *faultInjector, deleted *bool) (string, error) {
	t.Helper()
	return changeMasters(t, s, appnodes.Removal{Names: []string{"master-1"}}, func(clients *masters.Clients) {
		clients.Cloud = keptMachines{clients.Cloud, clients.Cluster, t}
		clients.Cluster = faultyMasters{clients.Cluster, faultyCluster{clients.Cluster, by}, by, t, deleted}
	}, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		cluster.AlterInstallation = func(clients *install.Clients) {
			by.injectIntoInstallation("master-1")(clients)
		}
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
}

// masterWithFaults replaces a master once for each call that has a fault. Each time there are three members afterwards, and no machine more.
func masterWithFaults(t *testing.T, s run.Run, by *faultInjector) {
	tally := listTally(t, s)
	more := true
	for at := 1; more; at++ {
		former := inspectPlane(t, s).FindPeer("master-1").ID
		deleted := new(bool)
		verb := faultyVerb{
			name:  "replace",
			run:   func(ctx context.Context) (string, error) { return replaceWithFaults(ctx, t, s, by, deleted) },
			again: func() (string, error) { return replaceWithFaults(t.Context(), t, s, by, deleted) },
			check: func() {
				requireWholePlane(t, s)
				if now := listTally(t, s); !slices.Equal(tally, now) {
					t.Errorf("there are %v, and were %v", now, tally)
				}
				if inspectPlane(t, s).FindPeer("master-1").ID == former {
					t.Error("the member of master-1 is the former one")
				}
			},
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 8 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

// mastersResizedWithFaults gives the masters another type once for each call that has a fault, one of two in turns.
func mastersResizedWithFaults(t *testing.T, s run.Run, by *faultInjector) {
	tally, types, more := listTally(t, s), []string{"standard.huge", s.Spec.Sizing.ControlPlane.Type}, true
	for at := 1; more; at++ {
		size, deleted := appnodes.Size{Group: "controlPlane", Type: types[(at-1)%2]}, new(bool)
		resize := func(ctx context.Context) (string, error) {
			return changeMasters(t, s, appnodes.Removal{}, func(clients *masters.Clients) {
				clients.Cluster = faultyMasters{clients.Cluster, faultyCluster{clients.Cluster, by}, by, t, deleted}
			}, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				return cluster.Resize(ctx, size, wanted, nodeInstaller(s), shown)
			})
		}
		verb := faultyVerb{
			name: "resize", run: resize, again: func() (string, error) { return resize(t.Context()) },
			check: func() {
				requireWholePlane(t, s)
				if now := listTally(t, s); !slices.Equal(tally, now) {
					t.Errorf("there are %v, and were %v", now, tally)
				}
				for _, node := range listNodes(t, s) {
					if node.Role == state.RoleMaster && (node.Machine.Type != size.Type || node.Node.Cordoned || len(node.Differs()) > 0) {
						t.Errorf("%s is of the type %s: %v", node.Name, node.Machine.Type, node.Differs())
					}
				}
			},
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 12 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

// masterKilled replaces a master by runs that are each killed at their first call that changes something: before its effect and after it in
// turn, so that every call of the replacement is met by both. The same command goes on each time.
func masterKilled(t *testing.T, s run.Run, by *faultInjector) {
	before, tally := inspectPlane(t, s), listTally(t, s)
	var printed strings.Builder
	deleted, at, last := new(bool), 1, ""
	for killed := 0; ; killed++ {
		if by.how = killedBefore; killed%2 == 1 {
			by.how = killedAfter
		}
		ctx, kill := context.WithCancel(t.Context())
		by.begin(at, kill)
		out, err := replaceWithFaults(ctx, t, s, by, deleted)
		calls := by.end()
		kill()
		printed.WriteString(out)
		if calls < at {
			if err != nil || killed < 14 {
				t.Errorf("after %d runs that were killed: %v\n%s", killed, err, lastLines(out))
			}
			break
		}
		if plane := inspectPlane(t, s); err == nil || len(plane.Peers) < 2 || killed > 200 || t.Failed() {
			t.Fatalf("run %d was killed: %v, and etcd has %+v\n%s", killed, err, plane.Peers, lastLines(out))
		}
		if step := findFailedStep(t, out); by.how == killedAfter && step == last && step == "delete-machine-master-1" {
			at++ // the end of the machine's protection cannot be seen, and is asked for again
		} else if step != last {
			at, last = 1, step
		}
	}
	requireWholePlane(t, s)
	if trail := readTrail(t, printed.String()); !slices.Equal(trail, []int{3, 2, 3}) {
		t.Errorf("etcd went %v", trail)
	}
	after := inspectPlane(t, s)
	for _, name := range []string{"master-0", "master-1", "master-2"} {
		if same := before.FindPeer(name).ID == after.FindPeer(name).ID; same == (name == "master-1") {
			t.Errorf("the member of %s was %+v, and is %+v", name, before.FindPeer(name), after.FindPeer(name))
		}
	}
	if now := listTally(t, s); !slices.Equal(tally, now) {
		t.Errorf("there are %v, and were %v", now, tally)
	}
}

// findFailedStep returns the ID of the step at which a run ended.
func findFailedStep(t *testing.T, out string) string {
	t.Helper()
	for _, e := range eventsOf(t, keepJSON(out)) {
		if e.Type == provisioner.TypeStep && e.State == provisioner.Failed {
			return e.Step
		}
	}
	return ""
}
