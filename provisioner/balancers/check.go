package balancers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

const (
	pollInterval = 10 * time.Second
	// serveLimit is for how long a load balancer, or the cluster, may not be as it has to be.
	serveLimit = 10 * time.Minute
	// steadyTime is for how long a load balancer has to answer without a failure: the health checks of the elastic IPs take it in after
	// two successes, ten seconds apart, and nothing tells that they have.
	steadyTime = 40 * time.Second
)

// prober finds out whether load balancers serve, and whether the cluster can do without one.
type prober struct {
	spec    state.Spec
	facts   *state.FactsStore
	clients Clients
}

// checkCluster requires that no node joins or restarts, and that the cluster is well otherwise: nodes that start need the load balancers.
func (p prober) checkCluster(ctx context.Context, live map[string]state.Instance) error {
	reasons, err := p.listReasons(ctx, live)
	if err != nil {
		return err
	}
	if len(reasons) > 0 {
		return fault.New(fault.Conflict, op, nodes.NewUnwellError(reasons)).
			WithHint("mend that first, or wait until it is over; then run the same command again")
	}
	return nil
}

// listReasons returns why no load balancer can be replaced now.
func (p prober) listReasons(ctx context.Context, live map[string]state.Instance) (reasons []string, err error) {
	members, err := p.clients.Cluster.ListClusterNodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, machine := range p.spec.Nodes() {
		at := slices.IndexFunc(members, func(n state.ClusterNode) bool { return n.Name == machine.Name })
		_, exists := live[machine.Name]
		switch {
		case at < 0 && exists:
			reasons = append(reasons, machine.Name+" has not joined yet")
		case at < 0:
		case !members[at].Ready:
			reasons = append(reasons, fmt.Sprintf("%s is not ready, it may be restarting: %s", machine.Name, members[at].Reason))
		case members[at].Config != members[at].DesiredConfig:
			reasons = append(reasons, machine.Name+" gets another configuration, and may restart for it")
		}
	}
	for _, removal := range p.facts.Get().Removals {
		verb := "removal"
		if removal.ReplacedBy != "" {
			verb = "replacement"
		}
		reasons = append(reasons, fmt.Sprintf("the %s of %s has not ended", verb, removal.Node))
	}
	_, unwell, err := nodes.CheckHealth(ctx, p.clients.Cluster, p.spec.Sizing.ControlPlane.Count, 0)
	return append(reasons, unwell...), err
}

// checkPeers asks once from outside for what serves meanwhile, unless that was just made: then it is waited for.
func (r *Roll) checkPeers(ctx context.Context, live map[string]state.Instance) error {
	isNew := func(name string) bool {
		return slices.ContainsFunc(r.targets, func(t Target) bool { return t.Machine.Name == name && t.isMade() })
	}
	for _, target := range r.targets {
		for _, peer := range target.Peers {
			if target.isMade() || isNew(peer) {
				continue
			}
			if err := r.checkOutside(ctx, live[peer].Address); err != nil {
				return refuse("%s, which would have to serve meanwhile, does not: %w", peer, err).
					WithHint("see why on that machine; or replace it first: exoshift nodes replace %s", peer)
			}
		}
	}
	return nil
}

const (
	portHTTP  = 80
	portHTTPS = 443
)

// checkOutside returns nil if a load balancer serves the API and the ingress to the outside, by its own address.
func (p prober) checkOutside(ctx context.Context, address string) error {
	if err := p.checkMonitor(ctx, address); err != nil {
		return err
	}
	for _, port := range []int{portHTTP, portHTTPS} {
		if err := p.clients.Outside.CheckPort(ctx, address, port); err != nil {
			return err
		}
	}
	return p.clients.Outside.CheckAPI(ctx, address)
}

// checkMonitor accepts an open port of the API in the place of an answer that is lost on the way, as the gate of an installation does.
func (p prober) checkMonitor(ctx context.Context, address string) error {
	err := p.clients.Outside.CheckMonitor(ctx, address)
	if fault.Is(err, fault.Timeout) && p.clients.Outside.CheckPort(ctx, address, network.PortAPI) == nil {
		return nil
	}
	return err
}

// checkElasticIPs returns nil if both elastic IPs lead to a load balancer that serves.
func (p prober) checkElasticIPs(ctx context.Context) error {
	facts := p.facts.Get()
	if err := p.clients.Outside.CheckAPI(ctx, facts.APIAddress); err != nil {
		return fmt.Errorf("the API by its elastic IP: %w", err)
	}
	if err := p.clients.Outside.CheckPort(ctx, facts.IngressAddress, portHTTPS); err != nil {
		return fmt.Errorf("the ingress by its elastic IP: %w", err)
	}
	return nil
}

// waitServing waits until a load balancer serves to the outside and to a node, steadily, and alsoHolds does.
func (p prober) waitServing(ctx context.Context, report provisioner.Report, name string, alsoHolds func(context.Context) error) error {
	var since time.Time // of the first answer without a failure after it
	err := provisioner.PollUntil(p.clients.Clock, pollInterval, serveLimit, func(ctx context.Context, _ provisioner.Report) error {
		if err := p.checkServing(ctx, name, alsoHolds); err != nil {
			since = time.Time{}
			return err
		}
		now := p.clients.Clock.Now()
		if since.IsZero() {
			since = now
		}
		if now.Sub(since) < steadyTime {
			return fmt.Errorf("%s answers; it has to for %s without a failure", name, steadyTime)
		}
		return nil
	})(ctx, report)
	if err != nil {
		return err
	}
	_, err = p.clients.Cluster.EndNodeChecks(ctx)
	return err
}

func (p prober) checkServing(ctx context.Context, name string, alsoHolds func(context.Context) error) error {
	if err := alsoHolds(ctx); err != nil {
		return err
	}
	instance, err := p.find(ctx, name)
	if err != nil {
		return err
	}
	if err := p.checkOutside(ctx, instance.Address); err != nil {
		return fmt.Errorf("%s from outside: %w", name, err)
	}
	node, err := p.chooseNode(ctx)
	if err != nil {
		return err
	}
	if err := p.clients.Cluster.CheckFromNode(ctx, node, instance.Address); err != nil {
		return fmt.Errorf("%s from a node: %w", name, err)
	}
	return nil
}

// chooseNode returns a node to check from: the first that is ready and in use, if possible no master.
func (p prober) chooseNode(ctx context.Context) (string, error) {
	members, err := p.clients.Cluster.ListClusterNodes(ctx)
	if err != nil {
		return "", err
	}
	chosen := ""
	for _, member := range members {
		isMaster := slices.ContainsFunc(p.spec.Machines(state.RoleMaster), func(m state.Machine) bool { return m.Name == member.Name })
		if !member.Ready || member.Cordoned || isMaster && chosen != "" {
			continue
		}
		chosen = member.Name
		if !isMaster {
			return chosen, nil
		}
	}
	if chosen == "" {
		return "", fmt.Errorf("no node is ready to check from")
	}
	return chosen, nil
}

// listLive returns the machines of load balancers by name.
func (p prober) listLive(ctx context.Context) (map[string]state.Instance, error) {
	all, err := p.clients.Cloud.ListInstances(ctx, p.spec.Labels())
	live := map[string]state.Instance{}
	for _, instance := range all {
		live[instance.Name] = instance
	}
	return live, err
}

func (p prober) find(ctx context.Context, name string) (state.Instance, error) {
	live, err := p.listLive(ctx)
	if err != nil {
		return state.Instance{}, err
	}
	instance, exists := live[name]
	if !exists || instance.Address == "" {
		return instance, fmt.Errorf("there is no machine %s with an address", name)
	}
	return instance, nil
}
