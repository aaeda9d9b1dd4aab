package masters

import (
	"context"
	"errors"
	"slices"

	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// NewLostChange replaces masters that etcd was recovered without, one after the other: those whose turn has not come are missing meanwhile.
// Their plan is made without the API; a master whose member is back is left alone.
func NewLostChange(spec state.Spec, facts *state.FactsStore, clients Clients, options Options, lost []string) *Change {
	options.DeleteEmptyDir, options.Force = true, true // what is on the disk of a lost master is lost
	change := NewChange(spec, facts, clients, options)
	change.lost = lost
	for _, name := range lost {
		change.targets = append(change.targets, nodes.Target{Node: nodes.Node{Name: name, Role: state.RoleMaster}})
	}
	return change
}

// lostMaster replaces a master that etcd was recovered without.
type lostMaster struct {
	steps
	name string
}

// PlanLost returns the steps for one of the masters. Each is left out if isLost reports that the master has not to be replaced.
func PlanLost(change *Change, name string, isLost func() bool) []provisioner.Step {
	c := lostMaster{steps{change}, name}
	list := c.list(name)
	for i, step := range list {
		id := step.ID
		list[i].ID += "-" + name
		list[i].Do = func(ctx context.Context, report provisioner.Report) error {
			back, err := c.isBack(ctx, report, isLost())
			switch {
			case err != nil:
				return err
			case back:
				return provisioner.Skip("it has a member of etcd again")
			case id == "drain" && c.isSilent(ctx):
				return provisioner.Skip("its kubelet does not answer, and would end no pod")
			}
			return step.Do(ctx, report)
		}
	}
	return list
}

// isBack reports whether a master that is not being changed has a member that votes, or is about to.
func (c lostMaster) isBack(ctx context.Context, report provisioner.Report, lost bool) (back bool, err error) {
	switch {
	case c.facts.Get().FindRemoval(c.name) != nil:
		return false, nil
	case !lost || c.done[c.name]:
		return true, nil
	}
	err = c.repeat(ctx, report, healthLimit, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := c.clients.Cluster.InspectControlPlane(ctx)
		peer := seen.FindPeer(c.name)
		back = peer != nil && peer.Healthy
		return err
	})
	return back, err
}

// isSilent reports whether a node is not ready.
func (c lostMaster) isSilent(ctx context.Context) bool {
	node, err := c.find(ctx, c.name)
	return err == nil && node.Node != nil && !node.Node.Ready
}

var errVoting = errors.New("the member votes")

// addUntilVoting ends the installation once the master has a member that votes and an API server: it would wait for the masters that are lost.
func (c lostMaster) addUntilVoting(ctx context.Context, report provisioner.Report) error {
	adding, end := context.WithCancelCause(ctx)
	defer end(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for adding.Err() == nil {
			if c.isVoting(adding) {
				end(errVoting)
				return
			}
			_ = c.clients.Clock.Sleep(adding, 2*pollInterval) // it ends early with its context
		}
	}()
	err := c.options.Add(adding, report, c.spec)
	if errors.Is(context.Cause(adding), errVoting) {
		err = nil
	}
	end(nil)
	<-watched
	return err
}

func (c lostMaster) isVoting(ctx context.Context) bool {
	seen, err := c.inspect(ctx, "")
	if err != nil {
		return false
	}
	node, err := c.find(ctx, c.name)
	peer := seen.plane.FindPeer(c.name)
	return err == nil && node.Machine != nil && node.Node != nil && node.Node.Ready && peer != nil && peer.Healthy && !peer.Learner &&
		peer.Address == node.Machine.Address && slices.Contains(seen.plane.APIServers, c.name)
}
