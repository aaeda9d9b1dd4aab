package preflight

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	voting       = "voter"
	pollInterval = 5 * time.Second
)

// The minimum of healthy members besides a recreated master: with fewer, its new member could cost etcd the majority.
const minHealthyMembers = 2

// checkMembers refuses to recreate masters while etcd needs them. Before the bootstrap is over all masters are new.
func (c *Comparison) checkMembers(ctx context.Context, report provisioner.Report, missing []state.Machine) error {
	var lost []string
	for _, machine := range missing {
		if machine.Role == state.RoleMaster {
			lost = append(lost, machine.Name)
		}
	}
	if len(lost) == 0 || !c.facts.Get().IsBootstrapped() {
		return nil
	}
	op := "make " + strings.Join(lost, ", ") + " again"
	const hint = "Recover etcd first: oc get etcd cluster -o yaml shows its members, and exoshift recover etcd gives it its quorum back from a master " +
		"that has its data. Then run the same command again."
	seen, err := c.pollUntilAnswer(ctx, report)
	if err != nil {
		return fault.Newf(fault.Conflict, op, "etcd's members cannot be listed: %w", err).WithHint(hint)
	}
	healthy := 0
	for _, member := range seen.Etcd.Members {
		if member.State == voting && !slices.Contains(lost, member.Name) {
			healthy++
		}
	}
	required := minHealthyMembers
	if recovered := c.facts.Get().Recovery; recovered != nil && recovered.Restored {
		required = 1 // the only member there is: the new one is the next
	}
	if healthy >= required {
		return nil
	}
	return fault.Newf(fault.Conflict, op, "%d other members of etcd are healthy, %d are required: %s", healthy, required, seen.Etcd.Message).WithHint(hint)
}

// The time that the API may not answer: the load balancers take a while to detect that a master is gone.
const limitAnswer = 2 * time.Minute

func (c *Comparison) pollUntilAnswer(ctx context.Context, report provisioner.Report) (seen state.Snapshot, err error) {
	var final error
	err = provisioner.PollUntil(c.clock, pollInterval, limitAnswer, func(ctx context.Context, _ provisioner.Report) error {
		seen, final = c.cluster.Poll(ctx, netip.Addr{}, nil)
		if fault.Is(final, fault.Transient) {
			return final
		}
		return nil
	})(ctx, report)
	return seen, cmp.Or(err, final)
}
