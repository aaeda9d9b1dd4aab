package exoscale

import (
	"context"
	"errors"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/state"
)

// ClearRules deletes all rules of a security group, and the rules of other groups that refer to it, so that groups which refer to
// each other can be deleted in any order. It returns state.Found for a group without rules.
func (c *Client) ClearRules(ctx context.Context, group state.Object) (state.Action, error) {
	op := "delete the rules of " + state.KindSecurityGroup + " " + group.Name
	rules, err := c.listRulePaths(ctx, op, group.ID)
	if err != nil || len(rules) == 0 {
		return state.Found, err
	}
	return state.Deleted, c.applyChange(ctx, state.Deleted, kindRule, group.Name+": all", func(ctx context.Context) (string, error) {
		_, err := c.clearRules(ctx, op, group.ID)
		return group.ID, err
	})
}

func (c *Client) clearRules(ctx context.Context, op, id string) (int, error) {
	rules, err := c.listRulePaths(ctx, op, id)
	if err != nil {
		return 0, err
	}
	faults := make([]error, len(rules))
	d := deletion{client: c, op: op}
	forEachParallel(len(rules), func(i int) { faults[i] = d.remove(ctx, rules[i]) })
	return len(rules), errors.Join(faults...)
}

func (c *Client) listRulePaths(ctx context.Context, op, id string) ([]string, error) {
	groups, _ := findResourceType(state.KindSecurityGroup)
	all, err := c.listResources(ctx, groups, "")
	if err != nil {
		return nil, fault.New(fault.KindOf(err), op, err)
	}
	var paths []string
	for _, group := range all {
		for _, rule := range group.Rules {
			if group.ID == id || rule.Group.ID == id {
				paths = append(paths, groups.joinPath(group.ID)+"/rules/"+url.PathEscape(rule.ID))
			}
		}
	}
	return paths, nil
}
