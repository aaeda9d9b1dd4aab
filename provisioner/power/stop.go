package power

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// StopOptions are what a person decides about a stop.
type StopOptions struct {
	Until   time.Time // when the cluster is to be started again
	Backup  backup.Requirement
	Journal state.Recorder
}

// Stop stops a cluster.
type Stop struct {
	run
	options StopOptions
	etcd    state.EtcdStatus // of the last review
	review  Review           // the last one
}

// NewStop is for the cluster of these answers.
func NewStop(spec state.Spec, facts *state.FactsStore, clients Clients, options StopOptions) *Stop {
	return &Stop{run: run{spec: spec, facts: facts, journal: options.Journal, clients: clients}, options: options}
}

// IsCommitted reports whether machines were stopped already: then the stop can only be ended, whatever the state of the cluster.
func (s *Stop) IsCommitted() bool { return s.hibernation().Committed }

// Plan returns the steps, each after the one before it.
func (s *Stop) Plan() provisioner.Plan {
	balancers, masters, storage, workers := listGroups()
	halt := func(of group, phase string) provisioner.Step {
		return provisioner.Step{
			ID: "stop-" + of.id, Title: "Stop the machines of the " + of.title, Phase: phase, Usual: time.Minute,
			Do: func(ctx context.Context, report provisioner.Report) error { return s.halt(ctx, report, of) },
		}
	}
	plan := provisioner.Plan{{ID: "check", Title: "Check whether the cluster may be stopped", Phase: phaseControlPlane, Usual: 5 * time.Second, Do: s.check}}
	plan = append(plan, s.options.Backup.Plan("")...)
	return chain(append(plan, provisioner.Plan{
		{ID: "upgrades", Title: "Suspend updates of the cluster", Phase: phaseNodes, Usual: 5 * time.Second, Do: s.suspendUpgrades},
		{ID: "ceph-flags", Title: "Keep Ceph from moving data", Phase: phaseNodes, Usual: 5 * time.Second, Do: s.setFlags},
		{ID: "cordon", Title: "Cordon the nodes", Phase: phaseNodes, Usual: 10 * time.Second, Do: s.cordon},
		{ID: "commit", Title: "Record that the machines are being stopped", Phase: phaseMachines, Do: s.commit},
		halt(workers, phaseNodes),
		halt(storage, phaseNodes),
		halt(masters, phaseControlPlane),
		halt(balancers, phaseMachines),
		{ID: "record", Title: "Record that the cluster is stopped", Phase: phaseMachines, Do: s.record},
	}...))
}

// chain has each step need the one before it.
func chain(plan provisioner.Plan) provisioner.Plan {
	for i := range plan[1:] {
		plan[i+1].Needs = []string{plan[i].ID}
	}
	return plan
}

func (s *Stop) check(ctx context.Context, report provisioner.Report) error {
	if s.IsCommitted() {
		return provisioner.Skip("machines were stopped already")
	}
	found, err := s.Review(ctx)
	if err != nil {
		return err
	}
	s.review = found
	s.changes.EmitEtcd(report, s.etcd)
	return found.Refusal()
}

// cordon records what it does before it does it, so that it can be undone.
func (s *Stop) cordon(ctx context.Context, report provisioner.Report) error {
	if s.IsCommitted() {
		return provisioner.Skip("machines were stopped already")
	}
	members, err := s.clients.Cluster.ListClusterNodes(ctx)
	if err != nil {
		return err
	}
	err = s.update(func(h *state.Hibernation) {
		h.Begun, h.StartBefore, h.Limit, h.Starts = s.clients.Clock.Now(), s.review.StartBefore, s.review.Limit, nil
		for _, member := range members {
			if !member.Cordoned && !slices.Contains(h.Cordoned, member.Name) {
				h.Cordoned = append(h.Cordoned, member.Name)
			}
		}
	})
	if err != nil {
		return err
	}
	const kind = "cordon" // in the journal, which is stored before the node is changed
	for _, node := range s.hibernation().Cordoned {
		if err := s.journal.RecordIntent(kind, node); err != nil {
			return err
		}
		action, err := s.clients.Cluster.SetCordon(ctx, node, true)
		if err != nil {
			return err
		}
		report.EmitObject(nodes.KindNode, node, "", string(action))
		if err := s.journal.RecordResult(kind, node, node, action); err != nil {
			return err
		}
	}
	return nil
}

// commit is the point from which the stop can only be ended, or the cluster started again.
func (s *Stop) commit(context.Context, provisioner.Report) error {
	return s.update(func(h *state.Hibernation) { h.Committed, h.Starts = true, nil })
}

func (s *Stop) halt(ctx context.Context, report provisioner.Report, of group) error {
	return s.bring(ctx, report, of, running, stopped, s.clients.Cloud.StopInstance)
}

func (s *Stop) record(ctx context.Context, report provisioner.Report) error {
	machines, err := s.clients.Cloud.ListInstances(ctx, s.spec.Labels())
	if err != nil {
		return err
	}
	for _, machine := range machines { // the API, which is gone, said until its end that they are ready
		if role := state.Role(machine.Labels[state.LabelRole]); role != state.RoleLoadBalancer {
			report(provisioner.Event{Type: provisioner.TypeNode, Name: machine.Name, Role: string(role), State: provisioner.NodeNotReady, Reason: "its machine is stopped"})
		}
	}
	known := s.hibernation()
	report.EmitProgress(fmt.Sprintf("start it again before %s, when %s end", formatTime(known.StartBefore), known.Limit))
	return s.update(func(h *state.Hibernation) { h.Stopped = s.clients.Clock.Now() })
}

// Undo ends what a stop has begun that was given up before a machine was stopped, whatever of it fails, and returns what was ended.
func (s *Stop) Undo(ctx context.Context) (ended []provisioner.Event, err error) {
	known := s.hibernation()
	if known.Committed || s.facts.Get().Hibernation == nil {
		return nil, nil
	}
	report := func(e provisioner.Event) { ended = append(ended, e) }
	for _, node := range known.Cordoned {
		report(provisioner.Event{Type: provisioner.TypeObject, Step: "cordon", Kind: nodes.KindNode, Name: node, Action: string(state.Updated), Text: "it is not cordoned any more: the stop was given up"})
	}
	if failure := s.endCordons(ctx, func(provisioner.Event) {}); failure != nil {
		ended = nil
		err = fault.New(fault.KindOf(failure), "end the cordons of the nodes", failure).
			WithHint("end them by hand: oc adm uncordon %s", strings.Join(known.Cordoned, " "))
	}
	err = errors.Join(err, s.unsetFlags(ctx, report), s.resumeUpgrades(ctx, report))
	return ended, errors.Join(err, s.forget())
}
