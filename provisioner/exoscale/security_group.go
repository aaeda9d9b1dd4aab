package exoscale

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// SecurityGroups are security groups with their rules.
type SecurityGroups struct {
	api   *api.Client
	locks keyedMutex // by the ID of the group
}

// EnsureSecurityGroup creates the group and adds the missing rules. Rules added by others stay.
func (c *SecurityGroups) EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (string, state.Action, error) {
	var all []*v2.SecurityGroup
	found, action, err := api.Ensure(ctx, c.api, api.Object[v2.SecurityGroup]{
		Kind: kindSecurityGroup, Name: group.Name,
		Find: func(ctx context.Context) (_ []*v2.SecurityGroup, err error) {
			all, err = c.listSecurityGroups(ctx)
			return filterGroups(all, group.Name), err
		},
		Create: func(ctx context.Context) (*v2.SecurityGroup, error) {
			id, err := c.api.ExecuteChange(ctx, "create security-group "+group.Name, http.MethodPost, groupPath, newNamedRequest(group.Name, group.Description))
			return &v2.SecurityGroup{ID: &id, Name: &group.Name}, err
		},
		ID: func(g *v2.SecurityGroup) string { return deref(g.ID) },
	})
	if err != nil {
		return "", action, err
	}
	id := deref(found.ID)
	if c.api.IsPreviewID(id) {
		return id, action, nil
	}
	added, ids := 0, mapNamesToIDs(append(all, found))
	err = api.Repeat(ctx, c.api, "update "+kindSecurityGroup+" "+group.Name, func(ctx context.Context) error {
		n, err := c.addRules(ctx, id, group, ids)
		added += n
		return err
	})
	if added > 0 {
		action = mergeUpdated(action)
	}
	return id, action, err
}

// addRules adds the missing rules side by side. The lock per group keeps two callers from adding the same rule.
func (c *SecurityGroups) addRules(ctx context.Context, id string, group state.SecurityGroup, ids map[string]string) (added int, err error) {
	unlock, err := c.locks.lock(ctx, id)
	if err != nil {
		return 0, fault.New(fault.KindOf(ctx.Err()), "update security-group "+group.Name, err)
	}
	defer unlock()
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
		if rule.Group != "" && ids[rule.Group] == "" && !c.api.IsPreview() {
			return 0, fault.Newf(fault.NotFound, "add a rule to security-group "+group.Name,
				"the rule refers to group %s, which does not exist", rule.Group).WithHint("create that group first")
		}
	}
	faults := make([]error, len(rules))
	var running sync.WaitGroup
	for i, rule := range rules { // the client requests only a few at once; most of the time is waiting
		running.Go(func() { faults[i] = c.addRule(ctx, live, rule, ids) })
	}
	running.Wait()
	for _, err := range faults {
		if err == nil {
			added++
		}
	}
	return added, errors.Join(faults...)
}

// recordAdoptedRules records the rules that an earlier run added and was killed before it recorded them.
func (c *SecurityGroups) recordAdoptedRules(group state.SecurityGroup, live *v2.SecurityGroup, missing []state.Rule) error {
	for _, rule := range group.Rules {
		if slices.Contains(missing, rule) {
			continue
		}
		if _, err := c.api.RecordAdoption(kindRule, formatRuleName(live, rule), deref(live.ID)); err != nil {
			return err
		}
	}
	return nil
}

func formatRuleName(group *v2.SecurityGroup, rule state.Rule) string {
	return deref(group.Name) + ": " + describeRule(rule)
}

const groupPath = "/security-group"

// addRule records the ID of the group, to which the operation refers; that of the rule is nowhere needed.
func (c *SecurityGroups) addRule(ctx context.Context, group *v2.SecurityGroup, rule state.Rule, ids map[string]string) error {
	return c.api.ApplyChange(ctx, state.Created, kindRule, formatRuleName(group, rule), func(ctx context.Context) (string, error) {
		op := "add a rule to security-group " + deref(group.Name)
		return c.api.ExecuteChange(ctx, op, http.MethodPost, groupPath+"/"+deref(group.ID)+"/rules", newRuleRequest(rule, ids))
	})
}

// ListMissingRules returns the rules of group that the zone does not have now: all of them if there is no such group.
func (c *SecurityGroups) ListMissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error) {
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

func (c *SecurityGroups) listSecurityGroups(ctx context.Context) ([]*v2.SecurityGroup, error) {
	return api.Call(ctx, c.api, "list security groups", func(ctx context.Context) ([]*v2.SecurityGroup, error) {
		return c.api.V2.ListSecurityGroups(ctx, c.api.Zone)
	})
}

func (c *SecurityGroups) getSecurityGroup(ctx context.Context, id string) (*v2.SecurityGroup, error) {
	return api.Call(ctx, c.api, "read security-group "+id, func(ctx context.Context) (*v2.SecurityGroup, error) {
		return c.api.V2.GetSecurityGroup(ctx, c.api.Zone, id)
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

// DeleteRules deletes the rules of the security group of that name for which useless returns true. A group that does not exist
// has none; several groups of that name are a fault.Conflict that lists all.
func (c *SecurityGroups) DeleteRules(ctx context.Context, group string, useless func(state.Rule) bool) (state.Action, error) {
	all, err := c.listSecurityGroups(ctx)
	if err != nil {
		return "", err
	}
	found, err := findGroup(all, group)
	if err != nil || found == nil {
		return state.Found, err
	}
	unlock, err := c.locks.lock(ctx, deref(found.ID))
	if err != nil {
		return "", fault.New(fault.KindOf(ctx.Err()), "update security-group "+group, err)
	}
	defer unlock()
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
func (c *SecurityGroups) deleteRules(ctx context.Context, group *v2.SecurityGroup, ids map[string]string, useless func(state.Rule) bool) (state.Action, error) {
	names := mapIDsToNames(ids)
	doomed := filterMatching(group.Rules, func(live *v2.SecurityGroupRule) bool {
		return deref(live.FlowDirection) == ingress && useless(fromV2Rule(live, names))
	})
	if len(doomed) == 0 {
		return state.Found, nil
	}
	faults := make([]error, len(doomed))
	api.ForEach(len(doomed), func(n int) { faults[n] = c.deleteRule(ctx, group, doomed[n], fromV2Rule(doomed[n], names)) })
	return state.Deleted, errors.Join(faults...)
}

func (c *SecurityGroups) deleteRule(ctx context.Context, group *v2.SecurityGroup, live *v2.SecurityGroupRule, rule state.Rule) error {
	return c.api.ApplyChange(ctx, state.Deleted, kindRule, formatRuleName(group, rule), func(ctx context.Context) (string, error) {
		err := c.api.V2.DeleteSecurityGroupRule(ctx, c.api.Zone, group, live)
		return deref(live.ID), c.api.IgnoreNotFound(ctx, err)
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
	return nil, api.NewAmbiguousError(api.Object[v2.SecurityGroup]{
		Kind: kindSecurityGroup, Name: name,
		ID: func(g *v2.SecurityGroup) string { return deref(g.ID) },
	}, found)
}

// keyedMutex is a mutex per object ID. Unlike a sync.Mutex, it stops waiting when the context ends.
type keyedMutex struct{ objects sync.Map } // id -> chan struct{} of capacity 1

func (t *keyedMutex) lock(ctx context.Context, id string) (func(), error) {
	entry, _ := t.objects.LoadOrStore(id, make(chan struct{}, 1))
	slot, _ := entry.(chan struct{})
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
