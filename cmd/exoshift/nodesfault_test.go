package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"exoshift/internal/fault"
	"exoshift/provisioner/balancers"
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

var errKilled = errors.New("killed")

// faultInjector is in front of the API of the zone and that of the cluster, and has a fault at one call that changes something.
type faultInjector struct {
	how   injectedFault
	every int // a fault at every so many calls; 0: at one

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
	if s.calls++; s.calls != s.at && (s.every == 0 || s.calls%s.every != s.at%s.every) {
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

// faultyCluster is the cluster for what removes nodes.
type faultyCluster struct {
	nodes.Cluster
	by *faultInjector
}

func (c faultyCluster) do(call func() (state.Action, error)) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = call()
		return err
	})
	return action, err
}

func (c faultyCluster) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.SetCordon(ctx, node, cordoned) })
}

func (c faultyCluster) EvictPod(ctx context.Context, pod state.Pod) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.EvictPod(ctx, pod) })
}

func (c faultyCluster) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	return c.do(func() (state.Action, error) { return c.Cluster.DeleteNode(ctx, node) })
}

// faultyInstallation is the cluster for what adds a node.
type faultyInstallation struct {
	install.Cluster
	by      *faultInjector
	isNew   func(node string) bool
	pending *atomic.Bool // a new node has a request that may be approved
}

func (c faultyInstallation) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen, err := c.Cluster.Poll(ctx, bootstrap, expected)
	c.pending.Store(slices.ContainsFunc(seen.Requests, func(r state.NodeRequest) bool {
		return c.isNew(r.Node) && r.State == state.RequestPending && r.BlockedReason == ""
	}))
	return seen, err
}

func (c faultyInstallation) Approve(ctx context.Context) (decisions []state.CSRDecision, err error) {
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

func (c faultyInstallation) LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (action state.Action, err error) {
	label := func() (err error) {
		action, err = c.Cluster.LabelNode(ctx, name, labels, taints)
		return err
	}
	if !c.isNew(name) {
		err = label()
		return action, err
	}
	err = c.by.change(label)
	return action, err
}

// faultyBalancers is the cluster for what replaces load balancers.
type faultyBalancers struct {
	balancers.Cluster
	by       *faultInjector
	checking bool // there is a pod
}

func (c *faultyBalancers) CheckFromNode(ctx context.Context, node, address string) error {
	check := func() error { return c.Cluster.CheckFromNode(ctx, node, address) }
	if c.checking {
		return check()
	}
	c.checking = true
	return c.by.change(check)
}

func (c *faultyBalancers) EndNodeChecks(ctx context.Context) (action state.Action, err error) {
	c.checking = false
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.EndNodeChecks(ctx)
		return err
	})
	return action, err
}

func (s *faultInjector) injectIntoCluster(clients *nodes.Clients) {
	clients.Cluster = faultyCluster{clients.Cluster, s}
}

// injectIntoInstallation is for the installation that adds the node.
func (s *faultInjector) injectIntoInstallation(node string) func(*install.Clients) {
	return s.injectIntoAddition(func(name string) bool { return name == node })
}

// injectIntoAddition is for the installation that adds nodes whose names only their instance pool knows.
func (s *faultInjector) injectIntoAddition(isNew func(node string) bool) func(*install.Clients) {
	return func(clients *install.Clients) {
		clients.Cluster = faultyInstallation{clients.Cluster, s, isNew, new(atomic.Bool)}
	}
}
