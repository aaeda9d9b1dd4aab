package services

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/server"
)

// internet is a client of the services.
type internet struct {
	*http.Client
	t   *testing.T
	key mirror.Key
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) internet {
	t.Helper()
	key, err := mirror.NewKey(time.Now().Add(-time.Hour), 0)
	must(t, err)
	ca, err := fabric.NewCA("Internet")
	must(t, err)
	f := fabric.New(fabric.Config{Resolve: resolve})
	t.Cleanup(f.Close)
	servers := server.New(server.Config{Fabric: f, CA: ca})
	t.Cleanup(func() { _ = servers.Close() })
	nothing := http.NotFoundHandler()
	ssh := server.LazyPort(func() (server.Port, error) { return server.HTTP{Handler: nothing}, nil })
	syn := ProjectSyn{Lieutenant: nothing, SignOn: nothing, Vault: nothing, Git: nothing, ACME: nothing, GitSSH: ssh}
	must(t, Open(Config{Servers: servers, Release: key, HostKey: []byte("seed"), Syn: syn}))
	host, err := f.AddHost(netip.MustParseAddr("192.0.2.10"))
	must(t, err)
	client := host.Network(ca.Pool()).NewClient()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(client.CloseIdleConnections)
	return internet{client, t, key}
}

func (i internet) get(address string, header ...string) (*http.Response, string) {
	i.t.Helper()
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, address, nil)
	must(i.t, err)
	for n := 0; n < len(header); n += 2 {
		request.Header.Set(header[n], header[n+1])
	}
	response, err := i.Do(request)
	must(i.t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(i.t, err)
	return response, string(body)
}

func (i internet) read(address string, into any) {
	i.t.Helper()
	_, body := i.get(address)
	if err := json.Unmarshal([]byte(body), into); err != nil {
		i.t.Errorf("%s: %v: %s", address, err, body)
	}
}

func TestServices_ChannelMatchesMirror(t *testing.T) {
	i := open(t)
	const graphURL = "https://api.openshift.com/api/upgrades_info/v1/graph"
	var found graph
	i.read(graphURL+"?channel=stable-4.20&arch=amd64", &found)
	release := mirror.Release{Version: "4.20.5", Architecture: "amd64"}
	if len(found.Nodes) != 200 || found.Nodes[105].Version != release.Version || found.Nodes[105].Payload != release.Image() {
		t.Errorf("%d releases", len(found.Nodes))
	}
	for _, edge := range found.Edges {
		if edge[0] >= edge[1] || edge[1] >= len(found.Nodes) {
			t.Fatalf("an edge leads from %d to %d", edge[0], edge[1])
		}
	}
	var none graph
	if i.read(graphURL+"?channel=stable-5.0", &none); len(none.Nodes) != 0 {
		t.Errorf("a channel that does not exist has %d releases", len(none.Nodes))
	}
	if response, body := i.get(graphURL); response.StatusCode != http.StatusBadRequest || !strings.Contains(body, "channel") {
		t.Errorf("without a channel: %s %s", response.Status, body)
	}
	if response, _ := i.get(graphURL+"?channel=stable-4.20", "Accept", "text/html"); response.StatusCode != http.StatusNotAcceptable {
		t.Errorf("for a browser: %s", response.Status)
	}
}

func TestServices_ReleasesAreSigned(t *testing.T) {
	i := open(t)
	ring, err := openpgp.ReadArmoredKeyRing(strings.NewReader(string(i.key.ExportPublic())))
	must(t, err)
	digest := mirror.Release{Version: "4.20.5", Architecture: "amd64"}.Digest()
	hash := strings.TrimPrefix(digest, "sha256:")
	for _, store := range []string{
		"https://storage.googleapis.com/openshift-release/official/signatures/openshift/release/sha256=",
		"https://access.redhat.com/webassets/docker/content/sigstore/openshift-release-dev/ocp-release@sha256=",
	} {
		_, body := i.get(store + hash + "/signature-1")
		message, err := openpgp.ReadMessage(strings.NewReader(body), ring, nil, nil)
		must(t, err)
		content, err := io.ReadAll(message.UnverifiedBody)
		must(t, err)
		if message.SignatureError != nil || !strings.Contains(string(content), digest) {
			t.Errorf("%s: %v: %s", store, message.SignatureError, content)
		}
		if response, _ := i.get(store + strings.Repeat("0", 64) + "/signature-1"); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s signs what does not exist: %s", store, response.Status)
		}
	}
}

// pull requests the one image of a registry without an account, and returns the URL of its first layer.
func (i internet) pull(manifest string) (layer string) {
	i.t.Helper()
	response, _ := i.get(manifest)
	challenge := response.Header.Get("WWW-Authenticate")
	realm, rest, _ := strings.Cut(strings.TrimPrefix(challenge, `Bearer realm="`), `"`)
	var answer struct{ Token string }
	scope := rest[strings.Index(rest, `scope="`)+len(`scope="`):]
	i.read(realm+"?scope="+strings.TrimSuffix(scope, `"`), &answer)
	_, body := i.get(manifest, "Authorization", "Bearer "+answer.Token)
	var image struct{ Layers []struct{ Digest string } }
	must(i.t, json.Unmarshal([]byte(body), &image))
	at := manifest[:strings.Index(manifest, "/manifests/")] + "/blobs/" + image.Layers[0].Digest
	response, _ = i.get(at, "Authorization", "Bearer "+answer.Token)
	return response.Header.Get("Location")
}

func TestServices_LayerHosts(t *testing.T) {
	i := open(t)
	for manifest, host := range map[string]string{
		"https://registry-1.docker.io/v2/library/busybox/manifests/latest": dockerLayers,
		"https://ghcr.io/v2/projectsyn/commodore/manifests/latest":         githubLayers,
	} {
		link, err := url.Parse(i.pull(manifest))
		if err != nil || link.Host != host {
			t.Errorf("%s: the layer is at %s, %v", manifest, link, err)
			continue
		}
		if response, body := i.get(link.String(), "Range", "bytes=0-1023"); response.StatusCode != http.StatusPartialContent || len(body) != 1024 {
			t.Errorf("%s: %s", link.Host, response.Status)
		}
		if response, _ := i.get("https://" + host + "/"); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s without a link: %s", host, response.Status)
		}
	}
}

func TestServices_KubernetesRegistryRedirects(t *testing.T) {
	i := open(t)
	if response, _ := i.get("https://registry.k8s.io/v2/"); response.StatusCode != http.StatusOK || response.Header.Get("Docker-Distribution-Api-Version") == "" {
		t.Errorf("%s", response.Status)
	}
	response, _ := i.get("https://registry.k8s.io/v2/pause/manifests/3.10")
	there := response.Header.Get("Location")
	if link, err := url.Parse(i.pull(there)); err != nil || !strings.HasSuffix(there, "/pause/manifests/3.10") || link.Host != kubernetesLayers {
		t.Errorf("the image is at %s, its layer at %s", there, link)
	}
}

func TestServices_AddressesAreUnique(t *testing.T) {
	owners := map[string]string{}
	for _, site := range listSites() {
		for _, name := range site.names {
			address := Addresses()[name]
			if other, taken := owners[address]; taken && other != site.names[0] || !strings.HasPrefix(address, "203.0.113.") {
				t.Errorf("%s and %s are at %s", other, site.names[0], address)
			}
			owners[address] = site.names[0]
		}
	}
}

func TestServices_OtherLieutenantRefusesTokens(t *testing.T) {
	i := open(t)
	if response, _ := i.get("https://api-int.syn.vshn.net/clusters"); response.StatusCode != http.StatusBadRequest {
		t.Errorf("without a token: %s", response.Status)
	}
	if response, _ := i.get("https://api-int.syn.vshn.net/clusters", "Authorization", "Bearer abc"); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a token of this one: %s", response.Status)
	}
}

// resolve resolves the names of the services.
func resolve(_ context.Context, name string) ([]netip.Addr, error) {
	if at, known := Addresses()[name]; known {
		return []netip.Addr{netip.MustParseAddr(at)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}
