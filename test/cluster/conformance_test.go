package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/simcloud/certificate"
	"exoshift/test/conformance"
)

var update = flag.Bool("update", false, "keep what the real API server answers now")

// What is kept of a real API server is what the simulated one is measured by, without building a real one.
func TestRealAPI_MatchesTranscript(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.allowViewer(t)
	server := conformance.Server{URL: local(p.apiPort), Clients: map[string]*http.Client{
		conformance.Admin:    p.client(issueUser(t, p.authority, "system:admin", "system:masters")),
		conformance.Viewer:   p.client(issueUser(t, p.authority, conformance.ViewerName)),
		conformance.Stranger: p.client(issueUser(t, newAuthority(t, "root-ca"), "system:admin", "system:masters")),
		conformance.Nobody:   p.client(certificate.Pair{}),
	}}
	for _, check := range conformance.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			got, err := conformance.Transcript(t.Context(), server, check)
			must(t, err)
			file := filepath.Join("..", "conformance", filepath.FromSlash(check.File()))
			if *update {
				must(t, os.MkdirAll(filepath.Dir(file), 0o755))
				must(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			must(t, err)
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("-kept +real:\n%s", diff)
			}
		})
	}
}

// allowViewer gives the viewer the rights that the conversation wants.
func (p *plane) allowViewer(t *testing.T) {
	t.Helper()
	typed, _ := p.objects(t)
	_, err := typed.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: conformance.ViewerName},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list"}},
			{APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"certificatesigningrequests"}, Verbs: []string{"create", "list"}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = typed.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: conformance.ViewerName},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: conformance.ViewerName},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: conformance.ViewerName}},
	}, metav1.CreateOptions{})
	must(t, err)
}

// client shows a certificate, whatever authorities the server says to know; none if there is none.
func (p *plane) client(user certificate.Pair) *http.Client {
	trusted := x509.NewCertPool()
	trusted.AddCert(p.authority.Certificate)
	config := &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	if user.Certificate != nil {
		shown := keyPair(user)
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &shown, nil }
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
}
