package diagnosis

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

// lookEvery is the interval of evaluations, in minutes.
const lookEvery = 5.0 / 60

// watch evaluates an installation from one minute to another, and returns every finding of that time, by rule.
func watch(from, to float64, look func(minute float64) Input) map[string]Finding {
	found := map[string]Finding{}
	examiner := New()
	for minute := from; minute <= to; minute += lookEvery {
		for _, finding := range examiner.Evaluate(look(minute)) {
			if _, before := found[finding.Rule]; !before {
				found[finding.Rule] = finding
			}
		}
	}
	return found
}

func TestEvaluate_HealthyHasNoFindings(t *testing.T) {
	for name, change := range map[string]func(minute float64, s *Input){
		"as usual": func(float64, *Input) {},
		"nobody looks in": func(_ float64, s *Input) {
			s.Snapshot.Probes.SSH, s.Snapshot.Probes.Direct = state.Probe{}, state.Probe{}
		},
		"the API flaps":           flapping,
		"names are not asked for": func(_ float64, s *Input) { s.Names = nil },
		"name servers that are out of reach": func(_ float64, s *Input) {
			for n := range s.Names {
				s.Names[n].Found, s.Names[n].Error = nil, "no answer in time"
			}
		},
		"rules of security groups that come late": func(minute float64, s *Input) {
			if minute < 0.9 {
				s.MissingRules = []string{"port 22623/tcp is blocked: security group c-demo-1_control_plane lacks the rule for the machine config server"}
			}
		},
		"the zone without names in its first minute": func(minute float64, s *Input) {
			for n := range s.Names {
				if minute < 1 {
					s.Names[n].Found, s.Names[n].Missing, s.Names[n].Error = nil, true, "it has no address for the name"
				}
			}
		},
		"a look inside": func(minute float64, s *Input) {
			s.BootstrapHost = &state.BootstrapHost{At: s.Now, Services: []state.ServiceRecord{
				{Service: "release-image", Starts: 2, Stage: "pull-release-image", Since: start(), Done: minute > 4},
				{Service: "node-image-pull", Starts: 2, Failure: "it was restarted", Done: true},
				{Service: "bootkube", Starts: 3, Stage: "cb-bootstrap", Failure: "error 1 in wait-for-etcd"},
			}, Lines: []state.JournalLine{{At: start(), Unit: "bootkube.service", Text: "Pool worker: denied"}}}
		},
		"an old request of a worker that has asked again": func(minute float64, s *Input) {
			if minute > 46 {
				s.Snapshot.Requests = append([]state.NodeRequest{{
					Name: "csr-old", Node: "worker-0", State: state.RequestPending, BlockedReason: "the node has made a newer request: csr-new", Created: at(20),
				}}, s.Snapshot.Requests...)
			}
		},
		"requests of someone else": func(_ float64, s *Input) {
			s.Snapshot.Requests = append(s.Snapshot.Requests, state.NodeRequest{
				Name: "csr-alien", Node: "laptop", State: state.RequestPending, BlockedReason: "this installation has no such node", Created: at(9),
			})
		},
		"a cloud controller that takes four minutes": func(_ float64, s *Input) {
			s.Spec.OpenShift.CloudControllerManager = "External"
			for n, node := range s.Snapshot.Nodes {
				if s.Now.Sub(node.Created) < 4*time.Minute {
					s.Snapshot.Nodes[n].Taints = []state.Taint{{Key: uninitialized, Value: "true", Effect: "NoSchedule"}}
				}
			}
		},
		"dns-round-robin has no load balancers": func(_ float64, s *Input) {
			s.Spec.LoadBalancer.Strategy = "dns-round-robin"
			s.Names[0].Wanted = append(s.Names[0].Wanted, s.Names[2].Wanted...)
		},
		"nodes that come by the elastic IP": func(_ float64, s *Input) { s.Spec.LoadBalancer.Internal = state.InternalElasticIP },
		"a resumed run": func(_ float64, s *Input) {
			for phase, began := range s.PhaseTimes {
				s.PhaseTimes[phase] = at(max(10, began.Sub(start()).Minutes()))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := watch(0, 90, func(minute float64) Input {
				s := healthy(minute)
				change(minute, &s)
				return s
			})
			if diff := cmp.Diff(map[string]Finding{}, found); diff != "" {
				t.Errorf("found in a healthy installation:\n%s", diff)
			}
		})
	}
}

// Slow machines are found to be slow, once and for all until they have caught up, and nothing else.
func TestEvaluate_SlowMachinesAreOnlySlow(t *testing.T) {
	for _, times := range []float64{2, 4} {
		t.Run(fmt.Sprintf("%.0f times", times), func(t *testing.T) {
			t.Parallel()
			examiner, found := New(), map[string]int{}
			last := map[string]bool{}
			for minute := 0.0; minute <= 90*times; minute += lookEvery {
				now := map[string]bool{}
				for _, finding := range examiner.Evaluate(slowed(minute, times)) {
					if now[finding.Rule] = true; !last[finding.Rule] {
						found[finding.Rule]++
					}
				}
				last = now
			}
			if slow := found["slow"]; len(found) > 1 || slow > 1 || slow != 1 && times > 2 {
				t.Errorf("found %v", found)
			}
		})
	}
}

// slowed is a healthy installation on machines that take so many times as long.
func slowed(minute, times float64) Input {
	s := healthy(minute / times)
	s.Now, s.Wall, s.Snapshot.At = at(minute), at(minute), at(minute)
	for phase, began := range s.PhaseTimes {
		s.PhaseTimes[phase] = at(times * began.Sub(start()).Minutes())
	}
	return s
}

// flapping makes the API unreachable for half a minute of every two while the control plane restarts, and for some
// minutes once.
func flapping(minute float64, s *Input) {
	second := int(minute*60) % 120
	if second > 30 && (minute < 24 || minute > 28) || minute < 9 {
		return
	}
	s.APIError = errors.New("the API does not answer: connection refused")
	s.Snapshot.Probes.API = fails("https://api.c-demo-1.example.net:6443/readyz", state.LayerTCP, "the connection was closed")
	if minute < 30 {
		s.Snapshot.Probes.Direct = fails("https://198.51.100.3:6443/readyz", state.LayerTCP, "connection refused")
	}
}

func TestEvaluate_FreshInstallation(t *testing.T) {
	if found := New().Evaluate(Input{}); len(found) > 0 {
		t.Errorf("found without any sign: %v", found)
	}
}

// Ten times as many nodes take about ten times as long, on whatever machine; were each compared with each, it would be a
// hundred times.
func TestExamine_TimeGrowsWithTheNodes(t *testing.T) {
	few, many := fastest(150), fastest(1500)
	t.Logf("150 nodes: %s, 1500 nodes: %s", few, many)
	if many > 40*few {
		t.Errorf("1500 nodes take %s, and 150 take %s", many, few)
	}
}

// fastest returns the duration of the fastest of many evaluations: other load on the machine disturbs most of them.
func fastest(nodes int) time.Duration {
	s, examiner, best := crowded(nodes), New(), time.Hour
	for range 50 {
		began := time.Now()
		examiner.Evaluate(s)
		best = min(best, time.Since(began))
	}
	return best
}

func BenchmarkEvaluate1000Nodes(b *testing.B) {
	const limit = 2 * time.Millisecond
	s := crowded(1000)
	examiner := New()
	for b.Loop() {
		examiner.Evaluate(s)
	}
	if best := fastest(1000); best > limit {
		b.Errorf("it takes %s, the limit is %s", best, limit)
	}
}

func crowded(workers int) Input {
	s := healthy(50)
	s.Spec.Sizing.Workers.Count = workers
	for n := 3; n < workers; n++ {
		name := fmt.Sprintf("worker-%d", n)
		s.Machines = append(s.Machines, state.Instance{Name: name, Address: fmt.Sprintf("203.0.%d.%d", n/250, n%250), Created: start()})
		if n%2 == 0 {
			s.Snapshot.Nodes = append(s.Snapshot.Nodes, state.NodeStatus{Name: name, Address: fmt.Sprintf("203.0.%d.%d", n/250, n%250), Ready: true})
			s.request(name, false, 40, 50)
			s.request(name, true, 41, 50)
		}
	}
	return s
}
