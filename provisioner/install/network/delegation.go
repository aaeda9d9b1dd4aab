package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const pollDNS = 15 * time.Second

// Delegation waits until the domain is delegated to the cluster's zone.
type Delegation struct {
	spec   state.Spec
	names  Resolver
	clock  provisioner.Clock
	limit  time.Duration
	dns    *DNS
	ips    *ElasticIPs
	states provisioner.LastStates

	mu     sync.Mutex // guards parent
	parent string     // the parent of the cluster's zone
}

// NewDelegation returns the delegation of a cluster's zone. limit is its timeout.
func NewDelegation(spec state.Spec, names Resolver, clock provisioner.Clock, limit time.Duration, dns *DNS, ips *ElasticIPs) *Delegation {
	return &Delegation{spec: spec, names: names, clock: clock, limit: limit, dns: dns, ips: ips}
}

// Wait returns the step that waits. Machines could not resolve the cluster's names without the
// delegation. Only a human can add it, so the
// action lists the records, and the step continues once they exist.
func (d *Delegation) Wait() provisioner.StepFunc {
	wait := provisioner.PollUntil(d.clock, pollDNS, d.limit, d.check)
	return func(ctx context.Context, report provisioner.Report) error {
		err := wait(ctx, report)
		if err == nil || ctx.Err() != nil {
			return err
		}
		return fault.New(fault.Waiting, "wait until the domain is delegated", err).
			WithHint("%s\nThen run the same command again.", d.formatRecords())
	}
}

func (d *Delegation) check(ctx context.Context, report provisioner.Report) error {
	parent, servers, err := d.names.LookupNameServers(ctx, d.spec.Domain())
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.parent = parent
	d.mu.Unlock()
	if err := d.compareServers(parent, servers); err != nil {
		if d.states.Update("delegation", err.Error()) {
			report.EmitActionNeeded(d.formatRecords())
		}
		return err
	}
	return d.checkNameServers(ctx)
}

func (d *Delegation) compareServers(parent string, has []string) error {
	var missing, foreign []string
	for _, server := range d.dns.ListNameServers() {
		if !slices.Contains(has, server) {
			missing = append(missing, server)
		}
	}
	for _, server := range has {
		if !slices.Contains(d.dns.ListNameServers(), server) {
			foreign = append(foreign, server)
		}
	}
	switch {
	case len(has) == 0:
		return fmt.Errorf("%s does not delegate %s yet", parent, d.spec.Domain())
	case len(missing)+len(foreign) > 0:
		return fmt.Errorf("%s delegates %s to %s; missing: %s; wrong: %s", parent, d.spec.Domain(),
			strings.Join(has, ", "), formatOrNone(missing), formatOrNone(foreign))
	}
	return nil
}

func formatOrNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (d *Delegation) checkNameServers(ctx context.Context) error {
	if d.spec.IsRoundRobin() {
		return nil
	}
	name := "api." + d.spec.Domain()
	for _, server := range d.dns.ListNameServers() {
		addresses, err := d.names.QueryAddresses(ctx, server, name)
		if err != nil {
			return err
		}
		if len(addresses) != 1 || addresses[0].String() != d.ips.API().Address {
			return fmt.Errorf("%s resolves %s to %v instead of %s", server, name, addresses, d.ips.API().Address)
		}
	}
	return nil
}

func (d *Delegation) findParentZone() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parent == "" {
		return d.spec.Cluster.BaseDomain
	}
	return d.parent
}

func (d *Delegation) formatRecords() string {
	lines := []string{"The zone " + d.findParentZone() + " needs exactly these NS records:"}
	for _, server := range d.dns.ListNameServers() {
		lines = append(lines, fmt.Sprintf("%s. 3600 IN NS %s.", d.spec.Domain(), strings.TrimSuffix(server, ".")))
	}
	return strings.Join(lines, "\n")
}
