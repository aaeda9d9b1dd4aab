package exoscale_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/site"
	"exoshift/internal/simcloud/store"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/state"
)

var _ install.Cloud = (*exoscale.Client)(nil)

const (
	zone    = "ch-gva-2"
	key     = "EXOkey"
	secret  = "very-secret-value"
	cluster = "c-blue-sky-42"
)

// world is a simulated API with real TLS and fault injection.
type world struct {
	*exoscale.Client
	*site.Site
	t       *testing.T
	net     network.Network
	journal *journal
	api     *api.API
	omits   func(name string) bool // whether lists omit the instance of that name; nil: they omit none
}

// Close closes the client, then the site.
func (w *world) Close() { w.Client.Close(); w.Site.Close() }

func inWorld(t *testing.T, test func(ctx context.Context, w *world)) {
	t.Helper()
	inWorldOf(t, api.Config{Key: key, Secret: secret}, test)
}

func inWorldOf(t *testing.T, config api.Config, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, journal: &journal{}}
		config.DB, config.Zone = store.NewMemory(), zone
		config.HTTP = &http.Client{Transport: image("QFI\xfb and more")}
		simulated, err := api.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer simulated.Close()
		w.api = simulated
		w.Site, err = site.Open(w.omitting(simulated), "api-"+zone+".exoscale.com", "api-ch-dk-2.exoscale.com")
		w.check(err)
		w.net = w.Network()
		w.Client = w.client(zone, key, secret)
		defer w.Close()
		test(t.Context(), w)
	})
}

func (w *world) client(zone, key, secret string) *exoscale.Client {
	w.t.Helper()
	client, err := exoscale.New(w.net, zone, key, secret, w.journal)
	w.check(err)
	return client
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// killedAt returns a context that ends when this request arrives; its answer is lost.
func (w *world) killedAt(ctx context.Context, request string, isServed bool) context.Context {
	ctx, kill := context.WithCancel(ctx)
	w.t.Cleanup(kill)
	w.InjectFaults(site.Fault{Match: request, ServeFirst: isServed, Respond: func(http.ResponseWriter, *http.Request) {
		kill()
		panic(http.ErrAbortHandler)
	}})
	return ctx
}

func (w *world) count(prefix string) int {
	n := 0
	for _, request := range w.Requests() {
		if strings.HasPrefix(request, prefix) {
			n++
		}
	}
	return n
}

func (w *world) unchanged(do func()) {
	w.t.Helper()
	before := w.Mutations()
	do()
	if after := w.Mutations(); after != before {
		w.t.Errorf("%d mutating calls: %v", after-before, w.Requests())
	}
}

func matchPattern(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// image is an internet with one file.
type image string

func (i image) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := &http.Response{StatusCode: http.StatusOK, Request: r, Body: http.NoBody, Header: http.Header{}}
	recorder.Body = readCloser{strings.NewReader(string(i))}
	return recorder, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

type journal struct {
	mutex   sync.Mutex
	open    map[string]bool
	entries []string
}

func (j *journal) RecordIntent(kind, name string) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.open == nil {
		j.open = map[string]bool{}
	}
	j.open[kind+" "+name] = true
	j.entries = append(j.entries, "intend "+kind+" "+name)
	return nil
}

func (j *journal) RecordResult(kind, name, _ string, action state.Action) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	delete(j.open, kind+" "+name)
	j.entries = append(j.entries, string(action)+" "+kind+" "+name)
	return nil
}

func (j *journal) Open(kind, name string) bool {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.open[kind+" "+name]
}

func (w *world) wantAction(got state.Action, err error, want state.Action) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	if got != want {
		w.t.Errorf("action %q, want %q", got, want)
	}
}

func (w *world) wantFault(err error, kind fault.Kind, words ...string) {
	w.t.Helper()
	if !fault.Is(err, kind) {
		w.t.Fatalf("error %v of kind %d, want kind %d", err, fault.KindOf(err), kind)
	}
	text := err.Error() + " / " + fault.HintOf(err)
	for _, word := range words {
		if !strings.Contains(text, word) {
			w.t.Errorf("%q does not say %q", text, word)
		}
	}
	if strings.Contains(text, secret) {
		w.t.Errorf("%q tells the secret", text)
	}
}

// omitting removes instances from the lists of the API, which need not be consistent with the rest of it.
func (w *world) omitting(service http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v2/instance" || w.omits == nil {
			service.ServeHTTP(answer, r)
			return
		}
		recorded := httptest.NewRecorder()
		service.ServeHTTP(recorded, r)
		var list struct {
			Instances []map[string]any `json:"instances"`
		}
		if err := json.Unmarshal(recorded.Body.Bytes(), &list); err != nil {
			w.t.Error(err)
		}
		list.Instances = slices.DeleteFunc(list.Instances, func(one map[string]any) bool { return w.omits(fmt.Sprint(one["name"])) })
		content, err := json.Marshal(list)
		if err != nil {
			w.t.Error(err)
		}
		matchPattern(recorded.Code, string(content))(answer, r)
	})
}
