package exoscale

import (
	"context"
	"errors"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// DeleteRules deletes the rules of the security group of that name for which useless returns true. A group that does not exist
// has none; several groups of that name are a fault.Conflict that lists all.
func (c *Client) DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error) {
	all, err := c.listSecurityGroups(ctx)
	if err != nil {
		return "", err
	}
	found, err := findGroup(all, group)
	if err != nil || found == nil {
		return state.Found, err
	}
	giveBack, err := c.groups.take(ctx, deref(found.ID))
	if err != nil {
		return "", fault.New(fault.KindOf(ctx.Err()), "update security-group "+group, err)
	}
	defer giveBack()
	live, err := c.getSecurityGroup(ctx, deref(found.ID))
	if fault.Is(err, fault.NotFound) {
		return state.Found, nil
	}
	if err != nil {
		return "", err
	}
	return c.deleteRules(ctx, live, mapNamesToIDs(all), useless)
}

// deleteRules deletes concurrently, and continues after failures.
func (c *Client) deleteRules(ctx context.Context, group *v2.SecurityGroup, ids map[string]string, useless func(state.Rule) bool) (state.Action, error) {
	names := mapIDsToNames(ids)
	doomed := filterMatching(group.Rules, func(live *v2.SecurityGroupRule) bool {
		return deref(live.FlowDirection) == ingress && useless(fromV2Rule(live, names))
	})
	if len(doomed) == 0 {
		return state.Found, nil
	}
	faults := make([]error, len(doomed))
	forEachParallel(len(doomed), func(n int) { faults[n] = c.deleteRule(ctx, group, doomed[n], fromV2Rule(doomed[n], names)) })
	return state.Deleted, errors.Join(faults...)
}

func (c *Client) deleteRule(ctx context.Context, group *v2.SecurityGroup, live *v2.SecurityGroupRule, rule state.Rule) error {
	return c.applyChange(ctx, state.Deleted, kindRule, formatRuleName(group, rule), func(ctx context.Context) (string, error) {
		err := c.api.DeleteSecurityGroupRule(ctx, c.zone, group, live)
		return deref(live.ID), c.ignoreNotFound(ctx, err)
	})
}

// fromV2Rule uses the ID of a group whose name is unknown.
func fromV2Rule(live *v2.SecurityGroupRule, names map[string]string) state.Rule {
	v := newLiveValue(live)
	rule := state.Rule{
		Protocol: v.protocol, From: v.from, To: v.to, ICMPType: v.icmpType, CIDR: v.cidr, Group: v.group,
		Description: deref(live.Description),
	}
	if name := names[v.group]; name != "" {
		rule.Group = name
	}
	return rule
}

func mapIDsToNames(ids map[string]string) map[string]string {
	names := make(map[string]string, len(ids))
	for name, id := range ids {
		names[id] = name
	}
	return names
}

// findGroup returns nil if there is none, or a conflict if there are several.
func findGroup(all []*v2.SecurityGroup, name string) (*v2.SecurityGroup, error) {
	found := filterGroups(all, name)
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, newAmbiguousError(object[v2.SecurityGroup]{
		kind: kindSecurityGroup, name: name,
		id: func(g *v2.SecurityGroup) string { return deref(g.ID) },
	}, found)
}
