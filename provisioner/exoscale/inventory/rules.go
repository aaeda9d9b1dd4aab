package inventory

import (
	"context"
	"errors"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// kindRule is the kind of security groups' rules in the journal.
const kindRule = "security-group-rule"

// ClearRules deletes all rules of a security group, and the rules of other groups that refer to it, so that groups which refer to
// each other can be deleted in any order. It returns state.Found for a group without rules.
func (c *Inventory) ClearRules(ctx context.Context, group state.Object) (state.Action, error) {
	op := "delete the rules of " + state.KindSecurityGroup + " " + group.Name
	rules, err := listRulePaths(ctx, c.api, op, group.ID)
	if err != nil || len(rules) == 0 {
		return state.Found, err
	}
	return state.Deleted, c.api.ApplyChange(ctx, state.Deleted, kindRule, group.Name+": all", func(ctx context.Context) (string, error) {
		return group.ID, deletion{api: c.api, op: op}.clearRules(ctx, group.ID)
	})
}

func (d deletion) clearRules(ctx context.Context, id string) error {
	rules, err := listRulePaths(ctx, d.api, d.op, id)
	if err != nil {
		return err
	}
	faults := make([]error, len(rules))
	api.ForEach(len(rules), func(i int) { faults[i] = d.remove(ctx, rules[i]) })
	return errors.Join(faults...)
}

func listRulePaths(ctx context.Context, c *api.Client, op, id string) ([]string, error) {
	groups, _ := findResourceType(state.KindSecurityGroup)
	all, err := listResources(ctx, c, groups, "")
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
