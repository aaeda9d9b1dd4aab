package zoneimage

import (
	"context"
	"crypto/md5" //nolint:gosec // images are identified by their MD5
	"encoding/hex"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/mirror"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
)

const (
	zone   = "ch-gva-2"
	key    = "EXOkey"
	secret = "very-secret-value"
	bucket = "c-1-image"
	object = "rhcos.qcow2"
)

// lab is a simulated zone with a bucket for an image, and a copier.
type lab struct {
	*testing.T
	zone    *simcloud.Zone
	cloud   *exoscale.Client
	storage *objects.Client
	dir     string
	image   state.BootImage
	spec    state.Spec

	mu   sync.Mutex
	seen []string
}

func inLab(t *testing.T, options simcloud.Options, test func(*lab)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".checks")
	synctest.Test(t, func(t *testing.T) {
		options.Zone, options.Key, options.Secret, options.Program = zone, key, secret, RunOnMachine
		open, err := simcloud.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := open.Close(); err != nil {
				t.Error(err)
			}
		}()
		l := &lab{T: t, zone: open, dir: dir}
		l.spec.Cluster.ID, l.spec.Exoscale.Zone = "c-1", zone
		build, _, sum := mirror.BuildImage("4.19.1")
		l.image = state.BootImage{Build: build, URL: mirror.ImageURL("4.19.1"), SHA256: sum}
		l.cloud, err = exoscale.New(open.Network(), zone, key, secret, state.NoJournal{})
		l.must(err)
		defer l.cloud.Close()
		l.storage, err = objects.New(open.Network(), zone, key, secret, state.NoJournal{})
		l.must(err)
		defer l.storage.Close()
		_, err = l.storage.EnsureBucket(t.Context(), bucket)
		l.must(err)
		test(l)
	})
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%v (%s)", err, fault.HintOf(err))
	}
}

// newCopier returns a copier whose program is a few bytes: machines of the zone run this one anyway.
func (l *lab) newCopier() *Copier {
	return New(Options{
		Network: l.zone.Network(), Spec: l.spec, Secrets: wizard.Secrets{APIKey: key, APISecret: secret}, Objects: l.storage, Dir: l.dir,
		Program: func() (remoterun.Program, error) {
			open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a program")), nil }
			return remoterun.Program{Args: []string{Verb}, Open: open}, nil
		},
	})
}

func (l *lab) copy(ctx context.Context) (string, error) {
	return l.newCopier().Copy(ctx, l.image, bucket, object, l.see)
}

func (l *lab) see(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, text)
}

func (l *lab) sightings() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.seen, "\n")
}

// wantImage fails unless the object is the image as this workstation would upload it.
func (l *lab) wantImage(sum string) {
	l.Helper()
	image, err := download.New(l.zone.Network(), func(string) {}).OpenImage(l.Context(), l.image, func(string) {})
	l.must(err)
	content, err := io.ReadAll(ignition.PatchPlatform(image))
	l.must(err)
	l.must(image.Close())
	want := md5.Sum(content) //nolint:gosec // see the imports
	if sum != hex.EncodeToString(want[:]) {
		l.Errorf("the checksum is %s, and from here it would be %x", sum, want)
	}
	uploaded, err := l.storage.GetObject(l.Context(), bucket, object, 1<<30)
	l.must(err)
	if string(uploaded) != string(content) {
		l.Errorf("%d bytes were uploaded, and from here they would be %d", len(uploaded), len(content))
	}
}

// wantEmpty fails if there is anything of a copy beside its object, or a part of one.
func (l *lab) wantEmpty() {
	l.Helper()
	there, err := l.cloud.ListObjects(l.Context())
	l.must(err)
	buckets, err := l.storage.ListBuckets(l.Context())
	l.must(err)
	for _, o := range append(there, buckets...) {
		if strings.Contains(o.Name, "exoshift-check") || o.Labels[state.LabelCheck] != "" {
			l.Errorf("left behind: %s %s", o.Kind, o.Name)
		}
	}
	records, err := filepath.Glob(filepath.Join(l.dir, "*"))
	l.must(err)
	if len(records) > 0 {
		l.Errorf("left behind: %s", records)
	}
}

// wantNoUpload fails if the object exists, or an upload of it was not aborted.
func (l *lab) wantNoUpload() {
	l.Helper()
	if _, err := l.storage.GetObject(l.Context(), bucket, object, 1<<30); !fault.Is(err, fault.NotFound) {
		l.Errorf("the object is there: %v", err)
	}
	if uploads := l.zone.Uploads(); uploads > 0 {
		l.Errorf("%d uploads are left", uploads)
	}
}

func (l *lab) wantFault(err error, kind fault.Kind, words ...string) {
	l.Helper()
	if !fault.Is(err, kind) {
		l.Fatalf("%v of kind %d, want kind %d", err, fault.KindOf(err), kind)
	}
	text := err.Error() + " / " + fault.HintOf(err)
	for _, word := range words {
		if !strings.Contains(text, word) {
			l.Errorf("%q does not say %q", text, word)
		}
	}
	l.wantNoSecret(text)
}

func (l *lab) wantNoSecret(text string) {
	l.Helper()
	if strings.Contains(text, secret) || strings.Contains(text, "X-Amz-Signature") {
		l.Errorf("%q has a secret", text)
	}
}

// isPart reports whether a request uploads a part of an object.
func isPart(r *http.Request) bool {
	return r.Method == http.MethodPut && r.URL.Query().Has("partNumber")
}

// gate lets a test decide about the upload of parts; attempt begins at 1.
func gate(decide func(attempt int, w http.ResponseWriter, r *http.Request, next http.Handler)) func(http.Handler) http.Handler {
	var mu sync.Mutex
	attempts := 0
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isPart(r) {
				next.ServeHTTP(w, r)
				return
			}
			mu.Lock()
			attempts++
			attempt := attempts
			mu.Unlock()
			decide(attempt, w, r, next)
		})
	}
}
