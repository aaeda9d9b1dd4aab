package vault_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/vault/api"

	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vault"
)

const path = "t-quiet-harbour-4711/c-demo/registry"

// start serves a Vault over HTTP.
func start(t *testing.T, config vault.Config) (*vault.Vault, string) {
	t.Helper()
	if config.DB == nil {
		config.DB = store.NewMemory()
	}
	v, err := vault.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(v.NewHandler())
	t.Cleanup(server.Close)
	return v, server.URL
}

func client(t *testing.T, address, token string) *api.Client {
	t.Helper()
	config := api.DefaultConfig()
	config.Address, config.MaxRetries = address, 0
	c, err := api.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	c.SetToken(token)
	return c
}

// engineer returns a Vault and a client of its store with all permissions.
func engineer(t *testing.T) (*vault.Vault, *api.KVv2) {
	t.Helper()
	v, address := start(t, vault.Config{})
	return v, client(t, address, issued(t, v, vault.Engineer)).KVv2(vault.DefaultMount)
}

func issued(t *testing.T, v *vault.Vault, policies ...string) string {
	t.Helper()
	token, err := v.CreateToken(policies...)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func put(t *testing.T, v *vault.Vault, path string, values map[string]string) {
	t.Helper()
	if err := v.Put(path, values); err != nil {
		t.Fatal(err)
	}
}

// refused checks that err is a response with a status and these words.
func refused(t *testing.T, err error, status int, words ...string) {
	t.Helper()
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		t.Fatalf("want an answer with status %d, got %v", status, err)
	}
	if answer.StatusCode != status || !slices.Equal(answer.Errors, words) {
		t.Errorf("got %d %q, want %d %q", answer.StatusCode, answer.Errors, status, words)
	}
}

const mismatch = "check-and-set parameter did not match the current version"

func TestSecret_CheckAndSetCreatesOnce(t *testing.T) {
	v, kv := engineer(t)
	created, err := kv.Put(t.Context(), path, map[string]any{"httpSecret": "one"}, api.WithCheckAndSet(0))
	if err != nil || created.VersionMetadata.Version != 1 {
		t.Fatalf("version %+v, %v", created, err)
	}
	_, err = kv.Put(t.Context(), path, map[string]any{"httpSecret": "two"}, api.WithCheckAndSet(0))
	refused(t, err, 400, mismatch)
	_, err = kv.Put(t.Context(), path, map[string]any{"httpSecret": "two"}, api.WithCheckAndSet(2))
	refused(t, err, 400, mismatch)
	if _, err = kv.Put(t.Context(), path, map[string]any{"httpSecret": "two"}, api.WithCheckAndSet(1)); err != nil {
		t.Fatal(err)
	}
	if got, _ := v.ReadSecret(path); got["httpSecret"] != "two" {
		t.Errorf("got %q", got)
	}
	old, err := kv.GetVersion(t.Context(), path, 1)
	if err != nil || old.Data["httpSecret"] != "one" {
		t.Errorf("version 1 is %v, %v", old, err)
	}
}

func TestSecret_DeletedCountsAndRestores(t *testing.T) {
	v, kv := engineer(t)
	put(t, v, path, map[string]string{"password": "old"})
	if err := kv.Delete(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	gone, err := kv.Get(t.Context(), path)
	if err != nil || gone.Data != nil || gone.VersionMetadata.DeletionTime.IsZero() || gone.VersionMetadata.Version != 1 {
		t.Fatalf("a deleted secret is told with the time of its deletion: %+v, %v", gone, err)
	}
	_, err = kv.Put(t.Context(), path, map[string]any{"password": "new"}, api.WithCheckAndSet(0))
	refused(t, err, 400, mismatch)
	if len(v.ListPaths()) != 2 { // the seeded ones
		t.Errorf("there are %q", v.ListPaths())
	}
	if err := kv.Undelete(t.Context(), path, []int{1}); err != nil {
		t.Fatal(err)
	}
	if got, _ := v.ReadSecret(path); got["password"] != "old" {
		t.Errorf("got %q", got)
	}
}

func TestSecret_DestroyedIsFinal(t *testing.T) {
	v, kv := engineer(t)
	put(t, v, path, map[string]string{"password": "old"})
	if err := kv.Destroy(t.Context(), path, []int{1}); err != nil {
		t.Fatal(err)
	}
	if err := kv.Undelete(t.Context(), path, []int{1}); err != nil {
		t.Fatal(err)
	}
	got, err := kv.Get(t.Context(), path)
	if err != nil || got.Data != nil || !got.VersionMetadata.Destroyed {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSecret_DeleteVersions(t *testing.T) {
	v, kv := engineer(t)
	put(t, v, path, map[string]string{"password": "one"})
	put(t, v, path, map[string]string{"password": "two"})
	if err := kv.DeleteVersions(t.Context(), path, []int{1}); err != nil {
		t.Fatal(err)
	}
	if got, _ := v.ReadSecret(path); got["password"] != "two" {
		t.Errorf("got %q", got)
	}
	list, err := kv.GetVersionsAsList(t.Context(), path)
	if err != nil || len(list) != 2 || list[0].DeletionTime.IsZero() || !list[1].DeletionTime.IsZero() {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestSecret_PatchMerges(t *testing.T) {
	v, kv := engineer(t)
	_, err := kv.Patch(t.Context(), path, map[string]any{"a": "1"})
	if !errors.Is(err, api.ErrSecretNotFound) {
		t.Errorf("what is not there cannot be patched: %v", err)
	}
	put(t, v, path, map[string]string{"a": "1", "b": "2"})
	if _, err := kv.Patch(t.Context(), path, map[string]any{"a": nil, "c": "3"}, api.WithCheckAndSet(1)); err != nil {
		t.Fatal(err)
	}
	got, err := kv.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"b": "2", "c": "3"}, got.Data); diff != "" {
		t.Error(diff)
	}
	_, err = kv.Patch(t.Context(), path, map[string]any{"a": "4"}, api.WithCheckAndSet(1))
	refused(t, err, 400, mismatch)
}

func TestMetadata_LimitsVersions(t *testing.T) {
	v, kv := engineer(t)
	limits := api.KVMetadataPutInput{MaxVersions: 2, CASRequired: true, CustomMetadata: map[string]any{"owner": "syn"}}
	if err := kv.PutMetadata(t.Context(), path, limits); err != nil {
		t.Fatal(err)
	}
	_, err := kv.Put(t.Context(), path, map[string]any{"a": "1"})
	refused(t, err, 400, "check-and-set parameter required for this call")
	for range 3 {
		put(t, v, path, map[string]string{"a": "1"})
	}
	got, err := kv.GetMetadata(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got.CurrentVersion != 3 || got.OldestVersion != 2 || len(got.Versions) != 2 || got.MaxVersions != 2 || !got.CASRequired {
		t.Errorf("got %+v", got)
	}
	required := false
	if err := kv.PatchMetadata(t.Context(), path, api.KVMetadataPatchInput{CASRequired: &required}); err != nil {
		t.Fatal(err)
	}
	if got, _ = kv.GetMetadata(t.Context(), path); got.CASRequired || got.CustomMetadata["owner"] != "syn" {
		t.Errorf("got %+v", got)
	}
	if err := kv.DeleteMetadata(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err = kv.Get(t.Context(), path); !errors.Is(err, api.ErrSecretNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestList_FoldersWithSlash(t *testing.T) {
	v, address := start(t, vault.Config{})
	put(t, v, "t-a/c-b/registry", map[string]string{"a": "1"})
	put(t, v, "t-a/c-b/exoscale/ssh", map[string]string{"a": "1"})
	c := client(t, address, issued(t, v, vault.Engineer))
	got, err := c.Logical().ListWithContext(t.Context(), "clusters/kv/metadata/t-a/c-b")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"exoscale/", "registry"}, got.Data["keys"]); diff != "" {
		t.Error(diff)
	}
	if got, err := c.Logical().ListWithContext(t.Context(), "clusters/kv/metadata/t-nobody"); got != nil || err != nil {
		t.Errorf("an empty folder is not there: %v, %v", got, err)
	}
}

func TestPolicy_ClusterPaths(t *testing.T) {
	account := func(jwt string) (string, string, bool) { return "t-a", "c-b", jwt == "its-token" }
	v, address := start(t, vault.Config{ServiceAccount: account})
	put(t, v, "t-a/c-b/registry", map[string]string{"a": "1"})
	put(t, v, "t-a/c-other/registry", map[string]string{"a": "1"})
	c := client(t, address, "")
	c.SetToken(clusterToken(t, c, "t-a", "its-token"))
	kv := c.KVv2(vault.DefaultMount)
	for _, own := range []string{"t-a/c-b/registry", "__shared__/__shared__/opsgenie/aldebaran"} {
		if _, err := kv.Get(t.Context(), own); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
	_, err := kv.Get(t.Context(), "t-a/c-other/registry")
	refused(t, err, 403, "permission denied")
	_, err = kv.Put(t.Context(), "t-a/c-b/registry", map[string]any{"a": "2"})
	refused(t, err, 403, "permission denied")
}

func clusterToken(t *testing.T, c *api.Client, role, jwt string) string {
	t.Helper()
	got, err := c.Logical().WriteWithContext(t.Context(), "auth/lieutenant/login", map[string]any{"role": role, "jwt": jwt})
	if err != nil {
		t.Fatal(err)
	}
	return got.Auth.ClientToken
}

func TestLogin_OwnClusterAndTenant(t *testing.T) {
	account := func(jwt string) (string, string, bool) { return "t-a", "c-b", jwt == "its-token" }
	_, address := start(t, vault.Config{ServiceAccount: account})
	c := client(t, address, "")
	for _, wrong := range []struct {
		role, jwt string
		status    int
		words     string
	}{
		{"t-a", "forged", 403, "permission denied"},
		{"t-other", "its-token", 403, "service account name not authorized"},
		{"admin", "its-token", 400, `invalid role name "admin"`},
		{"t-a", "", 400, "missing jwt"},
	} {
		_, err := c.Logical().WriteWithContext(t.Context(), "auth/lieutenant/login", map[string]any{"role": wrong.role, "jwt": wrong.jwt})
		refused(t, err, wrong.status, wrong.words)
	}
}

func TestToken_ExpiryRenewalRevocation(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v, address := start(t, vault.Config{Now: func() time.Time { return now }})
	c := client(t, address, issued(t, v, vault.Engineer))
	got, err := c.Auth().Token().LookupSelfWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if ttl, _ := got.TokenTTL(); ttl != 768*time.Hour {
		t.Errorf("it lives for %s", ttl)
	}
	if _, err := c.Auth().Token().RenewSelfWithContext(t.Context(), 0); err != nil {
		t.Error(err)
	}
	now = now.Add(768 * time.Hour)
	_, err = c.Auth().Token().LookupSelfWithContext(t.Context())
	refused(t, err, 403, "permission denied")
	c.SetToken(issued(t, v, vault.Engineer))
	if err := c.Auth().Token().RevokeSelfWithContext(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Auth().Token().LookupSelfWithContext(t.Context()); err == nil {
		t.Error("a revoked token is good for nothing")
	}
}

func TestCapabilities_AndMount(t *testing.T) {
	v, address := start(t, vault.Config{})
	c := client(t, address, issued(t, v, vault.FormatClusterPolicy("t-a", "c-b")))
	got, err := c.Sys().CapabilitiesSelfWithContext(t.Context(), "clusters/kv/data/t-a/c-b/registry")
	if err != nil || !slices.Equal(got, []string{"read"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err = c.Sys().CapabilitiesSelfWithContext(t.Context(), "clusters/kv/data/t-x/c-b/registry"); err != nil || !slices.Equal(got, []string{"deny"}) {
		t.Errorf("got %q, %v", got, err)
	}
	mount, err := c.Logical().ReadWithContext(t.Context(), "sys/internal/ui/mounts/clusters/kv/t-a")
	if err != nil || mount.Data["path"] != "clusters/kv/" || mount.Data["options"].(map[string]any)["version"] != "2" {
		t.Errorf("got %+v, %v", mount, err)
	}
}

func TestSealed_HealthOnly(t *testing.T) {
	v, address := start(t, vault.Config{})
	c := client(t, address, issued(t, v, vault.Engineer))
	v.Seal(true)
	_, err := c.KVv2(vault.DefaultMount).Get(t.Context(), path)
	refused(t, err, 503, "Vault is sealed")
	if health, err := c.Sys().HealthWithContext(t.Context()); err != nil || !health.Sealed {
		t.Errorf("got %+v, %v", health, err)
	}
	v.Seal(false)
	if health, err := c.Sys().HealthWithContext(t.Context()); err != nil || health.Sealed {
		t.Errorf("got %+v, %v", health, err)
	}
}

func TestAccess_RequiresToken(t *testing.T) {
	_, address := start(t, vault.Config{})
	for _, token := range []string{"", "guessed"} {
		_, err := client(t, address, token).KVv2(vault.DefaultMount).Get(context.Background(), "lbaas/hieradata_repo_token")
		var answer *api.ResponseError
		if !errors.As(err, &answer) || answer.StatusCode != http.StatusForbidden {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

func TestVault_Persists(t *testing.T) {
	dir := t.TempDir()
	first, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := start(t, vault.Config{DB: first})
	put(t, v, path, map[string]string{"password": "old"})
	put(t, v, "lbaas/hieradata_repo_token", map[string]string{"user": "changed"})
	token := issued(t, v, vault.Engineer)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	v, address := start(t, vault.Config{DB: again})
	got, err := client(t, address, token).KVv2(vault.DefaultMount).Get(t.Context(), path)
	if err != nil || got.Data["password"] != "old" {
		t.Errorf("got %+v, %v", got, err)
	}
	if seeded, _ := v.ReadSecret("lbaas/hieradata_repo_token"); seeded["user"] != "changed" {
		t.Errorf("the seed wrote over %q", seeded)
	}
}

func TestSoftDeleteBelow_OneCluster(t *testing.T) {
	v, address := start(t, vault.Config{})
	for _, p := range []string{"t-a/c-b/registry", "t-a/c-b/exoscale/ssh", "t-a/c-bb/registry"} {
		put(t, v, p, map[string]string{"a": "1"})
	}
	if err := v.SoftDeleteBelow("t-a/c-b"); err != nil {
		t.Fatal(err)
	}
	want := []string{"__shared__/__shared__/opsgenie/aldebaran", "lbaas/hieradata_repo_token", "t-a/c-bb/registry"}
	if diff := cmp.Diff(want, v.ListPaths()); diff != "" {
		t.Error(diff)
	}
	kv := client(t, address, issued(t, v, vault.Engineer)).KVv2(vault.DefaultMount)
	if _, err := kv.GetMetadata(t.Context(), "t-a/c-b/registry"); err != nil {
		t.Errorf("the metadata of what can be undeleted: %v", err)
	}
	if err := v.RemoveBelow("t-a/c-b"); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.GetMetadata(t.Context(), "t-a/c-b/registry"); err == nil {
		t.Error("the metadata are still there")
	}
	if diff := cmp.Diff(want, v.ListPaths()); diff != "" {
		t.Error(diff)
	}
}
