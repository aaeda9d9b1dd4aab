package exoscale

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// IAM is the roles and API keys of the organization.
type IAM struct {
	api *api.Client
}

type role struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Labels      map[string]string `json:"labels"`
	Policy      state.IAMPolicy   `json:"policy"`
}

const rolePath = "/iam-role"

// EnsureRole creates a role, which belongs to the organization and to no zone, or updates its description, labels and policy.
// Labels added by others stay.
func (c *IAM) EnsureRole(ctx context.Context, wanted state.IAMRole) (state.IAMRole, state.Action, error) {
	found, action, err := api.Ensure(ctx, c.api, api.Object[role]{
		Kind: state.KindRole, Name: wanted.Name,
		Find:   func(ctx context.Context) ([]*role, error) { return c.listRoles(ctx, wanted.Name) },
		Create: func(ctx context.Context) (*role, error) { return c.createRole(ctx, wanted) },
		ID:     func(r *role) string { return r.ID },
	})
	wanted.ID = found.ID
	if err != nil || action == state.Created {
		return wanted, action, err
	}
	changed, err := c.syncRole(ctx, wanted, found)
	if changed {
		action = mergeUpdated(action)
	}
	return wanted, action, err
}

func (c *IAM) listRoles(ctx context.Context, name string) ([]*role, error) {
	var list struct {
		Roles []*role `json:"iam-roles"`
	}
	err := c.api.Get(ctx, "list IAM roles", rolePath, &list)
	return filterMatching(list.Roles, func(r *role) bool { return r.Name == name }), err
}

func (c *IAM) createRole(ctx context.Context, wanted state.IAMRole) (*role, error) {
	made := &role{Name: wanted.Name, Description: wanted.Description, Labels: wanted.Labels, Policy: fillPolicy(wanted.Policy)}
	body := map[string]any{"name": made.Name, "policy": made.Policy}
	if made.Description != "" {
		body["description"] = made.Description
	}
	if len(made.Labels) > 0 {
		body["labels"] = made.Labels
	}
	id, err := c.api.ExecuteChange(ctx, "create iam-role "+wanted.Name, http.MethodPost, rolePath, body)
	made.ID = id
	return made, err
}

// syncRole gets the role by its ID, because lists may omit the policy.
func (c *IAM) syncRole(ctx context.Context, wanted state.IAMRole, found *role) (changed bool, err error) {
	var live role
	if err := c.api.Get(ctx, "read iam-role "+wanted.Name, rolePath+"/"+found.ID, &live); err != nil {
		return false, err
	}
	labels := maps.Clone(live.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, wanted.Labels)
	if live.Description != wanted.Description || !maps.Equal(labels, live.Labels) {
		changed = true
		body := map[string]any{"description": wanted.Description, "labels": labels}
		if err := c.updateRole(ctx, live, "", body); err != nil {
			return changed, err
		}
	}
	if equalPolicies(live.Policy, wanted.Policy) {
		return changed, nil
	}
	return true, c.updateRole(ctx, live, ":policy", fillPolicy(wanted.Policy))
}

func (c *IAM) updateRole(ctx context.Context, live role, command string, body any) error {
	op := "update iam-role " + live.Name
	return api.Repeat(ctx, c.api, op, func(ctx context.Context) error { // the same twice makes no difference
		return c.api.ApplyChange(ctx, state.Updated, state.KindRole, live.Name, func(ctx context.Context) (string, error) {
			return live.ID, c.api.Put(ctx, op, rolePath+"/"+live.ID+command, body)
		})
	})
}

// fillPolicy adds the services, which the API requires even if there are none.
func fillPolicy(policy state.IAMPolicy) state.IAMPolicy {
	if policy.Services == nil {
		policy.Services = map[string]state.IAMService{}
	}
	return policy
}

// equalPolicies compares the JSON encodings.
func equalPolicies(a, b state.IAMPolicy) bool {
	one, errOne := json.Marshal(fillPolicy(a))
	other, errOther := json.Marshal(fillPolicy(b))
	return errOne == nil && errOther == nil && string(one) == string(other)
}
