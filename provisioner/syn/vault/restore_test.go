package vault_test

import (
	"context"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestRestore_DeletedSecret(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.Restore(ctx, backup)
		w.wantFault(err, fault.NotFound, "it never existed")
		w.put(backup, map[string]string{"password": "old"})
		w.put(backup, map[string]string{"password": "x"})
		action, err := w.Restore(ctx, backup)
		w.wantAction(action, err, state.Found)
		if _, err = w.Delete(ctx, backup); err != nil {
			t.Fatal(err)
		}
		action, err = w.Restore(ctx, backup)
		w.wantAction(action, err, state.Updated)
		if got, err := w.GetSecret(ctx, backup); err != nil || got["password"] != "x" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestRestore_RefusesDestroyed(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.put(backup, map[string]string{"password": "x"})
		w.request(ctx, "PUT", "/v1/clusters/kv/destroy/"+backup, `{"versions":[1]}`)
		_, err := w.Restore(ctx, backup)
		w.wantFault(err, fault.NotFound, "was destroyed")
	})
}
