package kubeapi

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/network"
)

// serve returns a client of a server that answers with the codes, one after the other, and what it was sent.
func serve(t *testing.T, codes ...int) (api *Client, sent func() []string) {
	t.Helper()
	var requests []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Content-Type")+" "+string(body))
		code := codes[min(len(requests), len(codes))-1]
		if code >= http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","generation":3}}`)
	}))
	t.Cleanup(server.Close)
	clock, stop := network.NewScaledClock(1000, time.Now())
	t.Cleanup(stop)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	connector := NewConnector(network.Network{Clock: clock}, nil)
	return connector.ConnectToken(address, roots, "t"), func() []string { return requests }
}

const configMaps ResourcePath = "v1/configmaps@space"

func TestClient_ChangesAreRequestsOfTheAPI(t *testing.T) {
	api, sent := serve(t, http.StatusOK)
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}}
	made, err := api.Create(t.Context(), configMaps, object)
	if err != nil || made.GetGeneration() != 3 {
		t.Errorf("got %+v, %v", made, err)
	}
	for _, err := range []error{
		api.Update(t.Context(), configMaps, object, "status"),
		api.Patch(t.Context(), configMaps, "a", []byte(`{"data":{}}`)),
		api.Delete(t.Context(), configMaps, "a", metav1.DeleteOptions{}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := api.Request(t.Context(), "v1/pods@space", object, "eviction"); err != nil {
		t.Error(err)
	}
	const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`
	const path = "/api/v1/namespaces/space/"
	want := []string{
		"POST " + path + "configmaps?fieldManager=exoshift application/json " + body,
		"PUT " + path + "configmaps/a/status?fieldManager=exoshift application/json " + body,
		"PATCH " + path + `configmaps/a?fieldManager=exoshift application/merge-patch+json {"data":{}}`,
		"DELETE " + path + `configmaps/a application/json {"kind":"DeleteOptions","apiVersion":"v1"}`,
		"POST " + path + "pods/a/eviction application/json " + body,
	}
	if got := sent(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestClient_RepeatsWhatTheServerAsksToRepeat(t *testing.T) {
	api, sent := serve(t, http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusOK)
	if err := api.Patch(t.Context(), configMaps, "a", []byte(`{"data":{}}`)); err != nil {
		t.Error(err)
	}
	if got := sent(); len(got) != 3 || got[2] != got[0] {
		t.Errorf("got %q", got)
	}
	api, sent = serve(t, http.StatusTooManyRequests)
	_, err := api.Apply(t.Context(), configMaps, "a", []byte("{}"))
	if !apierrors.IsTooManyRequests(err) || len(sent()) != 1+maxRepetitions {
		t.Errorf("got %v after %d requests", err, len(sent()))
	}
}

func TestClient_RefusesNamesThatArePaths(t *testing.T) {
	api, sent := serve(t, http.StatusOK)
	for _, name := range []string{"..", ".", "a/b", "a%2fb"} {
		if err := api.Delete(t.Context(), configMaps, name, metav1.DeleteOptions{}); err == nil || len(sent()) > 0 {
			t.Errorf("%s: got %v, %q", name, err, sent())
		}
	}
}
