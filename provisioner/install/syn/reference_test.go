package syn

import (
	"context"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

type empty struct{ Vault }

func (empty) SignIn(context.Context, Show) error { return nil }

func (empty) GetSecret(_ context.Context, path string) (map[string]string, error) {
	if path == "t-1/c-1/registry" {
		return map[string]string{}, nil
	}
	return nil, fault.Newf(fault.NotFound, "read the secret "+path, "there is none")
}

func TestResolver_NamesMissingSecret(t *testing.T) {
	t.Parallel()
	resolve := connectedTo(t, &Clients{Vault: empty{}}, Deps{}).Catalog.NewResolver(t.Context(), unheard)
	for path, says := range map[string]string{"t-1/c-1/registry": "no such key", "t-1/c-1/other": "there is none"} {
		_, err := resolve(state.VaultSecret{Path: path, Key: "httpSecret"})
		if !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), says) || !strings.Contains(fault.HintOf(err), "below clusters/kv") {
			t.Errorf("%v, hint %q", err, fault.HintOf(err))
		}
	}
}
