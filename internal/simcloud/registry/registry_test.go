package registry

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// ask sends a request and returns the answer.
func ask(t *testing.T, s *Registry, method, path string, change func(*http.Request)) *http.Response {
	t.Helper()
	request := httptest.NewRequest(method, "https://"+Host+path, nil)
	change(request)
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, request)
	return answer.Result()
}

func nothing(*http.Request) {}

func open(t *testing.T) *Registry {
	t.Helper()
	made, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// token asks for the token of a repository; "" if it is refused.
func token(t *testing.T, s *Registry, repository string, change func(*http.Request)) string {
	t.Helper()
	response := ask(t, s, http.MethodGet, "/v2/auth?service=quay.io&scope=repository:"+repository+":pull", change)
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Token string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Token
}

func TestAManifestIsShownToWhomHasTheTokenOfItsRepository(t *testing.T) {
	s := open(t)
	user := func(r *http.Request) { r.SetBasicAuth("somebody", "secret") }
	release, okd := "openshift-release-dev/ocp-release", "okd/scos-release"
	tokens := map[string]string{
		"none": "", "its own": token(t, s, release, user), "another repository's": token(t, s, okd, nothing),
		"another registry's": token(t, open(t), release, user),
	}
	for name, shown := range tokens {
		response := ask(t, s, http.MethodHead, "/v2/"+release+"/manifests/"+digest, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+shown) })
		_ = response.Body.Close()
		if got, want := response.StatusCode == http.StatusOK, name == "its own"; got != want {
			t.Errorf("token %s: %s", name, response.Status)
		}
		if challenge := response.Header.Get("WWW-Authenticate"); name == "none" && !strings.Contains(challenge, `realm="https://quay.io/v2/auth"`) {
			t.Errorf("challenge: %q", challenge)
		}
	}
	if tokens["another repository's"] == "" {
		t.Error("OKD's images are not public")
	}
	if anonymous := token(t, s, release, nothing); anonymous != "" {
		t.Error("OpenShift's images are public")
	}
}

func TestThereIsNothingButManifestsByTheirDigest(t *testing.T) {
	for _, path := range []string{"/", "/v2/okd/scos-release/manifests/latest", "/v2/okd/scos-release/blobs/" + digest} {
		response := ask(t, open(t), http.MethodGet, path, nothing)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}
