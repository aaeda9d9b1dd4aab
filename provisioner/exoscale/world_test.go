package exoscale_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/fabric"
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

// world is a simulated API behind real TLS, with a door for accidents.
type world struct {
	*exoscale.Client
	t       *testing.T
	net     network.Network
	journal *journal
	api     *api.API

	mutex     sync.Mutex
	requests  []string
	accidents []accident
}

// accident answers the next request of a method below a path instead of the API; nil breaks the connection.
type accident struct {
	method, path string
	after        bool // the API carries the request out first
	answer       http.HandlerFunc
}

// inWorld runs a test in a bubble of virtual time with a world of its own.
func inWorld(t *testing.T, test func(ctx context.Context, w *world)) {
	inWorldOf(t, api.Config{Key: key, Secret: secret}, test)
}

func inWorldOf(t *testing.T, config api.Config, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, journal: &journal{}}
		config.DB, config.Zone = store.Memory(), zone
		config.HTTP = &http.Client{Transport: image("QFI\xfb and more")}
		simulated, err := api.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer simulated.Close()
		w.api = simulated
		defer w.serve()()
		w.Client = w.client(zone, key, secret)
		defer w.Close()
		test(t.Context(), w)
	})
}

// serve brings up the API's host and returns what takes it down.
func (w *world) serve() func() {
	server := netip.MustParseAddr("192.0.2.1")
	memory := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
		if name == "api-"+zone+".exoscale.com" || name == "api-ch-dk-2.exoscale.com" {
			return []netip.Addr{server}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}})
	ca, err := fabric.NewCA("Internet")
	w.check(err)
	tls, err := ca.ServerTLS("api-"+zone+".exoscale.com", "api-ch-dk-2.exoscale.com")
	w.check(err)
	host, err := memory.Host(server)
	w.check(err)
	listener, err := host.Listen(443)
	w.check(err)
	client, err := memory.Host(netip.MustParseAddr("192.0.2.2"))
	w.check(err)
	w.net = client.Network(ca.Pool())
	service := &http.Server{Handler: w, TLSConfig: tls} //nolint:gosec // a test
	go func() { _ = service.ServeTLS(listener, "", "") }()
	return func() { _ = service.Close(); memory.Close() }
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

func (w *world) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	w.mutex.Lock()
	w.requests = append(w.requests, r.Method+" "+r.URL.Path)
	i := slices.IndexFunc(w.accidents, func(a accident) bool {
		return a.method == r.Method && strings.HasPrefix(r.URL.Path, a.path)
	})
	var happens accident
	if i >= 0 {
		happens = w.accidents[i]
		w.accidents = slices.Delete(w.accidents, i, i+1)
	}
	w.mutex.Unlock()
	if i < 0 || happens.after {
		w.api.ServeHTTP(answer, r)
	}
	switch {
	case i < 0:
	case happens.answer == nil:
		panic(http.ErrAbortHandler)
	default:
		happens.answer(answer, r)
	}
}

// count returns how many requests begin with prefix, and mutating how many may have changed something.
func (w *world) count(prefix string) int {
	return w.countIf(func(request string) bool { return strings.HasPrefix(request, prefix) })
}

func (w *world) mutating() int {
	return w.countIf(func(request string) bool { return !strings.HasPrefix(request, "GET ") })
}

func (w *world) countIf(match func(string) bool) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n := 0
	for _, request := range w.requests {
		if match(request) {
			n++
		}
	}
	return n
}

func (w *world) happens(accidents ...accident) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.accidents = append(w.accidents, accidents...)
}

// unchanged runs a function and fails if it changed anything.
func (w *world) unchanged(do func()) {
	w.t.Helper()
	before := w.mutating()
	do()
	if after := w.mutating(); after != before {
		w.t.Errorf("%d mutating calls: %v", after-before, w.requests)
	}
}

// says answers with a status and a JSON body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// image is an internet that consists of one file.
type image string

func (i image) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := &http.Response{StatusCode: http.StatusOK, Request: r, Body: http.NoBody, Header: http.Header{}}
	recorder.Body = readCloser{strings.NewReader(string(i))}
	return recorder, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// journal remembers in memory.
type journal struct {
	mutex   sync.Mutex
	open    map[string]bool
	entries []string
}

func (j *journal) Intend(kind, name string) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.open == nil {
		j.open = map[string]bool{}
	}
	j.open[kind+" "+name] = true
	j.entries = append(j.entries, "intend "+kind+" "+name)
	return nil
}

func (j *journal) Done(kind, name, _ string, action state.Action) error {
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
