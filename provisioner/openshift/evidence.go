package openshift

import (
	"context"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// masterSelector finds the control plane's nodes.
const masterSelector = "node-role.kubernetes.io/master"

// evidence is what one look at the API found of the bootstrap. What need not be looked
// at, because its phase was reached before, stays zero.
type evidence struct {
	version      bool           // ClusterVersion exists
	masters      int            // registered masters
	etcd         conditions     // of the etcd operator
	members      membership     // of its message
	revisions    map[string]int // on how many masters a component of the control plane runs
	succeeded    bool           // event bootstrap-success
	tornDown     bool           // event bootstrap-finished
	bootstrapped bool           // ConfigMap kube-system/bootstrap says complete
}

// look gathers evidence of the phases that were not reached before. Nothing of the later phases can exist before the
// first master has registered.
func (a *api) look(ctx context.Context, reached func(phase string) bool) (evidence, error) {
	var found evidence
	if err := a.lookForStart(ctx, &found, reached); err != nil {
		return found, err
	}
	if found.masters == 0 && !reached(state.PhaseMasters) {
		return found, nil
	}
	for _, search := range []struct {
		phase string
		look  func(context.Context, *evidence) error
	}{
		{state.PhaseMemberRemoved, a.lookAtEtcd},
		{state.PhaseComplete, a.lookAtCompletion},
		{state.PhaseControlPlane, a.lookAtRevisions},
		{state.PhaseTeardown, a.lookAtEvents},
	} {
		if reached(search.phase) {
			continue
		}
		if err := search.look(ctx, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

func (a *api) lookForStart(ctx context.Context, found *evidence, reached func(string) bool) (err error) {
	if !reached(state.PhaseManifests) {
		if _, found.version, err = read[struct{}](ctx, a, clusterVersions, "version"); err != nil {
			return err
		}
	}
	if !reached(state.PhaseMasters) {
		masters, err := list[corev1.Node](ctx, a, nodes, masterSelector)
		found.masters = len(masters)
		return err
	}
	return nil
}

func (a *api) lookAtEtcd(ctx context.Context, found *evidence) error {
	etcd, _, err := read[operator](ctx, a, etcds, "cluster")
	found.etcd = etcd.Status.Conditions
	found.members, _ = parseMembership(found.etcd.find(membersAvailable).Message)
	return err
}

func (a *api) lookAtCompletion(ctx context.Context, found *evidence) error {
	status, _, err := read[corev1.ConfigMap](ctx, a, systemConfig, "bootstrap")
	found.bootstrapped = status.Data["status"] == "complete"
	return err
}

func (a *api) lookAtRevisions(ctx context.Context, found *evidence) error {
	found.revisions = map[string]int{}
	for _, component := range controlPlane() {
		object, _, err := read[operator](ctx, a, component.place, "cluster")
		if err != nil {
			return err
		}
		found.revisions[component.name] = object.running()
	}
	return nil
}

// lookAtEvents relies on being called while the events exist: they expire after about three hours (unverified), and
// later phases then stand for them.
func (a *api) lookAtEvents(ctx context.Context, found *evidence) (err error) {
	if _, found.succeeded, err = read[struct{}](ctx, a, systemEvents, "bootstrap-success"); err != nil {
		return err
	}
	_, found.tornDown, err = read[struct{}](ctx, a, systemEvents, "bootstrap-finished")
	return err
}

// component is a part of the control plane that runs as a static pod.
type component struct {
	name  string
	place place
}

func controlPlane() []component {
	return []component{
		{"kube-apiserver", kubeAPIServers},
		{"kube-controller-manager", kubeControllerManagers},
		{"kube-scheduler", kubeSchedulers},
	}
}
