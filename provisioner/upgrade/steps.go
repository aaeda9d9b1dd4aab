package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// setChannel waits until the cluster has the list of the channel, or has said why it has none.
func (u *Upgrade) setChannel(ctx context.Context, report provisioner.Report) error {
	err := u.carryOut(report, "update channel", u.options.Channel, func() (state.Action, error) { return u.clients.Cluster.SetChannel(ctx, u.options.Channel) })
	if err != nil {
		return err
	}
	return u.wait(constant(channelLimit), func(ctx context.Context, _ provisioner.Report) (string, error) {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		switch {
		case err != nil:
			return "", err
		case !status.Observed:
			return "", waiting("the cluster fetches the updates of channel %s", u.options.Channel)
		case !status.Retrieved:
			return "", fault.Newf(fault.NotFound, "list the updates of channel "+u.options.Channel, "%s", orNone(status.Failure)).
				WithHint("choose one of the channels of its release: %s", strings.Join(status.Channels, ", "))
		}
		return "", nil
	})(ctx, report)
}

func (u *Upgrade) check(ctx context.Context, _ provisioner.Report) error {
	found, err := u.Review(ctx)
	if err != nil {
		return err
	}
	if err := found.Refusal(); err != nil {
		return err
	}
	return u.update(func(c *upgrade.Change) {
		if c.To != u.options.To {
			*c = upgrade.Change{From: found.Status.Version, To: u.options.To, Begun: u.clients.Clock.Now(), Paused: c.Paused}
		}
		c.Canary = u.options.Canary
		c.Requested = c.Requested || found.Follows
	})
}

func (u *Upgrade) acknowledge(ctx context.Context, report provisioner.Report) error {
	for _, key := range u.options.Acknowledge {
		if err := u.carryOut(report, "acknowledgement", key, func() (state.Action, error) { return u.clients.Cluster.Acknowledge(ctx, key) }); err != nil {
			return err
		}
	}
	return nil
}

// pause pauses every pool but that of the masters and the canary. Those that others have paused stay theirs.
func (u *Upgrade) pause(ctx context.Context, report provisioner.Report) error {
	status, err := u.clients.Cluster.GetUpdateStatus(ctx)
	if err != nil {
		return err
	}
	if status.Version == u.options.To && !status.Partial {
		return provisioner.Skip("the operators have the release already: what is paused is ended one after the other")
	}
	for _, pool := range status.Pools {
		if pool.Name == masterPool || pool.Name == u.options.Canary || pool.Paused {
			continue
		}
		if err := u.update(func(c *upgrade.Change) {
			if !slices.Contains(c.Paused, pool.Name) {
				c.Paused = append(c.Paused, pool.Name)
			}
		}); err != nil {
			return err
		}
		if err := u.setPaused(ctx, report, pool.Name, true); err != nil {
			return err
		}
	}
	return nil
}

// request is the point from which the update can only be ended. A decision that was just acknowledged takes the cluster a moment.
func (u *Upgrade) request(ctx context.Context, report provisioner.Report) error {
	if err := u.awaitUpgradeable(ctx, report); err != nil {
		return err
	}
	if err := u.update(func(c *upgrade.Change) { c.Requested = true }); err != nil {
		return err
	}
	err := u.carryOut(report, "update", u.options.To, func() (state.Action, error) {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		if err != nil || status.Version == u.options.To {
			return state.Found, err
		}
		return u.clients.Cluster.RequestUpdate(ctx, u.options.To)
	})
	if fault.Is(err, fault.Conflict) {
		if failure := u.update(func(c *upgrade.Change) { c.Requested = false }); failure != nil {
			return failure
		}
	}
	return err
}

func (u *Upgrade) awaitUpgradeable(ctx context.Context, report provisioner.Report) error {
	return u.wait(constant(channelLimit), func(ctx context.Context, _ provisioner.Report) (string, error) {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		if minors, _ := upgrade.CountMinors(status.Version, u.options.To); err == nil && minors > 0 && status.Blocked != "" && status.Wanted != u.options.To {
			err = waiting("the cluster does not permit updates to another minor version yet: %s", status.Blocked)
		}
		return "", err
	})(ctx, report)
}

// awaitOperators waits until the cluster has accepted the release, and until its operators, and so the masters, have it.
func (u *Upgrade) awaitOperators(ctx context.Context, report provisioner.Report) error {
	limit := acceptLimit
	err := u.wait(func() time.Duration { return limit }, func(ctx context.Context, report provisioner.Report) (string, error) {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		if err != nil {
			return "", err
		}
		u.observer.observe(report, status, u.options.To)
		switch {
		case status.Version != u.options.To && status.Wanted != u.options.To:
			return "", fault.Newf(fault.Conflict, "follow the update to "+u.options.To, "%s has requested %s meanwhile", describeOwner(status.By), orVersion(status))
		case status.Version != u.options.To:
			return status.Refused, waiting("the cluster has not begun: %s", orLoading(status.Refused))
		case !status.Partial:
			return "", nil
		}
		text, stuck := describeOperators(status, u.options.To)
		if limit = stallLimit; stuck {
			limit = degradedLimit
		}
		return fmt.Sprint(status.CountUpdated(u.options.To), countMachines(status)), waiting("%s", text)
	})(ctx, report)
	return u.explain(err, "see what it reports: oc get clusterversion version -o yaml; oc get clusteroperators. Once that is mended, the same command goes on")
}

// explain adds the next thing to do to a wait that reached its limit.
func (u *Upgrade) explain(err error, hint string) error {
	if fault.Is(err, fault.Timeout) && fault.HintOf(err) == "" {
		return fault.New(fault.Timeout, "update to "+u.options.To, err).WithHint("%s", hint)
	}
	return err
}

func orVersion(status upgrade.Status) string {
	if status.Wanted != "" {
		return status.Wanted
	}
	return status.Version
}

func orLoading(refused string) string {
	if refused == "" {
		return "it loads and verifies the release"
	}
	return refused
}

func countMachines(status upgrade.Status) []int {
	var counts []int
	for _, pool := range status.Pools {
		counts = append(counts, pool.Updated, pool.Ready)
	}
	return counts
}

// describeOperators returns how far the operators are, and whether one of them is degraded, which keeps the others waiting.
func describeOperators(status upgrade.Status, to string) (text string, stuck bool) {
	text = fmt.Sprintf("%d of %d operators have %s", status.CountUpdated(to), len(status.Operators), to)
	for _, operator := range status.Operators {
		if operator.Version != to && (operator.Degraded || !operator.Available) {
			text += fmt.Sprintf("; %s is degraded since %s: %s", operator.Name, formatTime(operator.Since), operator.Message)
			stuck = true
		}
	}
	if work := describeNodes(status.Nodes); work != "" {
		text += "; " + work
	}
	return text, stuck
}

func describeNodes(inWork []upgrade.Node) string {
	var parts []string
	for _, node := range inWork {
		switch {
		case node.State == "Degraded":
			parts = append(parts, node.Name+" is degraded: "+node.Reason)
		case !node.Ready:
			parts = append(parts, node.Name+" reboots")
		default:
			parts = append(parts, node.Name+" is drained and updated")
		}
	}
	return strings.Join(parts, ", ")
}

// awaitCanary waits until the canary has the release, and has been well for a while.
func (u *Upgrade) awaitCanary(ctx context.Context, report provisioner.Report) error {
	well := time.Time{} // since when; zero: it is not
	err := u.awaitPool(ctx, report, func(status upgrade.Status) []upgrade.Pool {
		return slices.DeleteFunc(slices.Clone(status.Pools), func(p upgrade.Pool) bool { return p.Name != u.options.Canary })
	}, func(ctx context.Context) error {
		now := u.clients.Clock.Now()
		reasons, err := u.checkWell(ctx)
		if err != nil {
			return err
		}
		if len(reasons) > 0 {
			well = time.Time{}
			return waiting("the pool %s has the release, but %s", u.options.Canary, strings.Join(reasons, "; "))
		}
		if well.IsZero() {
			well = now
		}
		if now.Sub(well) < canaryTime {
			return waiting("the pool %s has the release, and everything has to stay well for %s", u.options.Canary, canaryTime)
		}
		return nil
	})
	if err != nil {
		return fault.New(fault.KindOf(err), "verify the canary pool "+u.options.Canary, err).
			WithHint("the pools %s stay paused. See what these nodes report: oc get machineconfigpools,nodes. Once that is mended, the same command goes on; without --canary it updates all others, too",
				strings.Join(u.change().Paused, ", "))
	}
	return nil
}

// checkWell returns what is not well after the canary was updated.
func (u *Upgrade) checkWell(ctx context.Context) ([]string, error) {
	seen, _, err := nodes.CheckHealth(ctx, u.clients.Cluster, u.spec.Sizing.ControlPlane.Count, 0)
	if err != nil {
		return nil, err
	}
	alerts, err := u.clients.Cluster.ListAlerts(ctx)
	return append(nodes.CheckOperators(seen.Operators), checkAlerts(alerts)...), err
}

// awaitPools ends the pauses of the update one after the other, and waits until every node has the release.
func (u *Upgrade) awaitPools(ctx context.Context, report provisioner.Report) error {
	for _, name := range u.change().Paused {
		if err := u.setPaused(ctx, report, name, false); err != nil {
			return err
		}
		err := u.awaitPool(ctx, report, func(status upgrade.Status) []upgrade.Pool {
			return slices.DeleteFunc(slices.Clone(status.Pools), func(p upgrade.Pool) bool { return p.Name != name })
		}, nil)
		if err != nil {
			return err
		}
		if err := u.update(func(c *upgrade.Change) {
			c.Paused = slices.DeleteFunc(c.Paused, func(pool string) bool { return pool == name })
		}); err != nil {
			return err
		}
	}
	return u.awaitPool(ctx, report, func(status upgrade.Status) []upgrade.Pool {
		return slices.DeleteFunc(slices.Clone(status.Pools), func(p upgrade.Pool) bool { return p.Paused }) // by others
	}, nil)
}

// awaitPool waits until some pools have the release, and then for what else has to hold.
func (u *Upgrade) awaitPool(ctx context.Context, report provisioner.Report, choose func(upgrade.Status) []upgrade.Pool, then func(context.Context) error) error {
	limit := stallLimit
	err := u.wait(func() time.Duration { return limit }, func(ctx context.Context, report provisioner.Report) (string, error) {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		if err != nil {
			return "", err
		}
		u.observer.observe(report, status, u.options.To)
		var behind []string
		limit = stallLimit
		for _, pool := range choose(status) {
			if pool.Degraded {
				limit = degradedLimit
			}
			if !pool.IsUpdated() {
				behind = append(behind, fmt.Sprintf("%s: %d of %d machines have the release, %d are ready", pool.Name, pool.Updated, pool.Machines, pool.Ready))
			}
		}
		progress := fmt.Sprint(countMachines(status), describeNodes(status.Nodes))
		if len(behind) == 0 && then != nil {
			return progress, then(ctx)
		}
		if len(behind) == 0 {
			return "", nil
		}
		if work := describeNodes(status.Nodes); work != "" {
			behind = append(behind, work)
		}
		return progress, waiting("%s", strings.Join(behind, "; "))
	})(ctx, report)
	return u.explain(err, "see what these nodes report: oc get machineconfigpools,nodes. Once that is mended, the same command goes on")
}

func (u *Upgrade) record(context.Context, provisioner.Report) error {
	return u.facts.Update(func(facts *state.Facts) { facts.Upgrade, facts.CurrentVersion = nil, u.options.To })
}
