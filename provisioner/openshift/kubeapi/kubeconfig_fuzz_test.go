package kubeapi

import (
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

func FuzzKubeconfig(f *testing.F) {
	for _, seed := range []string{
		"", "apiVersion: v1\nkind: Config\n",
		"{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: 'https://api.example.org:6443', certificate-authority-data: YQ==}}], users: [{name: a, user: {client-certificate-data: YQ==, client-key-data: YQ==}}], contexts: [{name: a, context: {cluster: a, user: a}}]}",
		"{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: 'http://a', insecure-skip-tls-verify: true}}], users: [{name: a, user: {exec: {command: /bin/false}}}], contexts: [{name: a, context: {cluster: a, user: a}}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		made, err := newClient(network.Network{}, content, &requestCounter{})
		switch {
		case err != nil && !fault.Is(err, fault.Invalid):
			t.Fatalf("kind %d: %v", fault.KindOf(err), err)
		case err == nil && (made.Address.Scheme != "https" || made.Trust.InsecureSkipVerify || made.Trust.RootCAs == nil):
			t.Fatalf("%q would let us talk to anybody", content)
		}
	})
}

// FuzzAuthorities: whoever is trusted has a certificate.
func FuzzAuthorities(f *testing.F) {
	for _, seed := range []string{
		"", "[", "\x00",
		"{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: YQ==}}], contexts: [{name: a, context: {cluster: a}}]}",
		"{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: 'https://a', certificate-authority: /etc/passwd}}], contexts: [{name: a, context: {cluster: a}}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := ParseAuthorities(content)
		if (len(found) > 0) == (err != nil) || err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("%q: %q, %v", content, found, err)
		}
	})
}
