package contract_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/api/description"
)

func TestContract_SimulatedZone(t *testing.T) {
	official, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	suite(t, func(t *testing.T, use func(*world)) {
		t.Helper()
		t.Parallel()
		synctest.Test(t, func(t *testing.T) { use(simulated(t, official)) })
	})
}

// simulated opens a zone in memory, whose every answer is held against the official description.
func simulated(t *testing.T, official *description.Description) *world {
	t.Helper()
	account := account{zone: "ch-gva-2", key: "EXOkey", secret: "very-secret-value"}
	zone, err := simcloud.Open(t.Context(), simcloud.Options{
		Zone: account.zone, Key: account.key, Secret: account.secret,
		Middleware: func(next http.Handler) http.Handler {
			checked := official.Validate(next, func(err error) { t.Error(err) })
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.Host, "api-") {
					checked.ServeHTTP(w, r)
					return
				}
				next.ServeHTTP(w, r)
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := zone.Close(); err != nil {
			t.Error(err)
		}
	})
	w := newWorld(t, zone.Network(), account)
	w.image = w.smallImage(w.ctx())
	return w
}

// smallImage puts an image into the object storage, which is where the zone can fetch it.
func (w *world) smallImage(ctx context.Context) string {
	w.Helper()
	box := w.name("image")
	_, err := w.buckets.EnsureBucket(ctx, box)
	w.check(err)
	_, err = w.buckets.EnsureObject(ctx, box, "image.qcow2", []byte("QFI\xfb and more"))
	w.check(err)
	link, err := w.buckets.SignGetURL(ctx, box, "image.qcow2", time.Hour)
	w.check(err)
	return link
}

func TestContract_RealZone(t *testing.T) {
	account := account{zone: os.Getenv("EXOSHIFT_E2E_ZONE"), key: os.Getenv("EXOSCALE_API_KEY"), secret: os.Getenv("EXOSCALE_API_SECRET")}
	if account.zone == "" || account.key == "" || account.secret == "" {
		t.Skip("set EXOSHIFT_E2E_ZONE, EXOSCALE_API_KEY and EXOSCALE_API_SECRET to try a live zone, which costs a little money")
	}
	limit, err := time.ParseDuration(cmp.Or(os.Getenv("EXOSHIFT_E2E_LIMIT"), "30m"))
	if err != nil {
		t.Fatalf("EXOSHIFT_E2E_LIMIT: %v; it is a duration such as 45m", err)
	}
	limited, cancel := context.WithTimeoutCause(context.WithoutCancel(t.Context()), limit, fmt.Errorf("the time limit, %s, is over", limit))
	defer cancel()
	newWorld(t, network.Host(), account).sweepEarlier()
	suite(t, func(t *testing.T, use func(*world)) {
		t.Helper()
		if limited.Err() != nil {
			t.Fatal(context.Cause(limited))
		}
		w := newWorld(t, network.Host(), account)
		w.image, w.limited = os.Getenv("EXOSHIFT_E2E_IMAGE_URL"), limited
		use(w)
	})
}

func TestCleanup_AfterTimeLimit(t *testing.T) {
	official, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := simulated(t, official)
		wanted := w.machine(w.ctx(), "lb-0")
		// The zone takes 18 seconds at least to run a machine.
		limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		unlimited := w.limited
		w.limited = limited
		if _, _, err := w.cloud.EnsureInstance(w.ctx(), wanted); err == nil {
			t.Error("the machine runs before the limit")
		}
		w.sweep()
		w.limited = unlimited
		if left := w.named(w.ctx(), "", ""); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestCleanup_RemovesKilledRun(t *testing.T) {
	official, err := description.Load()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := simulated(t, official)
		young, old := newRun(time.Now().Add(-time.Hour)), newRun(time.Now().Add(-3*time.Hour))
		for _, name := range []string{young + "masters", old + "masters", "c-e2e-masters"} {
			_, _, err := w.cloud.EnsureAntiAffinityGroup(w.ctx(), name, "of a test")
			w.check(err)
		}
		w.sweepEarlier()
		for name, want := range map[string]int{young: 1, old: 0, "c-e2e-": 1} {
			w.run = name
			if n := len(w.named(w.ctx(), "", "")); n != want {
				t.Errorf("%s: %d, want %d", name, n, want)
			}
		}
	})
}
