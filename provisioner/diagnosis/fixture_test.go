package diagnosis

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"exoshift/state"
)

func start() time.Time { return time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC) }

func milestones() map[string]float64 {
	return map[string]float64{
		state.PhaseMachine: 0, state.PhaseMachineConfig: 5, state.PhaseTemporaryAPI: 8, state.PhaseManifests: 8.5,
		state.PhaseMastersBoot: 16, state.PhaseMasters: 16.5, state.PhaseEtcd: 19, state.PhaseControlPlane: 25,
		state.PhaseBootstrapped: 26, state.PhaseTeardown: 27, state.PhaseEtcdInCluster: 28, state.PhaseComplete: 29,
		state.PhaseMemberRemoved: 30, state.PhaseNodes: 41, state.PhaseVersion: 76, state.PhaseStable: 78,
	}
}

func at(minute float64) time.Time {
	return start().Add(time.Duration(minute * float64(time.Minute)))
}

func spec() state.Spec {
	s := state.Default()
	s.Cluster.ID, s.Cluster.BaseDomain, s.Exoscale.Zone = "c-demo-1", "example.net", "ch-gva-2"
	return s
}

func answers(target string) state.Probe { return state.Probe{Target: target, OK: true} }

func fails(target, layer, detail string) state.Probe {
	return state.Probe{Target: target, Layer: layer, Detail: detail}
}

// healthy returns the input for an ordinary installation that many minutes after its start, as in a real zone, where
// machines are silent for ten minutes while they install their system.
func healthy(minute float64) Input {
	s := Input{
		Now: at(minute), Wall: at(minute), Spec: spec(), PhaseTimes: map[string]time.Time{}, ReleaseBuild: "9.6-1", TemplateBuild: "9.6-1",
		Facts: state.Facts{
			APIAddress: "192.0.2.1", IngressAddress: "192.0.2.2", RootCAHash: "aabbccddeeff00112233445566778899",
			IgnitionExpires: at(24*60 - 10), Template: "rhcos-9.6-1", ReleaseImage: "quay.io/release@sha256:00",
		},
		RootCALabels: map[string]string{},
		Names: []Name{name("api.c-demo-1.example.net", "192.0.2.1"), name("api-int.c-demo-1.example.net", "192.0.2.1"),
			name("console-openshift-console.apps.c-demo-1.example.net", "192.0.2.2")},
	}
	s.Snapshot.At = s.Now
	for _, phase := range state.ListPhases() {
		if reached := milestones()[phase]; reached <= minute {
			s.PhaseTimes[phase] = at(reached)
			s.Snapshot.Bootstrap.Reached = append(s.Snapshot.Bootstrap.Reached, phase)
		}
	}
	s.machines(minute)
	s.doors(minute)
	if minute < 8 {
		s.APIError = fmt.Errorf("the API does not answer: connection refused")
		return s
	}
	s.etcd(minute)
	s.joined(minute)
	s.version(minute)
	return s
}

func name(name, address string) Name {
	found := []netip.Addr{netip.MustParseAddr(address)}
	return Name{Name: name, Wanted: found, Found: found}
}

func (s *Input) machines(minute float64) {
	all := s.Spec.Machines(state.RoleLoadBalancer)
	if minute < 30.5 {
		all = append(all, s.Spec.Machines(state.RoleBootstrap)...)
	}
	for n, machine := range append(all, s.Spec.Nodes()...) {
		instance := state.Instance{
			Name: machine.Name, Address: fmt.Sprintf("198.51.%d.%d", 100+n/200, 1+n%200), State: "running", Created: start(),
			Labels: map[string]string{state.LabelRole: string(machine.Role)},
		}
		if machine.Role != state.RoleLoadBalancer {
			s.RootCALabels[machine.Name] = state.RootCALabelPrefix + s.Facts.RootCAHash[:16]
		}
		s.Machines = append(s.Machines, instance)
	}
}

func (s *Input) machine(name string) *state.Instance {
	return &s.Machines[slices.IndexFunc(s.Machines, func(i state.Instance) bool { return i.Name == name })]
}

func (s *Input) address(machine string) string { return s.machine(machine).Address }

// doors opens one access path after the other. Once the bootstrap is over, only the one by name is probed.
func (s *Input) doors(minute float64) {
	door := func(target string, from float64) state.Probe {
		if minute < from {
			return fails(target, state.LayerTCP, "connection refused")
		}
		return answers(target)
	}
	s.Snapshot.Probes.API = door("https://api.c-demo-1.example.net:6443/readyz", 8)
	if minute >= 30 {
		return
	}
	s.Snapshot.Probes.SSH = door("tcp://198.51.100.3:22", 1)
	s.Snapshot.Probes.Direct = door("https://198.51.100.3:6443/readyz", 7.5)
}

// etcd has 1, 2, 3, 4 and 3 members; each new one is not started at first, and a learner for two minutes.
func (s *Input) etcd(minute float64) {
	s.Snapshot.Etcd.Degraded = nil
	if minute < 30 {
		s.Snapshot.Etcd.Members = []state.EtcdMember{{Name: "etcd-bootstrap", State: "voter"}}
	}
	for n := range 3 {
		switch since := minute - 19 - 3*float64(n); {
		case since < 0:
		case since < 0.5:
			s.Snapshot.Etcd.Members = append(s.Snapshot.Etcd.Members, state.EtcdMember{Name: fmt.Sprintf("master-%d", n), State: "not started"})
			s.Snapshot.Etcd.Degraded = []string{"EtcdMembersDegraded: 1 of 2 members are available, NAME-PENDING-198.51.100.4 has not started"}
		case since < 2:
			s.Snapshot.Etcd.Members = append(s.Snapshot.Etcd.Members, state.EtcdMember{Name: fmt.Sprintf("master-%d", n), State: "learner"})
		default:
			s.Snapshot.Etcd.Members = append(s.Snapshot.Etcd.Members, state.EtcdMember{Name: fmt.Sprintf("master-%d", n), State: "voter", Revision: 2})
		}
	}
	s.Snapshot.Etcd.InCluster, s.Snapshot.Etcd.BootstrapRemoved = minute >= 28, minute >= 30
}

// joined lets the masters join, and much later the others in waves, each with two requests.
func (s *Input) joined(minute float64) {
	for n, machine := range s.Spec.Nodes() {
		questions := 16.2
		if machine.Role != state.RoleMaster {
			questions = 39 + float64(n/4)*3
		}
		if minute < questions {
			continue
		}
		s.request(machine.Name, false, questions, minute)
		if minute < questions+0.3 {
			continue
		}
		s.request(machine.Name, true, questions+0.3, minute)
		s.Snapshot.Nodes = append(s.Snapshot.Nodes, state.NodeStatus{
			Name: machine.Name, Created: at(questions + 0.3), Address: s.address(machine.Name), Ready: minute > questions+1.8,
			Reason: "the network plugin is not ready",
		})
	}
}

func (s *Input) request(node string, serving bool, created, minute float64) {
	request := state.NodeRequest{Name: fmt.Sprintf("csr-%s-%t", node, serving), Node: node, Serving: serving, State: state.RequestPending, Created: at(created)}
	if minute > created+0.2 {
		request.State = state.RequestIssued
	}
	s.Snapshot.Requests = append(s.Snapshot.Requests, request)
}

// the version waits for operators that need routers, and then for the monitoring, which makes no progress for twenty
// minutes
func (s *Input) version(minute float64) {
	s.Snapshot.Version = state.VersionStatus{Version: "4.20.5", Progressing: true, Percent: int(min(minute*2, 89)), WaitingOn: []string{"authentication", "console", "monitoring"}}
	if minute >= 45 {
		s.Snapshot.Routers = []string{"infra-0", "infra-1"}
	}
	done := minute >= 76
	if done {
		s.Snapshot.Version = state.VersionStatus{Version: "4.20.5", Available: true, Percent: 100}
	}
	routed := minute >= 56
	for _, operator := range []string{"authentication", "console"} {
		s.Snapshot.Operators = append(s.Snapshot.Operators, state.OperatorStatus{Name: operator, Available: routed, Stable: routed, Degraded: !routed && minute > 20,
			Message: "RouteHealthDegraded: failed to GET route (https://console-openshift-console.apps.c-demo-1.example.net)"})
	}
	s.Snapshot.Operators = append(s.Snapshot.Operators, state.OperatorStatus{Name: "monitoring", Available: done, Stable: done, Progressing: !done, Message: "Rolling out the stack."})
	s.Snapshot.Pools = []state.PoolStatus{{Name: "master", Machines: 3, Ready: 3}, {Name: "worker", Machines: 10}}
}
