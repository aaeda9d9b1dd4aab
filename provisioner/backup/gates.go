package backup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/controlplane"
)

// listOperators are those during whose roll-outs cluster-backup.sh makes no backup.
func listOperators() []string {
	return []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}
}

// review is what decides whether a backup can be made now.
type review struct {
	etcd      []string // why etcd does not permit it
	operators []string // why the operators do not
	node      string   // the master that makes it
	status    state.EtcdStatus
	version   string // of the cluster
}

// Review checks whether a backup can be made now. fault.Conflict, with the phase of what is in the way: it cannot. It changes nothing.
func (c *Create) Review(ctx context.Context) error {
	seen, err := c.inspect(ctx)
	if err == nil {
		err = seen.refusal()
	}
	return err
}

// refusal returns nil if a backup can be made.
func (r review) refusal() error {
	reasons := slices.Concat(r.etcd, r.operators)
	if len(reasons) == 0 {
		return nil
	}
	phase := phaseEtcd
	if len(r.etcd) == 0 {
		phase = phaseOperators
	}
	return &provisioner.PhaseError{Phase: phase, Err: fault.Newf(fault.Conflict, opCreate, "nothing was changed: %w", fault.Reasons(reasons)).
		WithHint("run the same command again once that is over")}
}

func (c *Create) inspect(ctx context.Context) (seen review, err error) {
	snapshot, err := c.clients.Cluster.Poll(ctx, netip.Addr{}, nil)
	if err != nil {
		return seen, err
	}
	seen.status, seen.version = snapshot.Etcd, snapshot.Version.Version
	if seen.operators = checkOperators(snapshot); len(seen.operators) > 0 {
		return seen, nil
	}
	plane, err := c.clients.Cluster.InspectControlPlane(ctx)
	if err != nil {
		return seen, err
	}
	nodes, err := c.clients.Cluster.ListClusterNodes(ctx)
	if err != nil {
		return seen, err
	}
	seen.etcd = c.checkEtcd(plane)
	seen.node = c.chooseMaster(plane, nodes)
	if seen.node == "" && len(seen.etcd) == 0 {
		seen.etcd = append(seen.etcd, "no master is ready with a healthy member of etcd, an API server and the latest revision of both")
	}
	return seen, nil
}

// checkOperators returns which operators change the control plane.
func checkOperators(seen state.Snapshot) (reasons []string) {
	for _, name := range listOperators() {
		at := slices.IndexFunc(seen.Operators, func(o state.OperatorStatus) bool { return o.Name == name })
		switch {
		case at < 0:
			reasons = append(reasons, "the operator "+name+" does not report its state")
		case seen.Operators[at].Progressing:
			reasons = append(reasons, "the operator "+name+" is progressing: "+seen.Operators[at].Message)
		}
	}
	if seen.Version.Progressing {
		reasons = append(reasons, "an update of the cluster goes on: "+seen.Version.Message)
	}
	return reasons
}

// checkEtcd returns why etcd is not well, but for the member on a master that is about to be replaced.
func (c *Create) checkEtcd(plane controlplane.State) (reasons []string) {
	for _, master := range c.spec.Machines(state.RoleMaster) {
		peer := plane.FindPeer(master.Name)
		switch {
		case master.Name == c.options.Without:
		case peer == nil:
			reasons = append(reasons, "etcd has no member on "+master.Name)
		case peer.Learner:
			reasons = append(reasons, "the member of etcd on "+master.Name+" has no vote yet")
		case !peer.Healthy:
			reasons = append(reasons, "the member of etcd on "+master.Name+" does not answer")
		}
		for _, rollout := range plane.Rollouts {
			if revision := rollout.Nodes[master.Name]; rollout.Component == "etcd" && revision != rollout.Latest && master.Name != c.options.Without {
				reasons = append(reasons, fmt.Sprintf("etcd on %s is at revision %d of %d", master.Name, revision, rollout.Latest))
			}
		}
	}
	return reasons
}

// chooseMaster returns the last master that is well: the first ones are more often the leader. "": there is none.
func (c *Create) chooseMaster(plane controlplane.State, nodes []state.ClusterNode) (chosen string) {
	for _, master := range c.spec.Machines(state.RoleMaster) {
		peer := plane.FindPeer(master.Name)
		ready := slices.ContainsFunc(nodes, func(n state.ClusterNode) bool { return n.Name == master.Name && n.Ready })
		current := !slices.ContainsFunc(plane.Rollouts, func(r controlplane.Rollout) bool { return r.Nodes[master.Name] != r.Latest })
		if master.Name != c.options.Without && peer != nil && peer.Healthy && !peer.Learner && ready && current && slices.Contains(plane.APIServers, master.Name) {
			chosen = master.Name
		}
	}
	return chosen
}

// classify gives a failure of the script its phase.
func classify(err error, progressing error) error {
	if errors.Is(err, progressing) {
		return &provisioner.PhaseError{Phase: phaseOperators, Err: err}
	}
	return err
}
