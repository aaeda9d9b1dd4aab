package exoscale

import (
	"context"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// EnsureSecurityGroup makes the group and adds the rules that are missing. Rules that somebody else added stay.
func (c *Client) EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (string, state.Action, error) {
	all, err := c.securityGroups(ctx)
	if err != nil {
		return "", "", err
	}
	found, action, err := ensure(ctx, c, object[v2.SecurityGroup]{
		kind: kindSecurityGroup, name: group.Name,
		find: func(context.Context) ([]*v2.SecurityGroup, error) { return groupsNamed(all, group.Name), nil },
		create: func(ctx context.Context) (*v2.SecurityGroup, error) {
			wanted := &v2.SecurityGroup{Name: &group.Name, Description: optional(group.Description)}
			return c.api.CreateSecurityGroup(ctx, c.zone, wanted)
		},
		id: func(g *v2.SecurityGroup) string { return value(g.ID) },
	})
	if err != nil {
		return "", action, err
	}
	id := value(found.ID)
	if c.imagined(id) {
		return id, action, nil
	}
	added, err := c.addRules(ctx, id, group, idsByName(append(all, found)))
	if added > 0 {
		action = updated(action)
	}
	return id, action, err
}

// addRules adds the missing rules one by one, and only one caller at a time adds to a group: egoscale recognises a
// new rule by comparing the group before and after.
func (c *Client) addRules(ctx context.Context, id string, group state.SecurityGroup, ids map[string]string) (added int, err error) {
	giveBack, err := c.groups.take(ctx, id)
	if err != nil {
		return 0, fault.New(fault.KindOf(ctx.Err()), "update security-group "+group.Name, err)
	}
	defer giveBack()
	live, err := c.securityGroup(ctx, id)
	if err != nil {
		return 0, err
	}
	rules, err := missing(group.Rules, live, ids)
	if err != nil {
		return 0, err
	}
	if err := c.adoptRules(group, live, rules); err != nil {
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

// adoptRules is for the rules that an earlier run added without living to note it down.
func (c *Client) adoptRules(group state.SecurityGroup, live *v2.SecurityGroup, missing []state.Rule) error {
	for _, rule := range group.Rules {
		if slices.Contains(missing, rule) {
			continue
		}
		if _, err := c.adopt(kindRule, ruleName(live, rule), value(live.ID)); err != nil {
			return err
		}
	}
	return nil
}

func ruleName(group *v2.SecurityGroup, rule state.Rule) string {
	return value(group.Name) + ": " + describe(rule)
}

func (c *Client) addRule(ctx context.Context, group *v2.SecurityGroup, rule state.Rule, ids map[string]string) error {
	return c.change(ctx, state.Created, kindRule, ruleName(group, rule), func(ctx context.Context) (string, error) {
		made, err := c.api.CreateSecurityGroupRule(ctx, c.zone, group, wireRule(rule, ids))
		if err != nil {
			return "", err
		}
		return value(made.ID), nil
	})
}

// MissingRules returns the rules of group that the zone does not have now: all of them if there is no such group.
func (c *Client) MissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error) {
	all, err := c.securityGroups(ctx)
	if err != nil {
		return nil, err
	}
	found, err := onlyGroup(all, group.Name)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return group.Rules, nil
	}
	live, err := c.securityGroup(ctx, value(found.ID))
	if err != nil {
		return nil, err
	}
	return missing(group.Rules, live, idsByName(all))
}

func (c *Client) securityGroups(ctx context.Context) ([]*v2.SecurityGroup, error) {
	return call(ctx, c, "list security groups", func(ctx context.Context) ([]*v2.SecurityGroup, error) {
		return c.api.ListSecurityGroups(ctx, c.zone)
	})
}

func (c *Client) securityGroup(ctx context.Context, id string) (*v2.SecurityGroup, error) {
	return call(ctx, c, "read security-group "+id, func(ctx context.Context) (*v2.SecurityGroup, error) {
		return c.api.GetSecurityGroup(ctx, c.zone, id)
	})
}

func groupsNamed(groups []*v2.SecurityGroup, name string) []*v2.SecurityGroup {
	return choose(groups, func(group *v2.SecurityGroup) bool { return value(group.Name) == name })
}

func idsByName(groups []*v2.SecurityGroup) map[string]string {
	ids := make(map[string]string, len(groups))
	for _, group := range groups {
		ids[value(group.Name)] = value(group.ID)
	}
	return ids
}
