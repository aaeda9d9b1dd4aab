package exoscale_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/site"
	"exoshift/provisioner/exoscale"
	"exoshift/state"
)

const groups = "/v2/anti-affinity-group"

func ensureGroup(ctx context.Context, w *world) error {
	_, _, err := w.EnsureAntiAffinityGroup(ctx, "masters", "")
	return err
}

func TestTransport_RefusalKindAndMessage(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   fault.Kind
		words  []string
	}{
		{400, `{"message":"bad name","errors":[{"message":"too long"}]}`, fault.Invalid, []string{"400", "bad name", "too long"}},
		{401, `{"message":"bad signature"}`, fault.Denied, []string{"bad signature", "clock"}},
		{403, `{"message":"denied by policy"}`, fault.Denied, []string{"denied by policy", "IAM role", zone}},
		{403, `{"message":"Operation x is forbidden - reason: Locked by NLB y"}`, fault.Conflict, []string{"Locked by NLB"}},
		{403, `{"message":"quota exceeded"}`, fault.Quota, []string{"limit"}},
		{404, `{"error":"no such thing"}`, fault.NotFound, []string{"no such thing", zone}},
		{409, `{"message":"exists"}`, fault.Conflict, []string{"exists"}},
		{409, `{"message":"Public key is invalid"}`, fault.Invalid, nil},
		{422, `{"type":"x","title":"Invalid body","detail":"name","errors":["a",{"path":"b","detail":"c"}]}`, fault.Invalid, []string{"Invalid body; name", "b c"}},
		{429, `{"message":"rate limit exceeded"}`, fault.Transient, []string{"rate limit"}},
		{500, `oh no`, fault.Transient, []string{"500", "oh no", "run again"}},
		{500, ``, fault.Transient, []string{"500 Internal Server Error"}},
	} {
		t.Run(http.StatusText(c.status)+" "+c.body, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(slices.Repeat([]site.Fault{{Match: "POST " + groups, Respond: matchPattern(c.status, c.body)}}, 5)...)
				w.wantFault(ensureGroup(ctx, w), c.kind, append(c.words, "create anti-affinity-group masters", "POST "+groups)...)
			})
		})
	}
}

func TestTransport_ProblemDetails(t *testing.T) {
	config := api.Config{Key: key, Secret: secret, Problems: true}
	inWorldOf(t, config, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureAntiAffinityGroup(ctx, strings.Repeat("m", 256), "")
		w.wantFault(err, fault.Invalid, "name", "Bad Request;")
	})
}

// A gateway may answer 503 although its server has carried out the change.
func TestTransport_SearchesBeforeRepeatedCreate(t *testing.T) {
	gateway := func(answer http.ResponseWriter, _ *http.Request) {
		http.Error(answer, "upstream reset", http.StatusServiceUnavailable)
	}
	for name, c := range map[string]struct {
		respond  http.HandlerFunc
		searches int
	}{
		"429": {matchPattern(429, `{}`), 1}, "503": {matchPattern(503, `{}`), 1},
		"500": {matchPattern(500, `{}`), 2}, "502": {matchPattern(502, ``), 2}, "504": {matchPattern(504, ``), 2}, "gateway": {gateway, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "POST " + groups, Respond: c.respond})
				w.check(ensureGroup(ctx, w))
				posts, searches := w.count("POST"), w.count("GET "+groups)-w.count("GET "+groups+"/")
				if posts != 2 || searches != c.searches {
					w.t.Errorf("sent %d times, searched %d times: %v", posts, searches, w.Requests())
				}
			})
		})
	}
}

func TestTransport_HonoursRetryAfter(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		busy := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "42")
			matchPattern(429, `{"message":"slow down"}`)(w, r)
		}
		w.InjectFaults(site.Fault{Match: "GET /v2/quota", Respond: busy})
		began := time.Now()
		_, err := w.ListQuotas(ctx)
		w.check(err)
		if took := time.Since(began); took < 42*time.Second || took > 44*time.Second {
			w.t.Errorf("took %s", took)
		}
	})
}

func TestTransport_RetriesReadsOnShortOutage(t *testing.T) {
	outage := site.Fault{Match: "GET /v2/quota"}
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(outage, site.Fault{Match: "GET /v2/quota", Respond: matchPattern(502, "")}, outage)
		_, err := w.ListQuotas(ctx)
		w.check(err)
		w.InjectFaults(slices.Repeat([]site.Fault{outage}, 2*5)...) // net/http retries a broken connection once
		_, err = w.ListQuotas(ctx)
		w.wantFault(err, fault.Transient, "list quotas", "api-"+zone+".exoscale.com")
	})
}

func TestTransport_PollingSurvivesOutage(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/operation/"}, site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(500, "")})
		w.check(ensureGroup(ctx, w))
	})
}

func TestTransport_FailedOperationReason(t *testing.T) {
	for reason, kind := range map[string]fault.Kind{
		"unavailable": fault.Transient, "conflict": fault.Conflict, "incorrect": fault.Invalid, "forbidden": fault.Denied, "fault": fault.Internal,
	} {
		inWorld(t, func(ctx context.Context, w *world) {
			w.InjectFaults(site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(200,
				`{"id":"1","state":"failure","reason":"`+reason+`","message":"the hypervisor is on fire"}`)})
			w.wantFault(ensureGroup(ctx, w), kind, "ended in failure", reason, "the hypervisor is on fire")
		})
	}
}

func TestTransport_FullCloudIsQuota(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(200,
			`{"id":"1","state":"failure","reason":"unavailable","message":"insufficient capacity"}`)})
		w.wantFault(ensureGroup(ctx, w), fault.Quota)
	})
}

func TestTransport_LibraryPanicIsError(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"no address": matchPattern(200, `{"elastic-ips":[{"id":"1"}]}`),
		"not JSON": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>welcome to the hotel</html>"))
		},
		"no content":   matchPattern(204, ""),
		"another type": matchPattern(200, `{"elastic-ips":7}`),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "GET /v2/elastic-ip", Respond: answer})
				_, _, err := w.EnsureElasticIP(ctx, elasticIP())
				w.wantFault(err, fault.Internal, "list elastic IPs")
			})
		})
	}
}

func TestTransport_RedactsSecrets(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "POST " + groups, Respond: matchPattern(400,
			`{"message":"you sent `+secret+` and https://x/y?X-Amz-Signature=abcdef012345&z=1"}`)})
		err := ensureGroup(ctx, w)
		w.wantFault(err, fault.Invalid, "&z=1")
		if strings.Contains(err.Error(), "abcdef012345") {
			w.t.Error(err)
		}
	})
}

func TestTransport_StopEndsWait(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { cancel(errors.New("the operator pressed ctrl-c")) })
		w.wantFault(ensureGroup(ctx, w), fault.Cancelled, "ctrl-c")
	})
}

func TestTransport_UnreachableIsTransient(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		elsewhere, calls := w.net, 0
		elsewhere.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			calls++
			return w.net.Dial(ctx, network, strings.Replace(address, ":443", ":444", 1))
		}
		client, err := exoscale.New(elsewhere, zone, key, secret, w.journal)
		w.check(err)
		_, _, err = client.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantFault(err, fault.Transient, "refused")
		if calls != 5 {
			w.t.Errorf("dialed %d times", calls)
		}
	})
}

func TestTransport_RepeatsUnsentCreate(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		hangUp := func(answer http.ResponseWriter, r *http.Request) { // so that the create needs a new connection
			answer.Header().Set("Connection", "close")
			matchPattern(200, `{"anti-affinity-groups":[]}`)(answer, r)
		}
		w.InjectFaults(site.Fault{Match: "GET " + groups, Respond: hangUp})
		flaky, calls := w.net, 0
		flaky.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if calls++; calls == 2 {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return w.net.Dial(ctx, network, address)
		}
		client, err := exoscale.New(flaky, zone, key, secret, w.journal)
		w.check(err)
		defer client.Close()
		_, action, err := client.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantAction(action, err, state.Created)
		if posts := w.count("POST"); posts != 1 || calls < 3 {
			w.t.Errorf("%d creates in %d connections", posts, calls)
		}
	})
}

func TestNew_RequiresJournalCredentialsZone(t *testing.T) {
	w := &world{t: t}
	_, err := exoscale.New(network.Network{}, zone, key, secret, nil)
	w.wantFault(err, fault.Internal)
	_, err = exoscale.New(network.Network{}, zone, "", secret, &journal{})
	w.wantFault(err, fault.Invalid)
	_, err = exoscale.New(network.Network{}, "evil.example/", key, secret, &journal{})
	w.wantFault(err, fault.Invalid)
}

// Requests without a body are repeated as well as those with one, whoever makes them.
func TestTransport_RepeatsEmptyRequest(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/iam-role", Respond: matchPattern(502, "")})
		_, _, err := w.EnsureRole(ctx, role())
		w.check(err)
	})
}

func TestOnOutage_WaitsAndReportsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		attempts int // that fail; pauses of 1, 2, 4, 8, 16, 30, 30 ... seconds
		kind     fault.Kind
		told     int
	}{"a moment": {3, 0, 0}, "nine minutes": {20, 0, 2}, "too long": {30, fault.Transient, 1}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				var outages []state.Outage
				w.OnOutage(func(o state.Outage) { outages = append(outages, o) })
				_, err := w.ListQuotas(ctx) // an API that never answered is not away, but out of reach
				w.check(err)
				w.InjectFaults(slices.Repeat([]site.Fault{{Match: "", Respond: matchPattern(503, `{"message":"maintenance"}`)}}, c.attempts)...)
				began := time.Now()
				err = ensureGroup(ctx, w)
				if c.kind != 0 {
					w.wantFault(err, c.kind, "maintenance")
				} else {
					w.check(err)
				}
				if len(outages) != c.told || c.told > 0 && (outages[0].Over || outages[0].Until.Sub(outages[0].Since) != 10*time.Minute) {
					w.t.Errorf("told %+v", outages)
				}
				if took := time.Since(began); took > 11*time.Minute {
					w.t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestOnOutage_NeverReachedFails(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.OnOutage(func(o state.Outage) { w.t.Errorf("told of %+v", o) })
		w.InjectFaults(slices.Repeat([]site.Fault{{Match: "", Respond: matchPattern(502, "")}}, 5)...)
		began := time.Now()
		_, err := w.ListQuotas(ctx)
		w.wantFault(err, fault.Transient)
		if took := time.Since(began); took > time.Minute {
			w.t.Errorf("took %s", took)
		}
	})
}

func TestOnOutage_SharedByRequests(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		count := 0
		w.OnOutage(func(state.Outage) { count++ })
		_, err := w.ListQuotas(ctx)
		w.check(err)
		w.InjectFaults(slices.Repeat([]site.Fault{{Match: "", Respond: matchPattern(502, "")}}, 60)...)
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() {
				if _, err := w.ListQuotas(ctx); err != nil {
					w.t.Error(err)
				}
			})
		}
		readers.Wait()
		if count != 2 {
			w.t.Errorf("told %d times instead of once at its beginning and once at its end", count)
		}
	})
}
