package exoscale

import (
	"context"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureSecurityGroup creates the group and adds the missing rules. Rules added by others stay.
func (c *Client) EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (string, state.Action, error) {
	all, err := c.listSecurityGroups(ctx)
	if err != nil {
		return "", "", err
	}
	found, action, err := ensure(ctx, c, object[v2.SecurityGroup]{
		kind: kindSecurityGroup, name: group.Name,
		find: func(context.Context) ([]*v2.SecurityGroup, error) { return filterGroups(all, group.Name), nil },
		create: func(ctx context.Context) (*v2.SecurityGroup, error) {
			wanted := &v2.SecurityGroup{Name: &group.Name, Description: omitEmpty(group.Description)}
			return c.api.CreateSecurityGroup(ctx, c.zone, wanted)
		},
		id: func(g *v2.SecurityGroup) string { return deref(g.ID) },
	})
	if err != nil {
		return "", action, err
	}
	id := deref(found.ID)
	if c.isPreviewID(id) {
		return id, action, nil
	}
	added, err := c.addRules(ctx, id, group, mapNamesToIDs(append(all, found)))
	if added > 0 {
		action = mergeUpdated(action)
	}
	return id, action, err
}

// addRules adds the rules one by one, with a lock per group: egoscale identifies a new rule by comparing the group before and
// after.
func (c *Client) addRules(ctx context.Context, id string, group state.SecurityGroup, ids map[string]string) (added int, err error) {
	giveBack, err := c.groups.take(ctx, id)
	if err != nil {
		return 0, fault.New(fault.KindOf(ctx.Err()), "update security-group "+group.Name, err)
	}
	defer giveBack()
	live, err := c.getSecurityGroup(ctx, id)
	if err != nil {
		return 0, err
	}
	rules, err := findMissingRules(group.Rules, live, ids)
	if err != nil {
		return 0, err
	}
	if err := c.recordAdoptedRules(group, live, rules); err != nil {
		return 0, err
	}
	for _, rule := range rules {
		if rule.Group != "" && ids[rule.Group] == "" && !c.preview {
			return added, fault.Newf(fault.NotFound, "add a rule to security-group "+group.Name,
				"the rule refers to group %s, which does not exist", rule.Group).WithHint("create that group first")
		}
		if err := c.addRule(ctx, live, rule, ids); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// recordAdoptedRules records the rules that an earlier run added and was killed before it recorded them.
func (c *Client) recordAdoptedRules(group state.SecurityGroup, live *v2.SecurityGroup, missing []state.Rule) error {
	for _, rule := range group.Rules {
		if slices.Contains(missing, rule) {
			continue
		}
		if _, err := c.recordAdoption(kindRule, formatRuleName(live, rule), deref(live.ID)); err != nil {
			return err
		}
	}
	return nil
}

func formatRuleName(group *v2.SecurityGroup, rule state.Rule) string {
	return deref(group.Name) + ": " + describeRule(rule)
}

func (c *Client) addRule(ctx context.Context, group *v2.SecurityGroup, rule state.Rule, ids map[string]string) error {
	return c.applyChange(ctx, state.Created, kindRule, formatRuleName(group, rule), func(ctx context.Context) (string, error) {
		made, err := c.api.CreateSecurityGroupRule(ctx, c.zone, group, toV2Rule(rule, ids))
		if err != nil {
			return "", err
		}
		return deref(made.ID), nil
	})
}

// ListMissingRules returns the rules of group that the zone does not have now: all of them if there is no such group.
func (c *Client) ListMissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error) {
	all, err := c.listSecurityGroups(ctx)
	if err != nil {
		return nil, err
	}
	found, err := findGroup(all, group.Name)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return group.Rules, nil
	}
	live, err := c.getSecurityGroup(ctx, deref(found.ID))
	if err != nil {
		return nil, err
	}
	return findMissingRules(group.Rules, live, mapNamesToIDs(all))
}

func (c *Client) listSecurityGroups(ctx context.Context) ([]*v2.SecurityGroup, error) {
	return call(ctx, c, "list security groups", func(ctx context.Context) ([]*v2.SecurityGroup, error) {
		return c.api.ListSecurityGroups(ctx, c.zone)
	})
}

func (c *Client) getSecurityGroup(ctx context.Context, id string) (*v2.SecurityGroup, error) {
	return call(ctx, c, "read security-group "+id, func(ctx context.Context) (*v2.SecurityGroup, error) {
		return c.api.GetSecurityGroup(ctx, c.zone, id)
	})
}

func filterGroups(groups []*v2.SecurityGroup, name string) []*v2.SecurityGroup {
	return filterMatching(groups, func(group *v2.SecurityGroup) bool { return deref(group.Name) == name })
}

func mapNamesToIDs(groups []*v2.SecurityGroup) map[string]string {
	ids := make(map[string]string, len(groups))
	for _, group := range groups {
		ids[deref(group.Name)] = deref(group.ID)
	}
	return ids
}
