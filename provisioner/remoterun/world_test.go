package remoterun_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
)

const (
	region = "ch-gva-2"
	key    = "EXOkey"
	secret = "very-secret-value"
)

// lab is a simulated zone, and what runs machines in it.
type lab struct {
	*testing.T
	zone *simcloud.Zone
	net  network.Network
	dir  string

	mu   sync.Mutex
	seen []string
	runs int // how often a machine ran the program
}

func inLab(t *testing.T, options simcloud.Options, test func(*lab)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".checks")
	synctest.Test(t, func(t *testing.T) {
		l := &lab{T: t, dir: dir}
		options.Zone, options.Key, options.Secret = region, key, secret
		if options.Program == nil {
			options.Program = l.program
		}
		zone, err := simcloud.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := zone.Close(); err != nil {
				t.Error(err)
			}
		}()
		l.zone, l.net = zone, zone.Network()
		test(l)
	})
}

// program is what the machine runs: it prints its arguments and input.
func (l *lab) program(_ context.Context, _ network.Network, program []byte, args []string, in io.Reader, out io.Writer) int {
	l.mu.Lock()
	l.runs++
	l.mu.Unlock()
	input, err := io.ReadAll(in)
	if err != nil {
		return 1
	}
	_, _ = io.WriteString(out, string(program)+" "+strings.Join(args, " ")+" "+string(input))
	return 0
}

func (l *lab) vantage() *remoterun.Zone { return l.vantageOf(l.dir) }

func (l *lab) vantageOf(dir string) *remoterun.Zone {
	return remoterun.NewZone(remoterun.ZoneOptions{
		Zone: region, Dir: dir, Clock: l.net.Clock, Connect: l.connect, Groups: groups(),
	})
}

func (l *lab) connect(journal state.Recorder) (remoterun.Cloud, remoterun.Storage, func(), error) {
	cloud, err := exoscale.New(l.net, region, key, secret, journal)
	if err != nil {
		return nil, nil, nil, err
	}
	storage, err := objects.New(l.net, region, key, secret, journal)
	if err != nil {
		return nil, nil, nil, err
	}
	return cloud, storage, func() { cloud.Close(); storage.Close() }, nil
}

// client is another client in the zone, without a journal.
func (l *lab) client() (*exoscale.Client, *objects.Client) {
	l.Helper()
	cloud, storage, end, err := l.connect(state.NoJournal{})
	l.must(err)
	l.Cleanup(end)
	return cloud.(*exoscale.Client), storage.(*objects.Client)
}

func (l *lab) hear(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, text)
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%v; consoles: %v", err, l.zone.Consoles())
	}
}

// empty fails if a run left anything in the zone or in the folder.
func (l *lab) empty() {
	l.Helper()
	for _, thing := range l.left() {
		l.Errorf("left behind: %s", thing)
	}
}

// left returns everything of runs in the zone and in the folder.
func (l *lab) left() (things []string) {
	l.Helper()
	cloud, storage, end, err := l.connect(state.NoJournal{})
	l.must(err)
	defer end()
	there, err := cloud.(*exoscale.Client).ListObjects(l.Context())
	l.must(err)
	buckets, err := storage.(*objects.Client).ListBuckets(l.Context())
	l.must(err)
	for _, o := range append(there, buckets...) {
		if strings.Contains(o.Name, "exoshift-check") || o.Labels[state.LabelCheck] != "" {
			things = append(things, o.Kind+" "+o.Name)
		}
	}
	folders, err := filepath.Glob(filepath.Join(l.dir, "*"))
	l.must(err)
	return append(things, folders...)
}

func (l *lab) fails(err error, kind fault.Kind, words ...string) {
	l.Helper()
	if !fault.Is(err, kind) {
		l.Fatalf("%v of kind %d, want kind %d; consoles: %v", err, fault.KindOf(err), kind, l.zone.Consoles())
	}
	text := err.Error() + " / " + fault.HintOf(err)
	for _, word := range words {
		if !strings.Contains(text, word) {
			l.Errorf("%q does not say %q", text, word)
		}
	}
	if fault.HintOf(err) == "" || strings.Contains(text, secret) || strings.Contains(text, "X-Amz-Signature") {
		l.Errorf("%q: no hint, or too much", text)
	}
}

// groups are those of a node in two groups.
func groups() []state.SecurityGroup {
	return []state.SecurityGroup{
		{Name: "c-1_all_machines", Rules: []state.Rule{
			{Protocol: "tcp", From: 22, To: 22, Group: "c-1_all_machines"},
			{Protocol: "icmp", ICMPType: 8, CIDR: "0.0.0.0/0"},
		}},
		{Name: "c-1_worker", Rules: []state.Rule{{Protocol: "tcp", From: 30000, To: 32767, CIDR: "0.0.0.0/0"}}},
	}
}

func text(content string) remoterun.Program {
	return remoterun.Program{
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		Args: []string{"probe", "it's"},
	}
}

// door lets a test decide about requests.
type door struct {
	mu   sync.Mutex
	pass func(http.ResponseWriter, *http.Request, http.Handler)
}

func (d *door) set(pass func(http.ResponseWriter, *http.Request, http.Handler)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pass = pass
}

func (d *door) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		pass := d.pass
		d.mu.Unlock()
		if pass == nil {
			next.ServeHTTP(w, r)
			return
		}
		pass(w, r, next)
	})
}
