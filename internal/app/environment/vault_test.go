package environment

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/network"
	"exoshift/state"
)

func TestAccess_VaultNamespaceAndMount(t *testing.T) {
	t.Setenv("VAULT_TOKEN", "token")
	t.Setenv("VAULT_NAMESPACE", "team/a")
	var spaces, paths []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spaces, paths = append(spaces, r.Header.Get("X-Vault-Namespace")), append(paths, r.URL.Path)
		if !strings.HasSuffix(r.URL.Path, "/lookup-self") {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(`{"data": {"ttl": 0}}`))
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	n := network.Network{Dial: new(net.Dialer).DialContext, Roots: roots}
	client := NewOwnAccess().OpenVaultClient(n, state.SynSpec{VaultAddress: server.URL, VaultMount: "other/kv"})
	if err := client.SignIn(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := client.GetSecret(t.Context(), "t-a/c-b/x"); err == nil {
		t.Error("a refused secret is read")
	}
	if !slices.Contains(paths, "/v1/sys/internal/ui/mounts/other/kv") || slices.ContainsFunc(spaces, func(space string) bool { return space != "team/a" }) {
		t.Errorf("asked %q in the namespaces %q", paths, spaces)
	}
}
