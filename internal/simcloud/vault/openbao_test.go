package vault_test

import (
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/vault"
)

func TestVault_RefusesAPathThatEndsInASlash(t *testing.T) {
	v, address := start(t, vault.Config{})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/clusters/kv/data/t-a/c-b/", strings.NewReader(`{"data": {"a": "b"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Vault-Token", issued(t, v, vault.Engineer)) // Vault's client removes the slash
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("got %s", answer.Status)
	}
}

func TestVault_AnswersALimitedTokenAlikeWhereNothingIsMounted(t *testing.T) {
	v, address := start(t, vault.Config{})
	_, err := client(t, address, issued(t, v, vault.Engineer)).Logical().ReadWithContext(t.Context(), "other/kv/data/a")
	refused(t, err, http.StatusForbidden, "permission denied")
	_, err = client(t, address, "no-token").Logical().ReadWithContext(t.Context(), "clusters/kv/data/a")
	refused(t, err, http.StatusForbidden, "permission denied")
}

func TestVault_ReportsItsSealWithoutAToken(t *testing.T) {
	v, address := start(t, vault.Config{})
	for _, sealed := range []bool{false, true} {
		v.Seal(sealed)
		status, err := client(t, address, "").Sys().SealStatusWithContext(t.Context())
		if err != nil || status.Sealed != sealed {
			t.Errorf("got %+v, %v", status, err)
		}
	}
}

func TestVault_LosesDigitsOfNumbersBeyond53Bits(t *testing.T) {
	_, kv := engineer(t)
	if _, err := kv.Put(t.Context(), path, map[string]any{"number": uint64(1<<53 + 1)}); err != nil {
		t.Fatal(err)
	}
	got, err := kv.Get(t.Context(), path)
	if err != nil || got.Data["number"] == nil {
		t.Fatalf("got %+v, %v", got, err)
	}
	if number := got.Data["number"].(interface{ String() string }).String(); number != "9007199254740992" {
		t.Errorf("got %s", number)
	}
}

func TestVault_ForbidsATokenWithoutThePolicyDefaultToLookItselfUp(t *testing.T) {
	v, address := start(t, vault.Config{})
	put(t, v, path, map[string]string{"a": "b"})
	token, err := v.CreateBareToken(vault.Engineer)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, address, token)
	_, err = c.Auth().Token().LookupSelfWithContext(t.Context())
	refused(t, err, http.StatusForbidden, "permission denied")
	if got, err := c.KVv2(vault.DefaultMount).Get(t.Context(), path); err != nil || got.Data["a"] != "b" {
		t.Errorf("got %+v, %v", got, err)
	}
}
