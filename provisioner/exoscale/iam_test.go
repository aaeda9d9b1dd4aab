package exoscale_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func role() state.IAMRole {
	return state.IAMRole{
		Name: cluster + "-csi", Description: "of a test", Labels: map[string]string{"exoshift-cluster": cluster},
		Policy: state.IAMPolicy{DefaultServiceStrategy: "deny", Services: map[string]state.IAMService{
			"compute": {Type: "rules", Rules: []state.IAMRule{{Action: "allow", Expression: "operation in ['list-zones']"}}},
		}},
	}
}

func (w *world) apiKey(ctx context.Context) state.APIKey {
	w.t.Helper()
	made, _, err := w.EnsureRole(ctx, role())
	w.check(err)
	return state.APIKey{Name: cluster + "-csi", RoleID: made.ID}
}

func TestEnsureRole_CreatesAndUpdates(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := role()
		made, action, err := w.EnsureRole(ctx, wanted)
		w.wantAction(action, err, state.Created)
		w.unchanged(func() {
			again, action, err := w.EnsureRole(ctx, wanted)
			w.wantAction(action, err, state.Found)
			if again.ID != made.ID || made.ID == "" {
				w.t.Errorf("%q became %q", made.ID, again.ID)
			}
		})
		drifts := map[string]func(*state.IAMRole){
			":policy":     func(r *state.IAMRole) { r.Policy.DefaultServiceStrategy = "allow" },
			"description": func(r *state.IAMRole) { r.Description = "another" },
			"labels":      func(r *state.IAMRole) { r.Labels = map[string]string{"exoshift-role": "csi"} },
		}
		for name, drift := range drifts {
			drift(&wanted)
			_, action, err := w.EnsureRole(ctx, wanted)
			w.t.Log(name)
			w.wantAction(action, err, state.Updated)
			w.unchanged(func() {
				_, action, err := w.EnsureRole(ctx, wanted)
				w.wantAction(action, err, state.Found)
			})
		}
	})
}

func TestEnsureRole_PolicyMissingInList(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, _, err := w.EnsureRole(ctx, role())
		w.check(err)
		w.InjectFaults(site.Fault{Match: "GET /v2/iam-role", Respond: matchPattern(200, `{"iam-roles":[{"id":"`+made.ID+`","name":"`+made.Name+`"}]}`)})
		w.unchanged(func() {
			_, action, err := w.EnsureRole(ctx, role())
			w.wantAction(action, err, state.Found)
		})
	})
}

func TestEnsureAPIKey_SecretReturnedOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, action, err := w.ensureKey(ctx, w.apiKey(ctx))
		w.wantAction(action, err, state.Created)
		if made.Key == "" || made.Secret == "" {
			w.t.Fatalf("key %q, secret of %d characters", made.Key, len(made.Secret))
		}
		w.unchanged(func() {
			again, action, err := w.ensureKey(ctx, made)
			w.wantAction(action, err, state.Found)
			if again != made {
				w.t.Error("the key became another")
			}
		})
		if text := strings.Join(w.journal.entries, "\n"); strings.Contains(text, made.Secret) {
			w.t.Error("the journal holds the secret")
		}
	})
}

func TestEnsureAPIKey_UnknownSecretConflicts(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.apiKey(ctx)
		first, _, err := w.ensureKey(ctx, wanted)
		w.check(err)
		w.unchanged(func() {
			_, _, err = w.ensureKey(ctx, wanted)
			w.wantFault(err, fault.Conflict, wanted.Name, first.Key, "restore the folder", "delete the key")
			stale := first
			stale.RoleID = "another"
			_, _, err = w.ensureKey(ctx, stale)
			w.wantFault(err, fault.Conflict, "instead of another", "delete the key")
			if strings.Contains(err.Error()+fault.HintOf(err), first.Secret) {
				w.t.Error("the error tells the secret")
			}
		})
	})
}

// ensureKey returns the key that is kept, or the existing one.
func (w *world) ensureKey(ctx context.Context, key state.APIKey) (state.APIKey, state.Action, error) {
	action, err := w.EnsureAPIKey(ctx, key, func(made state.APIKey) error {
		key = made
		return nil
	})
	return key, action, err
}

func TestEnsureAPIKey_SaveFailure(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.apiKey(ctx)
		_, err := w.EnsureAPIKey(ctx, wanted, func(state.APIKey) error { return errors.New("the disk is full") })
		w.wantFault(err, fault.Internal, "create api-key", "the disk is full")
		made, action, err := w.ensureKey(ctx, wanted)
		w.wantAction(action, err, state.Created)
		w.oneKey(ctx, made)
	})
}

func (w *world) oneKey(ctx context.Context, key state.APIKey) {
	w.t.Helper()
	w.unchanged(func() {
		_, action, err := w.ensureKey(ctx, key)
		w.wantAction(action, err, state.Found)
	})
}

func TestEnsureAPIKey_ReplacesAfterLostAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.apiKey(ctx)
		w.InjectFaults(site.Fault{Match: "POST /v2/api-key", ServeFirst: true})
		made, action, err := w.ensureKey(ctx, wanted)
		w.wantAction(action, err, state.Created)
		if made.Secret == "" {
			w.t.Error("there is no secret")
		}
		w.oneKey(ctx, made)
		if len(w.journal.open) > 0 {
			w.t.Errorf("the journal misses results: %v", w.journal.open)
		}
	})
}

func TestEnsureAPIKey_ResumesKilledReplacement(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.apiKey(ctx)
		_, _, err := w.ensureKey(w.killedAt(ctx, "POST /v2/api-key", true), wanted)
		w.wantFault(err, fault.Cancelled, "create api-key")
		w.InjectFaults(site.Fault{Match: "GET /v2/operation", Respond: matchPattern(200, `{"id":"1","state":"failure","reason":"unknown","message":"no luck"}`)})
		_, _, err = w.ensureKey(ctx, wanted)
		w.wantFault(err, fault.Internal, "delete api-key", "no luck")
		made, action, err := w.ensureKey(ctx, wanted)
		w.wantAction(action, err, state.Created)
		w.oneKey(ctx, made)
	})
}

func TestEnsureAPIKey_ResumesRefusedReplacement(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := w.apiKey(ctx)
		_, _, err := w.ensureKey(w.killedAt(ctx, "POST /v2/api-key", true), wanted)
		w.wantFault(err, fault.Cancelled, "create api-key")
		w.InjectFaults(site.Fault{Match: "DELETE /v2/api-key", Respond: matchPattern(400, `{"message":"not now"}`)})
		_, _, err = w.ensureKey(ctx, wanted)
		w.wantFault(err, fault.Invalid, "delete api-key", "not now")
		made, action, err := w.ensureKey(ctx, wanted)
		w.wantAction(action, err, state.Created)
		w.oneKey(ctx, made)
	})
}
