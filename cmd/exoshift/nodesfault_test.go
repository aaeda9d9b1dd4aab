package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner/install"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// injectedFault is what happens to one call that changes something.
type injectedFault string

const (
	killedBefore injectedFault = "killed before the call"
	killedAfter  injectedFault = "killed after the call, before its answer"
	answerLost   injectedFault = "answer lost"
	refusedBurst injectedFault = "burst of 500"
)

// faultInjector is in front of the API of the zone and that of the cluster, and has a fault at one call that changes something.
type faultInjector struct {
	how injectedFault

	mu    sync.Mutex
	on    bool
	at    int // the call, counted from 1
	calls int
	dead  bool
	left  int // of a burst
	kill  context.CancelFunc
}

func (s *faultInjector) begin(at int, kill context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.at, s.kill = true, at, kill
	s.calls, s.dead, s.left = 0, false, 0
}

// end returns how many calls there were.
func (s *faultInjector) end() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on, s.dead, s.left = false, false, 0
	return s.calls
}

// chooseFault returns what happens to a call; a killed run makes no more calls.
func (s *faultInjector) chooseFault(changes bool) injectedFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.on:
		return ""
	case s.dead:
		return killedBefore
	case !changes:
		return ""
	case s.left > 0:
		s.left--
		return refusedBurst
	}
	if s.calls++; s.calls != s.at {
		return ""
	}
	switch s.how {
	case refusedBurst:
		s.left = 5
	case killedBefore:
		s.dead = true
		s.kill()
	}
	return s.how
}

func (s *faultInjector) die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
	s.kill()
}

func (s *faultInjector) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch chosen := s.chooseFault(request.Method != http.MethodGet && request.Method != http.MethodHead); chosen {
		case "":
			next.ServeHTTP(answer, request)
		case refusedBurst:
			http.Error(answer, "broken", http.StatusInternalServerError)
		case killedBefore:
			panic(http.ErrAbortHandler)
		default:
			next.ServeHTTP(httptest.NewRecorder(), request)
			if chosen == killedAfter {
				s.die()
			}
			panic(http.ErrAbortHandler)
		}
	})
}

// change makes a call to the cluster.
func (s *faultInjector) change(call func() error) error {
	switch chosen := s.chooseFault(true); chosen {
	case "":
		return call()
	case killedBefore:
		return errKilled
	case killedAfter, answerLost:
		err := call()
		if chosen == killedAfter {
			s.die()
		}
		return errors.Join(fault.Newf(fault.Transient, "call", "the answer is lost"), err)
	}
	return fault.Newf(fault.Transient, "call", "500")
}

// struckCluster is the cluster for what removes nodes.
type struckCluster struct {
	nodes.Cluster
	by *faultInjector
}

func (c struckCluster) do(call func() (state.Action, error)) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = call()
		return err
	})
	return action, err
}

func (c struckCluster) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.SetCordon(ctx, node, cordoned) })
}

func (c struckCluster) EvictPod(ctx context.Context, pod state.Pod) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.EvictPod(ctx, pod) })
}

func (c struckCluster) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.DeleteNode(ctx, node) })
}

// struckInstallation is the cluster for what adds a node.
type struckInstallation struct {
	install.Cluster
	by      *faultInjector
	node    string
	pending *atomic.Bool // the node has a request that may be approved
}

func (c struckInstallation) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen, err := c.Cluster.Poll(ctx, bootstrap, expected)
	c.pending.Store(slices.ContainsFunc(seen.Requests, func(r state.NodeRequest) bool {
		return r.Node == c.node && r.State == state.RequestPending && r.BlockedReason == ""
	}))
	return seen, err
}

func (c struckInstallation) Approve(ctx context.Context) (decisions []state.CSRDecision, err error) {
	approve := func() (err error) {
		decisions, err = c.Cluster.Approve(ctx)
		return err
	}
	if !c.pending.Load() {
		err = approve()
		return decisions, err
	}
	err = c.by.change(approve)
	return decisions, err
}

func (c struckInstallation) LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (action state.Action, err error) {
	label := func() (err error) {
		action, err = c.Cluster.LabelNode(ctx, name, labels, taints)
		return err
	}
	if name != c.node {
		err = label()
		return action, err
	}
	err = c.by.change(label)
	return action, err
}

// sampledCalls is the distance of the calls that are struck: the kinds of faults begin at different ones, so that each call meets some.
const sampledCalls = 3

// replacementStruck replaces a node for every third call that changes something, which is struck, in one cluster; with EXOSHIFT_NODE_FAULTS=all
// for every one. After each, the same command is given once more, and the cluster has to be as large as before, with nothing doubled and
// nothing cordoned. The calls are those of an addition and of a removal, and what puts the answers in force in between.
func replacementStruck(t *testing.T, s run.Run, by *faultInjector, first int) {
	serveWeb(t, s, 4, 2)
	before := listTally(t, s)
	old, next := "worker-1", "worker-4"
	at, step := 1+first%sampledCalls, sampledCalls
	if os.Getenv("EXOSHIFT_NODE_FAULTS") == "all" {
		at, step = 1, 1
	}
	for ; ; at += step {
		ctx, kill := context.WithCancel(t.Context())
		by.begin(at, kill)
		out, err := changeNodes(t, s, appnodes.Removal{Names: []string{old}}, func(clients *nodes.Clients) { clients.Cluster = struckCluster{clients.Cluster, by} },
			func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				cluster.AlterInstallation = func(clients *install.Clients) {
					clients.Cluster = struckInstallation{clients.Cluster, by, next, new(atomic.Bool)}
				}
				return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
			})
		calls := by.end()
		kill()
		if calls < at && err != nil || calls >= at && err == nil && strings.HasPrefix(string(by.how), "killed") {
			t.Fatalf("%s, call %d of %d: %v\n%s", by.how, at, calls, err, lastLines(out))
		}
		rerun, err := replaceNodes(t, s, appnodes.Removal{Names: []string{old}}, nil)
		if err != nil && !strings.Contains(err.Error(), "it is gone already") {
			t.Fatalf("%s, call %d: the rerun: %v\n%s", by.how, at, err, lastLines(rerun))
		}
		passTime(t, s, time.Minute) // what was asked for by a process that did not live to wait for it ends
		checkRemoved(t, s, old, 11)
		if after := listTally(t, s); !slices.Equal(after, before) {
			t.Errorf("%s, call %d: there are %v, and were %v", by.how, at, after, before)
		}
		if t.Failed() {
			return
		}
		if calls < at {
			if at < 8 {
				t.Errorf("there were only %d calls", calls)
			}
			return
		}
		old, next = next, old
	}
}

// listTally counts the zone's objects by their kinds.
func listTally(t *testing.T, s run.Run) (lines []string) {
	t.Helper()
	b := backdoor{t, s}
	for _, kind := range [][2]string{{"/instance", "instances"}, {"/anti-affinity-group", "anti-affinity-groups"}, {"/security-group", "security-groups"}, {"/elastic-ip", "elastic-ips"}} {
		lines = append(lines, fmt.Sprintf("%d %s", len(b.list(kind[0], kind[1])), kind[1]))
	}
	return lines
}
