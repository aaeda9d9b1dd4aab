package zoneimage

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

func TestCopy_SameImageAsFromHere(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		sum, err := l.copy(l.Context())
		l.must(err)
		l.wantImage(sum)
		l.wantEmpty()
		if uploads := l.zone.Uploads(); uploads > 0 {
			l.Errorf("%d uploads are left", uploads)
		}
		if seen := l.sightings(); !strings.Contains(seen, "copies the image") || strings.Contains(seen, "checks the network") {
			l.Errorf("the progress was\n%s", seen)
		}
		l.wantNoSecret(l.sightings())
	})
}

func TestCopy_ShowsMachineProgress(t *testing.T) {
	slow := gate(func(_ int, w http.ResponseWriter, r *http.Request, next http.Handler) {
		_ = network.Clock{}.Sleep(r.Context(), 20*time.Second)
		next.ServeHTTP(w, r)
	})
	inLab(t, simcloud.Options{Middleware: slow}, func(l *lab) {
		_, err := l.copy(l.Context())
		l.must(err)
		if seen := l.sightings(); strings.Count(seen, "downloading the boot image: 0 of 1 MB") != 1 {
			l.Errorf("the progress was\n%s", seen)
		}
	})
}

func TestCopy_WrongChecksumIsRefused(t *testing.T) {
	inLab(t, simcloud.Options{}, func(l *lab) {
		l.image.SHA256 = strings.Repeat("0", 64)
		_, err := l.copy(l.Context())
		l.wantFault(err, fault.Invalid, "sha256", "published is 0000", "copy the image in the zone")
		l.wantNoUpload()
		l.wantEmpty()
	})
}

func TestCopy_AlteredDownloadIsRefused(t *testing.T) {
	alter := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "qcow2") {
				w.WriteHeader(http.StatusOK)
				_, _ = io.WriteString(w, "not an image")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	inLab(t, simcloud.Options{Mirror: alter}, func(l *lab) {
		_, err := l.copy(l.Context())
		l.wantFault(err, fault.Invalid, "copy the image in the zone", "gzip")
		l.wantNoUpload()
		l.wantEmpty()
	})
}

func TestCopy_RefusedLinkIsDenied(t *testing.T) {
	refuse := gate(func(_ int, w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
	})
	inLab(t, simcloud.Options{Middleware: refuse}, func(l *lab) {
		_, err := l.copy(l.Context())
		l.wantFault(err, fault.Denied, "part 1", "rejects the link:", "AccessDenied", "run again")
		l.wantNoUpload()
		l.wantEmpty()
	})
}

// A link is one to its part of its object, as the storage checks.
func TestCopy_LinksOpenNothingElse(t *testing.T) {
	var stolen []int
	steal := gate(func(_ int, w http.ResponseWriter, r *http.Request, next http.Handler) {
		for _, alter := range []func(*http.Request){
			func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, object, "other", 1) },
			func(r *http.Request) {
				r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "partNumber=1", "partNumber=2", 1)
			},
			func(r *http.Request) { r.Method = http.MethodDelete },
		} {
			other := r.Clone(r.Context())
			other.Body = http.NoBody
			alter(other)
			answer := &status{ResponseWriter: w}
			next.ServeHTTP(answer, other)
			stolen = append(stolen, answer.code)
		}
		next.ServeHTTP(w, r)
	})
	inLab(t, simcloud.Options{Middleware: steal}, func(l *lab) {
		_, err := l.copy(l.Context())
		l.must(err)
		if len(stolen) != 3 {
			l.Fatalf("%d requests were tried", len(stolen))
		}
		for n, code := range stolen {
			if code != http.StatusForbidden {
				l.Errorf("request %d was answered with %d", n, code)
			}
		}
	})
}

// status keeps an answer from the client.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) Header() http.Header               { return http.Header{} }
func (s *status) WriteHeader(code int)              { s.code = code }
func (s *status) Write(content []byte) (int, error) { return len(content), nil }

func TestCopy_RetriesParts(t *testing.T) {
	stumble := gate(func(attempt int, w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch attempt {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			next.ServeHTTP(w, r)
		}
	})
	inLab(t, simcloud.Options{Middleware: stumble}, func(l *lab) {
		sum, err := l.copy(l.Context())
		l.must(err)
		l.wantImage(sum)
	})
}

func TestCopy_LostMachineLeavesNothing(t *testing.T) {
	var world *lab
	lose := gate(func(_ int, _ http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that its client is gone
		go world.deleteMachines()          // not within the request, which ends with the machine
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	inLab(t, simcloud.Options{Middleware: lose}, func(l *lab) {
		world = l
		_, err := l.copy(l.Context())
		l.wantFault(err, fault.Transient, "stopped or deleted", "run it again")
		l.wantNoUpload()
		l.wantEmpty()
	})
}

// deleteMachines deletes the machines of copies, as somebody else would.
func (l *lab) deleteMachines() {
	machines, err := l.cloud.ListInstances(context.Background(), nil)
	if err != nil {
		l.Error(err)
	}
	for _, m := range machines {
		if m.Labels[state.LabelCheck] == "" {
			continue
		}
		if _, err := l.cloud.Delete(context.Background(), state.Object{Kind: state.KindInstance, Name: m.Name, ID: m.ID}); err != nil {
			l.Error(err)
		}
	}
}

func TestCopy_StopLeavesNothing(t *testing.T) {
	var stop func()
	hang := gate(func(attempt int, w http.ResponseWriter, r *http.Request, next http.Handler) {
		if attempt == 1 {
			stop()
			_ = network.Clock{}.Sleep(r.Context(), 10*time.Second)
		}
		next.ServeHTTP(w, r)
	})
	inLab(t, simcloud.Options{Middleware: hang}, func(l *lab) {
		ctx, cancel := context.WithCancel(l.Context())
		defer cancel()
		stop = cancel
		_, err := l.copy(ctx)
		l.wantFault(err, fault.Cancelled)
		l.wantNoUpload()
		l.wantEmpty()
	})
}

// killer ends this process at the machine's first part: it sends nothing more. The machine goes on.
type killer struct {
	kill func()
	dead atomic.Bool
	done atomic.Bool // the process was started again
}

func (k *killer) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch machine := strings.HasPrefix(r.RemoteAddr, "198.18."); {
		case machine && isPart(r) && k.dead.CompareAndSwap(false, true):
			k.kill()
		case !machine && k.dead.Load() && !k.done.Load():
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

func TestCopy_NextRunRemovesKilledOne(t *testing.T) {
	k := &killer{}
	inLab(t, simcloud.Options{Middleware: k.gate}, func(l *lab) {
		ctx, cancel := context.WithCancel(l.Context())
		defer cancel()
		k.kill = cancel
		if _, err := l.copy(ctx); err == nil {
			l.Fatal("the killed copy succeeded")
		}
		k.done.Store(true)
		if l.zone.Uploads() == 0 {
			l.Error("the upload was aborted: nothing was killed")
		}
		l.must(l.newCopier().CleanUp(l.Context(), l.see))
		l.wantEmpty()
		sum, err := l.copy(l.Context())
		l.must(err)
		l.wantImage(sum)
		l.wantEmpty()
		if uploads := l.zone.Uploads(); uploads > 0 {
			l.Errorf("%d uploads are left", uploads)
		}
	})
}

func TestCleanUp_WithoutLeftoversSendsNothing(t *testing.T) {
	var requests atomic.Int64
	count := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			next.ServeHTTP(w, r)
		})
	}
	inLab(t, simcloud.Options{Middleware: count}, func(l *lab) {
		before := requests.Load()
		l.must(l.newCopier().CleanUp(l.Context(), l.see))
		if made := requests.Load() - before; made != 0 {
			l.Errorf("%d requests", made)
		}
	})
}
