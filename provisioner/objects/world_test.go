package objects_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/site"
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

// world is an object storage with real TLS and fault injection.
type world struct {
	*objects.Client
	*site.Site
	t       *testing.T
	net     network.Network
	journal *journal
}

// Close closes the client, then the site.
func (w *world) Close() { w.Client.Close(); w.Site.Close() }

func inWorld(t *testing.T, test func(ctx context.Context, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, journal: &journal{}}
		var err error
		w.Site, err = site.Open(w.store(), "sos-"+zone+".exo.io")
		w.check(err)
		w.net = w.Network()
		w.Client = w.client(zone, secret)
		// The server waits half a second on a closed connection.
		defer time.Sleep(time.Second)
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

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) count(text string) int {
	n := 0
	for _, request := range w.Requests() {
		if strings.Contains(request, text) {
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

func refuses(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>in words</Message></Error>"))
	}
}

func answers(document string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write([]byte(document))
	}
}

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
