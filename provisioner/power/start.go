package power

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// How long the parts of a start may take.
const (
	mastersLimit   = 45 * time.Minute
	nodesLimit     = 45 * time.Minute
	operatorsLimit = 45 * time.Minute
	// settleTime is for how long everything has to be available: the pods of operators start in less.
	settleTime = 3 * time.Minute
)

// Start starts a cluster that was stopped, by Stop or by hand.
type Start struct {
	run
	started map[string]time.Time // when the machines of nodes were started, by their names; of the last poll
	expired nodes.FindingEvents
}

// NewStart is for the cluster of these answers.
func NewStart(spec state.Spec, facts *state.FactsStore, clients Clients, journal state.Recorder) *Start {
	return &Start{run: run{spec: spec, facts: facts, journal: journal, clients: clients}, started: map[string]time.Time{},
		expired: nodes.FindingEvents{Evaluator: diagnosis.NewOfPower(), Adapt: describeApproval, Over: "no node waits for a certificate"}}
}

// describeApproval is for certificates that ended: what keeps an installation from going on is what a start mends.
func describeApproval(event *provisioner.Event) {
	event.Disposition, event.Hint = string(diagnosis.Repair), "Nothing: this run approves them, by the rules of an installation."
}

// Plan returns the steps, each after the one before it.
func (s *Start) Plan() provisioner.Plan {
	balancers, masters, storage, workers := listGroups()
	boot := func(of group, phase string) provisioner.Step {
		return provisioner.Step{
			ID: "start-" + of.id, Title: "Start the machines of the " + of.title, Phase: phase, Usual: time.Minute,
			Do: func(ctx context.Context, report provisioner.Report) error { return s.boot(ctx, report, of) },
		}
	}
	await := func(of group, phase string, limit time.Duration) provisioner.Step {
		return provisioner.Step{
			ID: "wait-" + of.id, Title: "Wait until the " + of.title + " are ready", Phase: phase, Usual: 5 * time.Minute,
			Do: func(ctx context.Context, report provisioner.Report) error { return s.await(ctx, report, of, limit) },
		}
	}
	return chain(provisioner.Plan{
		boot(balancers, phaseMachines),
		boot(masters, phaseControlPlane),
		await(masters, phaseControlPlane, mastersLimit),
		boot(storage, phaseNodes),
		await(storage, phaseNodes, nodesLimit),
		boot(workers, phaseNodes),
		await(workers, phaseNodes, nodesLimit),
		{ID: "uncordon", Title: "End the cordons of the nodes", Phase: phaseNodes, Usual: 5 * time.Second, Do: s.endCordons},
		{ID: "ceph-flags", Title: "Have Ceph move data again", Phase: phaseNodes, Usual: time.Minute, Do: s.endFlags},
		{ID: "operators", Title: "Wait until every operator is available", Phase: phaseOperators, Usual: 10 * time.Minute, Do: s.awaitOperators},
		{ID: "upgrades", Title: "End the suspension of updates", Phase: phaseOperators, Usual: 5 * time.Second, Do: s.endSuspension},
	})
}

// boot records the times of the starts before the machines are started: what requested a certificate earlier is not their node.
func (s *Start) boot(ctx context.Context, report provisioner.Report, of group) error {
	machines, err := s.listMachines(ctx, of)
	if err != nil {
		return err
	}
	now := s.clients.Clock.Now()
	err = s.update(func(h *state.Hibernation) {
		if h.Begun.IsZero() { // it was stopped by hand
			h.Begun = now
		}
		starts := map[string]time.Time{}
		for _, machine := range machines {
			starts[machine.ID] = now
		}
		maps.Copy(starts, h.Starts) // an earlier run's
		h.Starts, h.Committed = starts, true
	})
	if err != nil {
		return err
	}
	return s.bring(ctx, report, of, stopped, running, s.clients.Cloud.StartInstance)
}

// await waits until the nodes of a group are ready, and approves their certificates; of masters, until etcd is whole, too.
func (s *Start) await(ctx context.Context, report provisioner.Report, of group, limit time.Duration) error {
	names := s.listNames(of)
	if len(names) == 0 {
		return provisioner.Skip("there are none")
	}
	err := s.repeat(limit, func(ctx context.Context, report provisioner.Report) error {
		seen, err := s.pollAndApprove(ctx, report)
		if err != nil {
			return err
		}
		if of.includes(state.RoleMaster) {
			if err := s.checkEtcd(seen.Etcd); err != nil {
				return err
			}
		}
		return s.checkReady(seen.Nodes, names)
	})(ctx, report)
	var late *provisioner.LimitError
	if errors.As(err, &late) {
		return fault.New(fault.Timeout, "wait for the "+of.title, err).
			WithHint("see the consoles of these machines, and the requests for certificates that were left: oc get csr; then run the same command again")
	}
	return err
}

func (s *Start) listNames(of group) []string {
	var names []string
	for _, machine := range s.spec.Nodes() {
		if of.includes(machine.Role) {
			names = append(names, machine.Name)
		}
	}
	return names
}

func (s *Start) checkEtcd(etcd state.EtcdStatus) error {
	voters := 0
	for _, member := range etcd.Members {
		if member.State == "voter" {
			voters++
		}
	}
	if masters := s.spec.Sizing.ControlPlane.Count; voters < masters {
		return fault.Newf(fault.Transient, "wait for etcd", "%d of %d members vote: %s", voters, masters, etcd.Message)
	}
	return nil
}

// checkReady requires that the nodes are ready, and that their kubelets have said so since their machines were started: until the cluster
// notices that they are silent, nodes are as they were before the stop.
func (s *Start) checkReady(members []state.NodeStatus, names []string) error {
	var waiting []string
	for _, name := range names {
		at := slices.IndexFunc(members, func(n state.NodeStatus) bool { return n.Name == name })
		switch {
		case at < 0:
			waiting = append(waiting, name+" is no node of the cluster")
		case !members[at].Ready:
			waiting = append(waiting, name+" is not ready: "+members[at].Reason)
		case members[at].Heartbeat.Before(s.started[name]):
			waiting = append(waiting, "the kubelet of "+name+" has not reported since its machine was started")
		}
	}
	if len(waiting) > 0 {
		return fault.Newf(fault.Transient, "wait for the nodes", "%s", strings.Join(waiting, ", "))
	}
	return nil
}

// pollAndApprove polls the cluster once, and approves what the nodes of machines that were started may have.
func (s *Start) pollAndApprove(ctx context.Context, report provisioner.Report) (state.Snapshot, error) {
	machines, err := s.clients.Cloud.ListInstances(ctx, s.spec.Labels())
	if err != nil {
		return state.Snapshot{}, err
	}
	seen, err := s.clients.Cluster.Poll(ctx, netip.Addr{}, s.listExpected(machines))
	if err != nil {
		return seen, err
	}
	s.changes.EmitEtcd(report, seen.Etcd)
	s.expired.Emit(report, diagnosis.Input{Now: s.clients.Clock.Now(), Spec: s.spec, Facts: s.facts.Get(), Snapshot: seen, Machines: machines})
	wanted := false
	for _, request := range seen.Requests {
		if request.State != state.RequestPending {
			continue
		}
		if request.BlockedReason == "" {
			wanted = true
			continue
		}
		s.emitCSR(report, state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Skipped, Reason: request.BlockedReason})
	}
	if !wanted {
		return seen, nil
	}
	decisions, err := s.clients.Cluster.Approve(ctx)
	for _, decision := range decisions {
		s.emitCSR(report, decision)
	}
	return seen, err
}

// listExpected returns the nodes that may get certificates: those of the answers whose machines run, with the times of their starts.
func (s *Start) listExpected(machines []state.Instance) []state.ExpectedNode {
	starts := s.hibernation().Starts
	var expected []state.ExpectedNode
	for _, answer := range s.spec.Nodes() {
		at := slices.IndexFunc(machines, func(m state.Instance) bool { return m.Name == answer.Name })
		if at < 0 || machines[at].State != running {
			continue
		}
		s.started[answer.Name] = starts[machines[at].ID]
		expected = append(expected, state.ExpectedNode{
			Name: answer.Name, Role: answer.Role, Addresses: []string{machines[at].Address}, Created: machines[at].Created, Started: starts[machines[at].ID],
		})
	}
	return expected
}

func (s *Start) emitCSR(report provisioner.Report, d state.CSRDecision) {
	if s.states.Update("csr/"+d.Name, d.Decision+d.Reason) {
		report(provisioner.Event{Type: provisioner.TypeCSR, Name: d.Name, Node: d.Node, Decision: d.Decision, Reason: d.Reason})
	}
}

// awaitOperators waits until the cluster is as it has to be for a stop, and stays so for a while: operators that have not started yet
// report what they did before the stop. Then it forgets that the cluster was stopped.
func (s *Start) awaitOperators(ctx context.Context, report provisioner.Report) error {
	well := time.Time{} // since when; zero: it is not
	err := s.repeat(operatorsLimit, func(ctx context.Context, report provisioner.Report) error {
		seen, err := s.pollAndApprove(ctx, report)
		if err != nil {
			return err
		}
		reasons := nodes.ListUnwell(seen, s.spec.Sizing.ControlPlane.Count, 0)
		if err := s.checkReady(seen.Nodes, s.listAllNames()); err != nil {
			reasons = append(reasons, err.Error())
		}
		if len(reasons) > 0 {
			well = time.Time{}
			return fault.Newf(fault.Transient, "wait for the operators", "%s", strings.Join(reasons, "; "))
		}
		if well.IsZero() {
			well = s.clients.Clock.Now()
		}
		if left := settleTime - s.clients.Clock.Now().Sub(well); left > 0 {
			return fault.Newf(fault.Transient, "wait for the operators", "all of them are available, and have to stay so for %s", settleTime)
		}
		return nil
	})(ctx, report)
	var late *provisioner.LimitError
	if errors.As(err, &late) {
		return fault.New(fault.Timeout, "wait for the operators", err).WithHint("%s", s.describeLimit())
	}
	if err != nil {
		return err
	}
	return s.forget()
}

func (s *Start) listAllNames() []string {
	var names []string
	for _, machine := range s.spec.Nodes() {
		names = append(names, machine.Name)
	}
	return names
}

// describeLimit returns the next thing to do about a cluster that does not become well.
func (s *Start) describeLimit() string {
	if known := s.hibernation(); !known.StartBefore.IsZero() && s.clients.Clock.Now().After(known.StartBefore) {
		return fmt.Sprintf("it was to be started before %s, when %s end: follow Red Hat's procedure for expired control plane certificates", formatTime(known.StartBefore), known.Limit)
	}
	return "see what these operators report: oc get clusteroperators; then run the same command again"
}
