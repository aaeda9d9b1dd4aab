package conformance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

const (
	zoneName = "ch-gva-2"
	key      = "EXOkey"
	secret   = "very-secret-value"
)

// world is a simulated zone, and a run's options in it.
type world struct {
	*testing.T
	zone    *simcloud.Zone
	options Options
	emitted []Verdict
}

func inWorld(t *testing.T, options simcloud.Options, test func(*world)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".conformance")
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t}
		options.Zone, options.Key, options.Secret = zoneName, key, secret
		zone, err := simcloud.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := zone.Close(); err != nil {
				t.Error(err)
			}
		}()
		w.zone = zone
		w.options = Options{
			Network: zone.Network(), Zone: zoneName, Key: key, Secret: secret, Dir: dir,
			Progress: func(text string) { t.Log(text) },
			Emit:     func(v Verdict) { w.emitted = append(w.emitted, v) },
		}
		test(w)
	})
}

// run makes a run that ends well, whatever it finds.
func (w *world) run() map[string]Verdict {
	w.Helper()
	verdicts, err := Run(w.Context(), w.options)
	if err != nil {
		w.Fatalf("%v; consoles: %v", err, w.zone.Consoles())
	}
	if ids := listIDs(verdicts); !slices.Equal(ids, IDs()) {
		w.Errorf("verdicts are %v", ids)
	}
	if len(w.emitted) != len(verdicts) {
		w.Errorf("%d verdicts were emitted, %d returned", len(w.emitted), len(verdicts))
	}
	all := map[string]Verdict{}
	for _, v := range verdicts {
		if v.Type != "verdict" || v.Text == "" || strings.Contains(v.Text, secret) || strings.Contains(v.Text, "X-Amz-") {
			w.Errorf("%+v", v)
		}
		all[v.ID] = v
	}
	return all
}

func listIDs(verdicts []Verdict) (ids []string) {
	for _, v := range verdicts {
		ids = append(ids, v.ID)
	}
	return ids
}

// left returns everything in the zone.
func (w *world) left() (things []string) {
	w.Helper()
	cloud, err := exoscale.New(w.options.Network, zoneName, key, secret, state.NoJournal{})
	w.must(err)
	defer cloud.Close()
	storage, err := objects.New(w.options.Network, zoneName, key, secret, state.NoJournal{})
	w.must(err)
	defer storage.Close()
	all, err := cloud.ListObjects(w.Context())
	w.must(err)
	buckets, err := storage.ListBuckets(w.Context())
	w.must(err)
	for _, o := range append(all, buckets...) {
		things = append(things, o.Kind+" "+o.Name)
	}
	return things
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) wantEmpty(before []string) {
	w.Helper()
	for _, thing := range w.left() {
		if !slices.Contains(before, thing) {
			w.Errorf("left behind: %s", thing)
		}
	}
}

func TestRun_ZoneKeepsAssumptions(t *testing.T) {
	inWorld(t, simcloud.Options{}, func(w *world) {
		before := w.left()
		for id, v := range w.run() {
			if !v.OK {
				w.Errorf("%s: %s", id, v.Text)
			}
		}
		w.wantEmpty(before)
		if records, _ := filepath.Glob(filepath.Join(w.options.Dir, "*")); len(records) > 0 {
			w.Errorf("records are left: %v", records)
		}
	})
}
