package hostile_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/syn/catalog"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/signin"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/wizard/reach"
)

// secret is what every client proves with who it is, or a part of it.
const secret = "hvs-very-secret-credential"

// client is a row of the table: one call that reads an answer.
type client struct {
	name string
	host string
	call func(t *testing.T, w *world) error
	// limit is how many bytes of an answer may be read.
	limit int64
	// stream: what comes is handed on, and only its form or its source ends it before a limit that no test can reach.
	stream bool
	// large, slow, forged, page and garbled are the kinds of the failures; see columns.
	large, slow, forged, led, page, garbled fault.Kind
	// evidence: what the call returns tells what was found, with nothing of a failure's form.
	evidence bool
	// before answers what has to be asked for before the attack, and reports whether it did; nil: nothing.
	before func(w *world, answer http.ResponseWriter, request *http.Request) bool
	// refusal is the body of a refusal with words of the server in it.
	refusal func(words string) string
}

const zone = "ch-gva-2"

// words returns a refusal of the form of an API.
func words(format string) func(string) string {
	return func(text string) string { return fmt.Sprintf(format, quote(text)) }
}

// clients are the rows.
func clients() []client {
	return []client{
		{
			name: "Exoscale", host: "api-" + zone + ".exoscale.com", limit: 16 << 20, refusal: words(`{"message": %s}`),
			large: fault.Internal, slow: fault.Transient, forged: fault.Internal, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				c, err := exoscale.New(w.network, zone, "EXOkey", secret, state.NoJournal{})
				must(t, err)
				defer c.Close()
				_, err = c.ListInstanceTypes(t.Context())
				return err
			},
		},
		{
			name: "Exoscale by egoscale", host: "api-" + zone + ".exoscale.com", limit: 16 << 20, refusal: words(`{"errors": [{"message": %s}]}`),
			large: fault.Internal, slow: fault.Transient, forged: fault.Internal, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				c, err := exoscale.New(w.network, zone, "EXOkey", secret, state.NoJournal{})
				must(t, err)
				defer c.Close()
				_, err = c.ListQuotas(t.Context())
				return err
			},
		},
		{
			name: "zones of Exoscale", host: "api-" + zone + ".exoscale.com", limit: 16 << 20, refusal: words(`{"message": %s}`),
			large: fault.Internal, slow: fault.Transient, forged: fault.Internal, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				_, err := exoscale.ListZones(t.Context(), w.network)
				return err
			},
		},
		{
			name: "object storage", host: state.ObjectStorageHost(zone), limit: 16 << 20,
			large: fault.Invalid, slow: fault.Transient, forged: fault.Internal, led: fault.Invalid, page: fault.Internal, garbled: fault.Internal,
			refusal: func(text string) string {
				return "<Error><Code>AccessDenied</Code><Message>" + escapeXML(text) + "</Message><BucketName>" + escapeXML(text) + "</BucketName></Error>"
			},
			call: func(t *testing.T, w *world) error {
				c, err := objects.New(w.network, zone, "EXOkey", secret, state.NoJournal{})
				must(t, err)
				defer c.Close()
				_, err = c.ListBuckets(t.Context())
				return err
			},
		},
		{
			name: "object of the storage", host: state.ObjectStorageHost(zone), limit: 16 << 20, stream: true,
			large: fault.Invalid, slow: fault.Transient, forged: fault.Internal, led: fault.Invalid, page: okay, garbled: okay,
			refusal: func(text string) string {
				return "<Error><Code>" + escapeXML(text) + "</Code><Message>" + escapeXML(text) + "</Message></Error>"
			},
			call: func(t *testing.T, w *world) error {
				c, err := objects.New(w.network, zone, "EXOkey", secret, state.NoJournal{})
				must(t, err)
				defer c.Close()
				_, err = c.GetObject(t.Context(), "bucket", "key", 1<<20)
				return err
			},
		},
		{
			name: "mirror", host: "mirror.openshift.com", limit: 1 << 20, refusal: func(text string) string { return text },
			large: fault.Invalid, slow: fault.Transient, forged: fault.Invalid, led: okay, page: fault.Invalid, garbled: okay,
			call: func(t *testing.T, w *world) error {
				i := release.New(w.network, release.Choice{Distribution: "ocp", Version: "4.21.2", Cache: t.TempDir()}, func(string) {})
				_, err := i.CheckPublished(t.Context())
				return err
			},
		},
		{
			name: "boot image of the mirror", host: "rhcos.mirror.openshift.com", limit: 1 << 20, stream: true, refusal: func(text string) string { return text },
			large: fault.Invalid, slow: fault.Transient, forged: fault.Invalid, led: fault.Transient, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				image, err := download.New(w.network, func(string) {}).OpenImage(t.Context(), state.BootImage{URL: "https://rhcos.mirror.openshift.com/image.gz"}, func(string) {})
				if err != nil {
					return err
				}
				part := make([]byte, 1<<16)
				for err == nil {
					_, err = image.Read(part)
				}
				_ = image.Close()
				return err
			},
		},
		{
			name: "Kubernetes", host: "api.c.example.org", limit: 32 << 20,
			large: fault.Internal, slow: fault.Transient, forged: fault.Transient, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			refusal: words(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": %s}`),
			call: func(t *testing.T, w *world) error {
				c := openshift.NewCluster(w.network, func() ([]byte, error) { return w.kubeconfig("client"), nil })
				defer c.Close()
				_, err := c.GetConsoleURL(t.Context())
				return err
			},
		},
		{
			name: "Kubernetes by client-go", host: "api.c.example.org", limit: 32 << 20,
			large: fault.Internal, slow: fault.Transient, forged: fault.Transient, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			refusal: words(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": %s}`),
			call: func(t *testing.T, w *world) error {
				c := openshift.NewCluster(w.network, func() ([]byte, error) { return w.kubeconfig("client"), nil })
				defer c.Close()
				_, err := c.Apply(t.Context(), []byte(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`))
				return err
			},
		},
		{
			name: "emergency access to Kubernetes", host: "api.c.example.org", limit: 32 << 20,
			large: fault.Internal, slow: fault.Transient, forged: fault.Transient, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			refusal: words(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": %s}`),
			call: func(t *testing.T, w *world) error {
				c := openshift.NewCluster(w.network, func() ([]byte, error) { return w.kubeconfig("client"), nil })
				defer c.Close()
				_, err := c.VerifyEmergency(t.Context(), w.kubeconfig("token"))
				return err
			},
		},
		{
			name: "Alertmanager", host: "api.c.example.org", limit: 8 << 20, refusal: words(`{"message": %s}`), before: answerForAlerts,
			large: fault.Transient, slow: fault.Transient, forged: fault.Transient, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				c := openshift.NewCluster(w.network, func() ([]byte, error) { return w.kubeconfig("client"), nil })
				defer c.Close()
				_, err := c.ListAlerts(t.Context())
				return err
			},
		},
		{
			name: "shared state in object storage", host: state.ObjectStorageHost(zone), limit: 64 << 20, refusal: s3Refusal,
			large: fault.Invalid, slow: anyKind, forged: fault.Internal, led: fault.Invalid, page: okay, garbled: okay,
			call: func(t *testing.T, w *world) error {
				_, err := openSharedState(t, w).Get(t.Context(), "clusters/c-demo-1/head.json")
				return err
			},
		},
		{
			name: "list of shared state in object storage", host: state.ObjectStorageHost(zone), limit: 64 << 20, refusal: s3Refusal,
			large: fault.Invalid, slow: anyKind, forged: fault.Internal, led: fault.Invalid, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				_, err := openSharedState(t, w).List(t.Context(), "clusters/")
				return err
			},
		},
		{
			name: "lock of shared state in object storage", host: state.ObjectStorageHost(zone), limit: 64 << 20, refusal: s3Refusal,
			large: fault.Invalid, slow: anyKind, forged: fault.Internal, led: fault.Invalid, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				_, err := lease.Acquire(t.Context(), openSharedState(t, w), "c-demo-1", lease.Holder{Run: "a"}, func(lease.Holder) {})
				return err
			},
		},
		{
			name: "Lieutenant", host: "api.syn.example.org", limit: 16 << 20, refusal: words(`{"reason": %s}`),
			large: fault.Invalid, slow: fault.Transient, forged: fault.Internal, led: fault.Invalid, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				_, err := lieutenant.New(w.network, "https://api.syn.example.org", tokens{}).ListTenants(t.Context())
				return err
			},
		},
		{
			name: "manifest of Lieutenant", host: "api.syn.example.org", limit: 1 << 20, refusal: words(`{"reason": %s}`),
			large: fault.Internal, slow: fault.Transient, forged: fault.Internal, led: fault.Internal, page: fault.Internal, garbled: fault.Internal,
			call: func(t *testing.T, w *world) error {
				_, err := lieutenant.New(w.network, "https://api.syn.example.org", tokens{}).
					FetchInstallManifest(t.Context(), "https://api.syn.example.org/install/steward.json?token="+secret)
				return err
			},
		},
		{
			name: "discovery of Lieutenant", host: "api.syn.example.org", limit: 1 << 20, refusal: words(`{"reason": %s}`),
			large: fault.Transient, slow: fault.Transient, forged: fault.Transient, led: fault.Transient, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				_, err := reach.Discover(t.Context(), w.network, "https://api.syn.example.org")
				return err
			},
		},
		{
			name: "single sign-on", host: "sso.example.org", limit: 1 << 20, refusal: words(`{"error": %[1]s, "error_description": %[1]s}`),
			large: fault.Invalid, slow: fault.Transient, forged: fault.Internal, led: fault.Invalid, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				source := signin.New(signin.Options{
					Network: w.network, API: "https://api.syn.example.org", Services: func(context.Context) (state.SynServices, error) {
						return state.SynServices{DiscoveryURL: "https://sso.example.org/.well-known/openid-configuration", ClientID: "syn"}, nil
					},
				})
				return source.SignIn(t.Context(), func(context.Context, string) error { return nil })
			},
		},
		{
			name: "Vault", host: "vault.example.org", limit: 4 << 20, refusal: words(`{"errors": [%s]}`),
			large: fault.Invalid, slow: fault.Transient, forged: fault.Internal, led: fault.Invalid, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				c := vault.New(w.network, vault.Options{Address: "https://vault.example.org", Token: secret})
				return c.SignIn(t.Context(), func(context.Context, string) error { return nil })
			},
		},
		{
			name: "Git", host: "git.example.org", limit: 64 << 20, refusal: func(text string) string { return text },
			large: fault.Invalid, slow: fault.Transient, forged: fault.Transient, led: fault.Transient, page: fault.Transient, garbled: fault.Transient,
			call: func(t *testing.T, w *world) error {
				git := catalog.NewGit(w.network, catalog.Access{Token: secret})
				_, err := git.Fetch(t.Context(), state.GitRepo{URL: "https://git.example.org/a/b.git"}, filepath.Join(t.TempDir(), "c"))
				return err
			},
		},
		{
			name: "pipelines of the Git host", host: "git.example.org", limit: 4 << 20, refusal: words(`{"message": %s}`),
			large: fault.Invalid, slow: fault.Transient, forged: fault.Transient, led: fault.Transient, page: fault.Invalid, garbled: fault.Invalid,
			call: func(t *testing.T, w *world) error {
				compiler := catalog.NewCompiler(w.network, catalog.Access{Token: secret}, catalog.Commodore{})
				_, err := compiler.CheckReady(t.Context(), state.SynTenant{Config: state.GitRepo{URL: "https://git.example.org/a/b.git"}}, state.SynCluster{ID: "c-b"})
				return err
			},
		},
		{
			name: "DNS over HTTPS", host: network.PublicResolver().Host, limit: 64 << 10, refusal: func(text string) string { return text },
			large: fault.Transient, slow: fault.Transient, forged: fault.Transient, led: fault.Transient, page: fault.Transient, garbled: fault.Transient,
			call: func(t *testing.T, w *world) error {
				world := w.network
				world.Resolver = network.NewHTTPSResolver(w.network.NewClient(), network.PublicResolver())
				_, err := network.NewNameServers(world).FindDelegation(t.Context(), "c.example.org")
				return err
			},
		},
	}
}

func s3Refusal(text string) string {
	return "<Error><Code>" + escapeXML(text) + "</Code><Message>" + escapeXML(text) + "</Message><BucketName>" + escapeXML(text) + "</BucketName></Error>"
}

func openSharedState(t *testing.T, w *world) *sharedstore.Store {
	t.Helper()
	shared, err := sharedstore.New(w.network, sharedstore.Location{Endpoint: state.ObjectStorageHost(zone), Region: zone, Bucket: "team", Key: "EXOkey", Secret: secret})
	must(t, err)
	t.Cleanup(shared.Close)
	return shared
}

// answerForAlerts is the API of a cluster whose Alertmanager is hostile.
func answerForAlerts(w *world, answer http.ResponseWriter, request *http.Request) bool {
	if !strings.HasSuffix(request.Host, ":6443") {
		return false
	}
	answer.Header().Set("Content-Type", "application/json")
	switch path := request.URL.Path; {
	case strings.HasSuffix(path, "/configmaps/default-ingress-cert"):
		content, _ := json.Marshal(string(w.authority.PEM()))
		_, _ = fmt.Fprintf(answer, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "default-ingress-cert"}, "data": {"ca-bundle.crt": %s}}`, content)
	case strings.HasSuffix(path, "/token"):
		_, _ = fmt.Fprintf(answer, `{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "status": {"token": %q}}`, secret)
	default:
		_, _ = answer.Write([]byte(`{"apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": {"name": "alertmanager-main"},
			"status": {"ingress": [{"host": "api.c.example.org", "conditions": [{"type": "Admitted", "status": "True"}]}]}}`))
	}
	return true
}

// tokens are those of somebody who is signed in.
type tokens struct{}

func (tokens) SignIn(context.Context, func(context.Context, string) error) error { return nil }
func (tokens) Token(context.Context) (string, error)                             { return secret, nil }

// kubeconfig returns one that leads to the hostile API server, by a client's certificate or by a token.
func (w *world) kubeconfig(by string) []byte {
	user := "token: " + secret
	if by == "client" {
		user = "client-certificate-data: " + base64.StdEncoding.EncodeToString(w.clientCertificate) +
			", client-key-data: " + base64.StdEncoding.EncodeToString(w.clientKey)
	}
	return fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: a,
clusters: [{name: a, cluster: {server: "https://api.c.example.org:6443", certificate-authority-data: %s}}],
users: [{name: a, user: {%s}}], contexts: [{name: a, context: {cluster: a, user: a}}]}`,
		base64.StdEncoding.EncodeToString(w.authority.PEM()), user)
}
