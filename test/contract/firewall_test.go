package contract_test

import (
	"context"
	"net/http"

	"exoshift/state"
)

func securityGroup(_ context.Context, w *world) subject {
	groups := &things{world: w, kind: state.KindSecurityGroup, name: w.name("nodes")}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureSecurityGroup(ctx, state.SecurityGroup{Name: groups.name, Rules: w.rules(groups.name)})
			return action, err
		},
		count: groups.count, remove: groups.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/security-group", map[string]any{"name": groups.name})
		},
	}
}

// rules are two, of which one refers to its own group.
func (w *world) rules(group string) []state.Rule {
	return []state.Rule{
		{Protocol: "tcp", From: 22, To: 22, CIDR: "192.0.2.0/24", Description: "SSH"},
		{Protocol: "udp", From: 4789, To: 4789, Group: group, Description: "VXLAN"},
	}
}

// securityGroupRule is about one rule of a group that stays. Two that are the same do no harm.
func securityGroupRule(ctx context.Context, w *world) subject {
	group := state.SecurityGroup{Name: w.name("nodes")}
	id, _, err := w.cloud.EnsureSecurityGroup(ctx, group)
	w.check(err)
	group.Rules = w.rules(group.Name)[:1]
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureSecurityGroup(ctx, group)
			if action == state.Updated { // of the group
				action = state.Created
			}
			return action, err
		},
		count: func(ctx context.Context) int {
			var live struct{ Rules []any }
			w.check(w.send(ctx, http.MethodGet, "/security-group/"+id, nil, &live))
			return len(live.Rules)
		},
		remove: func(ctx context.Context) (state.Action, error) {
			return w.cloud.ClearRules(ctx, state.Object{Kind: state.KindSecurityGroup, Name: group.Name, ID: id})
		},
		double: func(ctx context.Context) error {
			return w.post(ctx, "/security-group/"+id+"/rules", map[string]any{
				"flow-direction": "ingress", "protocol": "tcp", "start-port": 22, "end-port": 22, "network": "192.0.2.0/24",
			})
		},
		several: state.Found,
	}
}

// temporaryRule is about one rule that goes beside another that stays.
func temporaryRule(ctx context.Context, w *world) subject {
	one := securityGroupRule(ctx, w)
	group := state.SecurityGroup{Name: w.name("nodes")}
	_, _, err := w.cloud.EnsureSecurityGroup(ctx, state.SecurityGroup{Name: group.Name, Rules: w.rules(group.Name)[1:]})
	w.check(err)
	all := one.count
	one.count = func(ctx context.Context) int { return all(ctx) - 1 }
	one.remove = func(ctx context.Context) (state.Action, error) {
		return w.cloud.DeleteRules(ctx, group.Name, func(rule state.Rule) bool { return rule.Description == "SSH" })
	}
	double := one.double
	one.double = func(ctx context.Context) error {
		if err := double(ctx); err != nil {
			return err
		}
		_, err := w.cloud.DeleteRules(ctx, group.Name, func(rule state.Rule) bool { return rule.Description == "" })
		return err
	}
	return one
}
