package registry

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/payload"
)

// quay is the registry with its blob store.
type quay struct {
	*Registry
	warehouse *BlobStore
	t         *testing.T
}

func open(t *testing.T) quay {
	t.Helper()
	warehouse, err := NewBlobStore()
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(NewQuayConfig(warehouse), warehouse)
	if err != nil {
		t.Fatal(err)
	}
	return quay{made, warehouse, t}
}

// ask sends a request to a handler and returns the response with its body.
func ask(t *testing.T, s http.Handler, method, address string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	request := httptest.NewRequest(method, address, nil)
	if change != nil {
		change(request)
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, request)
	response := answer.Result()
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func user(r *http.Request) { r.SetBasicAuth("somebody", "secret") }

// token requests the token of a repository; "" if it is refused.
func (q quay) token(repository string, change func(*http.Request)) string {
	q.t.Helper()
	address := "https://quay.io/v2/auth?service=quay.io"
	if repository != "" {
		address += "&scope=repository:" + repository + ":pull"
	}
	_, body := ask(q.t, q, http.MethodGet, address, change)
	var answer struct{ Token string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		q.t.Fatal(err)
	}
	return answer.Token
}

// get requests something with a user's token of a repository.
func (q quay) get(repository, path string, header ...string) (*http.Response, string) {
	q.t.Helper()
	bearer := "Bearer " + q.token(repository, user)
	return ask(q.t, q, http.MethodGet, "https://quay.io/v2/"+repository+path, func(r *http.Request) {
		r.Header.Set("Authorization", bearer)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
	})
}

func TestRegistry_ChallengeNamesTokenService(t *testing.T) {
	q := open(t)
	response, _ := ask(t, q, http.MethodGet, "https://quay.io/v2/", nil)
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != http.StatusUnauthorized || got != `Bearer realm="https://quay.io/v2/auth",service="quay.io"` {
		t.Errorf("%s %s", response.Status, got)
	}
	anybody := q.token("", nil)
	response, _ = ask(t, q, http.MethodGet, "https://quay.io/v2/", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+anybody) })
	if response.StatusCode != http.StatusOK || response.Header.Get(apiVersion) != "registry/2.0" {
		t.Errorf("with a token: %s", response.Status)
	}
}

func TestRegistry_ManifestNeedsRepositoryToken(t *testing.T) {
	q := open(t)
	digest := mirror.Release{Version: "4.20.5", Architecture: "amd64"}.Digest()
	tokens := map[string]string{
		"none": "", "its own": q.token(mirror.Repository, user), "another repository's": q.token(mirror.OKDRepository, nil),
		"another registry's": open(t).token(mirror.Repository, user), "nothing's": q.token("", user),
	}
	for name, shown := range tokens {
		response, _ := ask(t, q, http.MethodHead, "https://quay.io/v2/"+mirror.Repository+"/manifests/"+digest,
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+shown) })
		if got, want := response.StatusCode == http.StatusOK, name == "its own"; got != want {
			t.Errorf("token %s: %s", name, response.Status)
		}
		if challenge := response.Header.Get("WWW-Authenticate"); name == "none" && !strings.Contains(challenge, `scope="repository:openshift-release-dev/ocp-release:pull"`) {
			t.Errorf("challenge: %q", challenge)
		}
	}
	if tokens["another repository's"] == "" {
		t.Error("OKD's images are not public")
	}
	if anonymous := q.token(mirror.Repository, nil); anonymous != "" {
		t.Error("OpenShift's images are public")
	}
}

func TestRegistry_ManifestMatchesDigest(t *testing.T) {
	q := open(t)
	for _, release := range []mirror.Release{{Version: "4.20.5", Architecture: "amd64"}, {Version: "4.18.3", Architecture: "multi"}} {
		response, body := q.get(mirror.Repository, "/manifests/"+release.Digest(), "Accept", payload.ManifestType+", "+payload.ListType)
		if response.StatusCode != http.StatusOK || payload.ComputeDigest([]byte(body)) != release.Digest() || response.Header.Get("Docker-Content-Digest") != release.Digest() {
			t.Errorf("%v: %s with digest %s", release, response.Status, payload.ComputeDigest([]byte(body)))
		}
	}
	if _, body := q.get(mirror.OKDRepository, "/manifests/4.20.0-okd-scos.11"); payload.ComputeDigest([]byte(body)) != (mirror.Release{Version: "4.20.0-okd-scos.11", Architecture: "amd64"}).Digest() {
		t.Errorf("by its tag: %s", body)
	}
}

func TestRegistry_NotFound(t *testing.T) {
	digest := mirror.Release{Version: "4.20.5", Architecture: "amd64"}.Digest()
	list := mirror.Release{Version: "4.20.5", Architecture: "multi"}.Digest()
	q := open(t)
	q.get(mirror.Repository, "/manifests/"+digest) // a request of its manifest; that changes nothing
	for _, test := range []struct{ repository, path string }{
		{mirror.OKDRepository, "/manifests/" + digest},
		{mirror.OKDRepository, "/manifests/latest"},
		{mirror.Repository, "/manifests/sha256:" + strings.Repeat("0", 64)},
		{mirror.Repository, "/manifests/" + list}, // without accepting lists
		{mirror.Repository, "/blobs/sha256:" + strings.Repeat("0", 64)},
		{mirror.Repository, "/tags/list"},
	} {
		if response, _ := q.get(test.repository, test.path); response.StatusCode != http.StatusNotFound {
			t.Errorf("%v: %s", test, response.Status)
		}
	}
}

func TestRegistry_LayerNeedsSignedLink(t *testing.T) {
	q := open(t)
	_, body := q.get(mirror.Repository, "/manifests/4.20.5-x86_64")
	var m struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{m.Config.Digest, m.Layers[0].Digest} {
		response, _ := q.get(mirror.Repository, "/blobs/"+digest)
		link, err := url.Parse(response.Header.Get("Location"))
		if err != nil || response.StatusCode != http.StatusFound || !slices.Contains(QuayLayers(), link.Host) {
			t.Fatalf("%s to %s", response.Status, link)
		}
		if _, content := ask(t, q.warehouse, http.MethodGet, link.String(), nil); payload.ComputeDigest([]byte(content)) != digest {
			t.Errorf("%s leads to %d bytes", link, len(content))
		}
		response, content := ask(t, q.warehouse, http.MethodGet, link.String(), func(r *http.Request) { r.Header.Set("Range", "bytes=0-9") })
		if response.StatusCode != http.StatusPartialContent || len(content) != 10 {
			t.Errorf("%s with %d bytes", response.Status, len(content))
		}
		for _, other := range []string{"https://" + link.Host, "https://" + link.Host + link.Path, strings.Replace(link.String(), "Expires=", "Expires=1", 1)} {
			if response, body := ask(t, q.warehouse, http.MethodGet, other, nil); response.StatusCode != http.StatusForbidden || !strings.Contains(body, "AccessDenied") {
				t.Errorf("%s: %s", other, response.Status)
			}
		}
	}
}

func TestRegistry_EachLayerHostUsed(t *testing.T) {
	warehouse, err := NewBlobStore()
	if err != nil {
		t.Fatal(err)
	}
	holds := map[string]bool{}
	for _, layer := range payload.NewBuilder().Layers() {
		at, err := url.Parse(warehouse.link(QuayLayers(), payload.ComputeDigest(layer)))
		if err != nil {
			t.Fatal(err)
		}
		holds[at.Host] = true
	}
	if len(holds) != len(QuayLayers()) {
		t.Errorf("layers are at %v only", holds)
	}
}
