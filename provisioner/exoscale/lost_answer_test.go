package exoscale_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

type loss struct {
	request string
	ending  string // of the request's path
	ensure  func(ctx context.Context, w *world) (state.Action, error)
}

func ensuredAs(kind string) func(context.Context, *world) (state.Action, error) {
	return func(ctx context.Context, w *world) (state.Action, error) { return ensures(ctx, w)[kind]() }
}

// losses returns all requests by which an Ensure method changes something.
func losses() map[string]loss {
	return map[string]loss{
		"security-group":      {request: "POST /v2/security-group", ensure: ensuredAs("security-group")},
		"security-group-rule": {request: "POST /v2/security-group/", ending: "/rules", ensure: ensuredAs("security-group")},
		"anti-affinity-group": {request: "POST /v2/anti-affinity-group", ensure: ensuredAs("anti-affinity-group")},
		"elastic-ip":          {request: "POST /v2/elastic-ip", ensure: ensuredAs("elastic-ip")},
		"reverse-dns":         {request: "POST /v2/reverse-dns/elastic-ip/", ensure: ensuredAs("elastic-ip")},
		"dns-zone":            {request: "POST /v2/dns-domain", ensure: ensuredAs("dns-zone")},
		"dns-record":          {request: "POST /v2/dns-domain/", ending: "/record", ensure: ensureRecordInZone(60)},
		"dns-record update":   {request: "PUT /v2/dns-domain/", ensure: ensureLongerRecord},
		"instance":            {request: "POST /v2/instance", ensure: ensuredAs("instance")},
		"protection":          {request: "PUT /v2/instance/", ending: ":add-protection", ensure: ensureProtected},
		"elastic-ip attached": {request: "PUT /v2/elastic-ip/", ending: ":attach", ensure: ensureAttached},
		"elastic-ip update":   {request: "PUT /v2/elastic-ip/", ensure: ensureOtherCheck},
		"iam-role":            {request: "POST /v2/iam-role", ensure: ensuredAs("iam-role")},
		"iam-role policy":     {request: "PUT /v2/iam-role/", ending: ":policy", ensure: ensureOtherPolicy},
	}
}

func ensureRecordInZone(ttl int) func(context.Context, *world) (state.Action, error) {
	return func(ctx context.Context, w *world) (state.Action, error) {
		made, _, err := w.EnsureZone(ctx, "example.com")
		w.check(err)
		return w.EnsureRecord(ctx, made.ID, a("api", "192.0.2.7", ttl))
	}
}

func ensureLongerRecord(ctx context.Context, w *world) (state.Action, error) {
	if w.count("POST /v2/dns-domain/") == 0 {
		_, err := ensureRecordInZone(60)(ctx, w)
		w.check(err)
	}
	return ensureRecordInZone(90)(ctx, w)
}

func ensureProtected(ctx context.Context, w *world) (state.Action, error) {
	wanted := w.machine(ctx, "lb-0")
	wanted.Protected = true
	_, action, err := w.EnsureInstance(ctx, wanted)
	return action, err
}

func ensureAttached(ctx context.Context, w *world) (state.Action, error) {
	ip, _, err := w.EnsureElasticIP(ctx, elasticIP())
	w.check(err)
	made, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
	w.check(err)
	return w.EnsureAttached(ctx, ip.ID, made.ID)
}

func ensureOtherCheck(ctx context.Context, w *world) (state.Action, error) {
	if w.count("POST /v2/elastic-ip") == 0 {
		_, _, err := w.EnsureElasticIP(ctx, elasticIP())
		w.check(err)
	}
	other := elasticIP()
	other.Healthcheck.StrikesFail = 7
	_, action, err := w.EnsureElasticIP(ctx, other)
	return action, err
}

func ensureOtherPolicy(ctx context.Context, w *world) (state.Action, error) {
	if w.count("POST /v2/iam-role") == 0 {
		_, _, err := w.EnsureRole(ctx, role())
		w.check(err)
	}
	other := role()
	other.Policy.DefaultServiceStrategy = "allow"
	_, action, err := w.EnsureRole(ctx, other)
	return action, err
}

func (l loss) sent(w *world) (n int) {
	for _, request := range w.Requests() {
		rest, ok := strings.CutPrefix(request, l.request)
		if ok && (rest == "" || strings.HasSuffix(l.request, "/") && strings.HasSuffix(rest, l.ending)) {
			n++
		}
	}
	return n
}

func TestEnsure_LostAnswerMakesNoDuplicate(t *testing.T) {
	for name, l := range losses() {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: l.request, ServeFirst: true})
				_, err := l.ensure(ctx, w)
				w.check(err)
				if strings.HasPrefix(l.request, "POST") && l.sent(w) != 1 {
					w.t.Errorf("sent %d times", l.sent(w))
				}
				w.unchanged(func() {
					action, err := l.ensure(ctx, w)
					w.wantAction(action, err, state.Found)
				})
				if len(w.journal.open) > 0 {
					w.t.Errorf("the journal misses results: %v", w.journal.open)
				}
			})
		})
	}
}

func TestEnsure_RepeatsUndeliveredChange(t *testing.T) {
	for name, l := range losses() {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: l.request}, site.Fault{Match: l.request, Respond: matchPattern(502, "<html>")})
				_, err := l.ensure(ctx, w)
				w.check(err)
				if strings.HasPrefix(l.request, "POST") && l.sent(w) != 3 {
					w.t.Errorf("sent %d times: %v", l.sent(w), w.Requests())
				}
				w.unchanged(func() {
					action, err := l.ensure(ctx, w)
					w.wantAction(action, err, state.Found)
				})
			})
		})
	}
}

// What the API says that it did not do is requested again, however little a repetition may be repeated otherwise.
func TestEnsure_RetriesThrottledChange(t *testing.T) {
	for name, l := range losses() {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				inWorld(t, func(ctx context.Context, w *world) {
					w.InjectFaults(site.Fault{Match: l.request, Respond: func(answer http.ResponseWriter, r *http.Request) {
						answer.Header().Set("Retry-After", "42")
						matchPattern(status, `{"message":"slow down"}`)(answer, r)
					}})
					began := time.Now()
					_, err := l.ensure(ctx, w)
					w.check(err)
					if took := time.Since(began); took < 42*time.Second {
						w.t.Errorf("took %s", took)
					}
					if strings.HasPrefix(l.request, "POST") && l.sent(w) != 2 {
						w.t.Errorf("sent %d times", l.sent(w))
					}
				})
			})
		}
	}
}
