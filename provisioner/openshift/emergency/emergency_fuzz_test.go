package emergency

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
)

// FuzzEmergencyKubeconfig checks that the token is sent only to the API of this cluster over verified TLS, and that no error
// quotes it.
func FuzzEmergencyKubeconfig(f *testing.F) {
	const form = "{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: %s}}], users: [{name: a, user: {token: very-secret-value}}], contexts: [{name: a, context: {cluster: a, user: a}}]}"
	for _, server := range []string{
		"'https://api.c-1.example.net:6443', certificate-authority-data: YQ==", "'https://api.c-1.example.net:6443', insecure-skip-tls-verify: true", "'http://api.c-1.example.net:6443'",
		"'https://evil.example.net:6443'", "'https://api.c-1.example.net:6443', tls-server-name: x, proxy-url: 'http://evil'", "'https://a@api.c-1.example.net:6443'",
	} {
		f.Add([]byte(strings.Replace(form, "%s", server, 1)))
	}
	f.Add([]byte("-----BEGIN PGP MESSAGE-----"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, content []byte) {
		admin := &kubeapi.Client{Address: &url.URL{Scheme: "https", Host: "api.c-1.example.net:6443"}}
		v := New(kubeapi.NewConnector(network.Network{}, func() ([]byte, error) { return nil, fault.New(fault.NotFound, "no kubeconfig", nil) }))
		made, err := v.connectEmergency(content, admin)
		switch {
		case err != nil && (!fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "very-secret-value") && !bytes.Contains(content, []byte("server: very-secret-value"))):
			t.Fatalf("%q is told as %q", content, err)
		case err == nil && (made.Address.Scheme != "https" || made.Address.Host != admin.Address.Host || made.Trust.InsecureSkipVerify || made.Trust.ServerName != "" || made.Trust.RootCAs == nil):
			t.Fatalf("%q leads to %s", content, made.Address)
		}
	})
}
