package objects_test

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
	"exoshift/internal/simcloud/fabric"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

var _ install.Objects = (*objects.Client)(nil)

const (
	zone   = "ch-gva-2"
	key    = "EXOkey"
	secret = "very-secret-value"
)

// world is an object storage behind real TLS, with a door for accidents.
type world struct {
	*objects.Client
	t       *testing.T
	net     network.Network
	journal *journal
	storage http.Handler

	mutex     sync.Mutex
	requests  []string
	accidents []accident
}

// accident answers the next request whose method and URI begin with on; nil breaks the connection.
type accident struct {
	on     string
	after  bool // the storage carries the request out first
	answer http.HandlerFunc
}

// inWorld runs a test in a bubble of virtual time with a world of its own.
func inWorld(t *testing.T, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, journal: &journal{}}
		defer w.serve()()
		w.Client = w.client(zone, secret)
		defer w.Close()
		test(t.Context(), w)
	})
}

func (w *world) client(zone, secret string) *objects.Client {
	w.t.Helper()
	client, err := objects.New(w.net, zone, key, secret, w.journal)
	w.check(err)
	return client
}

// serve brings up the storage's host and returns what takes it down.
func (w *world) serve() func() {
	const name = "sos-" + zone + ".exo.io"
	server := netip.MustParseAddr("192.0.2.1")
	memory := fabric.New(fabric.Config{Resolve: func(_ context.Context, asked string) ([]netip.Addr, error) {
		if asked == name {
			return []netip.Addr{server}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: asked, IsNotFound: true}
	}})
	ca, err := fabric.NewCA("Internet")
	w.check(err)
	tls, err := ca.ServerTLS(name)
	w.check(err)
	host, err := memory.Host(server)
	w.check(err)
	listener, err := host.Listen(443)
	w.check(err)
	client, err := memory.Host(netip.MustParseAddr("192.0.2.2"))
	w.check(err)
	w.net = client.Network(ca.Pool())
	w.store()
	service := &http.Server{Handler: w, TLSConfig: tls} //nolint:gosec // a test
	go func() { _ = service.ServeTLS(listener, "", "") }()
	return func() { _ = service.Close(); memory.Close() }
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + r.URL.RequestURI()
	w.mutex.Lock()
	w.requests = append(w.requests, request)
	i := slices.IndexFunc(w.accidents, func(a accident) bool { return strings.HasPrefix(request, a.on) })
	var happens accident
	if i >= 0 {
		happens = w.accidents[i]
		w.accidents = slices.Delete(w.accidents, i, i+1)
	}
	w.mutex.Unlock()
	if i < 0 || happens.after {
		w.storage.ServeHTTP(answer, r)
	}
	switch {
	case i < 0:
	case happens.answer == nil:
		panic(http.ErrAbortHandler)
	default:
		happens.answer(answer, r)
	}
}

// count returns how many requests contain text.
func (w *world) count(text string) int {
	return w.countIf(func(request string) bool { return strings.Contains(request, text) })
}

func (w *world) mutating() int {
	return w.countIf(func(request string) bool {
		return !strings.HasPrefix(request, "GET ") && !strings.HasPrefix(request, "HEAD ")
	})
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

// refuses answers with an S3 error.
func refuses(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>in words</Message></Error>"))
	}
}

// answers answers with an XML document.
func answers(document string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write([]byte(document))
	}
}

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
