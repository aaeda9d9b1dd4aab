package contract_test

import (
	"context"

	"exoshift/state"
)

// onlyStorage is a role that may use object storage and nothing else.
func (w *world) onlyStorage() state.IAMRole {
	return state.IAMRole{
		Name: w.name("registry"), Description: "of a test", Labels: w.labels(),
		Policy: state.IAMPolicy{
			DefaultServiceStrategy: "deny",
			Services: map[string]state.IAMService{
				"sos": {Type: "rules", Rules: []state.IAMRule{{Action: "allow", Expression: "parameters.bucket == '" + w.name("registry") + "'"}}},
			},
		},
	}
}

func role(_ context.Context, w *world) subject {
	wanted := w.onlyStorage()
	roles := &things{world: w, kind: state.KindRole, name: wanted.Name}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureRole(ctx, wanted)
			return action, err
		},
		count: roles.count, remove: roles.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/iam-role", map[string]any{"name": wanted.Name, "policy": wanted.Policy})
		},
	}
}

// apiKey is about a key whose secret the caller keeps.
func apiKey(ctx context.Context, w *world) subject {
	owner, _, err := w.cloud.EnsureRole(ctx, w.onlyStorage())
	w.check(err)
	keys := &things{world: w, kind: state.KindAPIKey, name: w.name("registry")}
	key := state.APIKey{Name: keys.name, RoleID: owner.ID}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			return w.cloud.EnsureAPIKey(ctx, key, func(made state.APIKey) error {
				key = made
				return nil
			})
		},
		count: keys.count, remove: keys.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/api-key", map[string]any{"name": key.Name, "role-id": key.RoleID})
		},
	}
}
