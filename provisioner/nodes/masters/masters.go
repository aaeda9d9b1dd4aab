// Package masters replaces the masters of a cluster that runs, or changes the type of their machines, one after the other: each has a member
// of etcd, and the others have to keep the quorum.
package masters

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/controlplane"
)

// Cloud has the machines of the cluster.
type Cloud interface {
	nodes.Cloud
	// StartInstance starts an instance that is stopped and waits until it runs: state.Found if it is not stopped.
	StartInstance(ctx context.Context, id string) (state.Action, error)
	// ScaleInstance gives an instance that is stopped another type: state.Found if it has it.
	ScaleInstance(ctx context.Context, id, typeName string) (state.Action, error)
}

// Cluster is the running cluster.
type Cluster interface {
	nodes.Cluster
	// InspectControlPlane reads the members of etcd from etcd itself, revisions, and which API servers are ready.
	InspectControlPlane(ctx context.Context) (controlplane.State, error)
	// RemoveMember removes a member of etcd: state.Found if etcd does not list it.
	RemoveMember(ctx context.Context, member controlplane.Peer) (state.Action, error)
	// DeleteMemberSecrets deletes the certificates of the member on a node, and returns the names of those that were there.
	DeleteMemberSecrets(ctx context.Context, node string) ([]string, error)
}

// Clients are what masters are changed with.
type Clients struct {
	Cloud   Cloud
	Cluster Cluster
	Clock   provisioner.Clock
}

// Options are what a person decides, and what carries out the rest.
type Options struct {
	nodes.Options                    // Add makes the machine of a master that is replaced; nil: machines stay, and get the type of the answers
	Backup        backup.Requirement // one that is made does without the member of the first master
}

// base is what a change works with.
type base struct {
	spec    state.Spec // with the type that the machines are to have
	facts   *state.FactsStore
	clients Clients
	options Options
	drainer nodes.Drainer
	members nodes.FindingEvents // about members that do not answer
	lost    []string            // masters that etcd was recovered without
}

// Change replaces masters, or gives their machines another type.
type Change struct {
	*base
	targets []nodes.Target
	done    map[string]bool // masters that are as they are to be
}

// NewChange is for masters of the cluster of these answers.
func NewChange(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Change {
	drainer := nodes.NewDrainer(spec, facts, nodes.Clients{Cloud: clients.Cloud, Cluster: clients.Cluster, Clock: clients.Clock}, options.Options)
	return &Change{base: &base{spec: spec, facts: facts, clients: clients, options: options, drainer: drainer,
		members: nodes.FindingEvents{Evaluator: diagnosis.NewOfNodes(), Over: "every other member answers"}}, done: map[string]bool{}}
}

// After returns the answers as they are afterwards.
func (c *Change) After() state.Spec { return c.spec }

// IsResize reports whether the machines stay, and get the type of the answers.
func (c *Change) IsResize() bool { return !c.isReplacement() }

// Targets returns the masters in the order in which they are changed, once Prepare has returned.
func (c *Change) Targets() []nodes.Target { return c.targets }

// ListLeft returns the names of the targets that are not as they are to be yet.
func (c *Change) ListLeft() []string {
	var names []string
	for _, target := range c.targets {
		if !c.done[target.Name] {
			names = append(names, target.Name)
		}
	}
	return names
}

// EmitTargets emits the targets, before anything is done with them.
func (c *Change) EmitTargets(report provisioner.Report) {
	for _, target := range c.targets {
		c.emitTarget(report, target.Name, provisioner.TargetWaiting, "waiting")
	}
}

func (c *base) emitTarget(report provisioner.Report, name, reached, text string) {
	report(provisioner.Event{Type: provisioner.TypeTarget, Name: name, Role: string(state.RoleMaster), State: reached, Text: text})
}

// SetAttended sets what reports whether a person can be asked. It is called before the plan runs.
func (c *base) SetAttended(attended func() bool) { c.drainer.SetAttended(attended) }

// Decide answers the question about a finding, by its rule.
func (c *base) Decide(rule string, reply provisioner.Reply) { c.drainer.Decide(rule, reply) }

func (c *base) isReplacement() bool { return c.options.Add != nil }

func (c *base) op() string {
	if c.isReplacement() {
		return "replace masters"
	}
	return "resize masters"
}

func (c *base) refuse(format string, args ...any) *fault.Error {
	return fault.Newf(fault.Conflict, c.op(), "nothing was changed: "+format, args...)
}

func (c *base) listMasters() []string {
	var names []string
	for _, machine := range c.spec.Machines(state.RoleMaster) {
		names = append(names, machine.Name)
	}
	return names
}

// find returns a master as it is now.
func (c *base) find(ctx context.Context, name string) (nodes.Node, error) {
	clients := nodes.Clients{Cloud: c.clients.Cloud, Cluster: c.clients.Cluster, Clock: c.clients.Clock}
	all, err := nodes.List(ctx, c.spec, state.Facts{}, clients, false)
	if err != nil {
		return nodes.Node{}, err
	}
	at := slices.IndexFunc(all, func(n nodes.Node) bool { return n.Name == name })
	if at < 0 {
		return nodes.Node{Name: name, Role: state.RoleMaster}, nil
	}
	return all[at], nil
}

// record returns what the facts hold of the change of a master; the zero value: it was not begun.
func (c *base) record(name string) state.NodeRemoval {
	if known := c.facts.Get().FindRemoval(name); known != nil {
		return *known
	}
	return state.NodeRemoval{Node: name, Role: state.RoleMaster}
}

func (c *base) save(record state.NodeRemoval) error {
	return c.facts.Update(func(facts *state.Facts) { facts.SetRemoval(record) })
}

// isNew reports whether the machine of a master is not the one that it had when its change was begun.
func isNew(machine *state.Instance, record state.NodeRemoval) bool {
	return machine != nil && record.Committed && record.MachineID != machine.ID
}

// repeat repeats a check until it returns nil. What is not transient ends it at once.
func (c *base) repeat(ctx context.Context, report provisioner.Report, limit time.Duration, check provisioner.StepFunc) error {
	var permanent error
	err := provisioner.PollUntil(c.clients.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		err := check(ctx, report)
		if kind := fault.KindOf(err); err == nil || kind == fault.Transient || kind == fault.Timeout {
			return err
		}
		permanent = err
		return nil
	})(ctx, report)
	return errors.Join(permanent, err)
}

// pending is that something is not so yet.
func pending(op string, reasons []string) error {
	if len(reasons) == 0 {
		return nil
	}
	return fault.Newf(fault.Transient, op, "%s", strings.Join(reasons, "; "))
}

// DescribeEtcd returns the members of etcd as they are now, as an event.
func (c *Change) DescribeEtcd(ctx context.Context) (provisioner.Event, error) {
	seen, err := c.clients.Cluster.InspectControlPlane(ctx)
	return NewEtcdEvent(seen), err
}

// NewEtcdEvent returns the members of etcd as an event.
func NewEtcdEvent(seen controlplane.State) provisioner.Event {
	event := provisioner.Event{Type: provisioner.TypeEtcd, Members: []provisioner.Member{}}
	count, voters := len(seen.Peers), 0
	for _, peer := range seen.Peers {
		member := provisioner.Member{Name: peer.Name, State: "unhealthy"}
		switch {
		case peer.Name == "":
			member.Name, member.State = peer.Address, "not started"
		case peer.Learner:
			member.State = "learner"
		case peer.Healthy:
			member.State = "voter"
			voters++
		}
		event.Members = append(event.Members, member)
	}
	stable.Sort(event.Members, func(a, b provisioner.Member) int { return strings.Compare(a.Name, b.Name) })
	quorum := count/2 + 1
	event.Count, event.Voters, event.Quorum = &count, &voters, &quorum
	return event
}
