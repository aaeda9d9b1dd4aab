package exoscale_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
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

func TestRefusalsHaveAKindAndTellTheServersWords(t *testing.T) {
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
		{403, `{"message":"quota exceeded"}`, fault.Quota, []string{"quota page"}},
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
				w.InjectFaults(site.Fault{Match: "POST " + groups, Respond: matchPattern(c.status, c.body)})
				w.wantFault(ensureGroup(ctx, w), c.kind, append(c.words, "create anti-affinity-group masters", "POST "+groups)...)
			})
		})
	}
}

func TestRefusalsAsProblemDetailsAreUnderstoodToo(t *testing.T) {
	config := api.Config{Key: key, Secret: secret, Problems: true}
	inWorldOf(t, config, func(ctx context.Context, w *world) {
		_, err := w.EnsureSSHKey(ctx, "c-1-admin", "ssh-ed25519 nonsense")
		w.wantFault(err, fault.Invalid, "Public key is invalid", "Conflict;")
	})
}

func TestACreateThatFailedOnTheServerIsNotSentAgain(t *testing.T) {
	for _, status := range []int{429, 500, 503} {
		inWorld(t, func(ctx context.Context, w *world) {
			w.InjectFaults(site.Fault{Match: "POST " + groups, Respond: matchPattern(status, `{}`)})
			w.wantFault(ensureGroup(ctx, w), fault.Transient)
			if posts := w.count("POST"); posts != 1 {
				w.t.Errorf("%d: sent %d times", status, posts)
			}
		})
	}
}

func TestAReadIsRepeatedAfterTheTimeTheServerAsksFor(t *testing.T) {
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

func TestAReadSurvivesAShortOutageButNotALongOne(t *testing.T) {
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

func TestPollingAnOperationSurvivesAnOutage(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/operation/"}, site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(500, "")})
		w.check(ensureGroup(ctx, w))
	})
}

func TestAFailedOperationTellsItsReason(t *testing.T) {
	for reason, kind := range map[string]fault.Kind{
		"busy": fault.Transient, "conflict": fault.Conflict, "incorrect": fault.Invalid, "forbidden": fault.Denied, "fault": fault.Internal,
	} {
		inWorld(t, func(ctx context.Context, w *world) {
			w.InjectFaults(site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(200,
				`{"id":"1","state":"failure","reason":"`+reason+`","message":"the hypervisor is on fire"}`)})
			w.wantFault(ensureGroup(ctx, w), kind, "ended in failure", reason, "the hypervisor is on fire")
		})
	}
}

func TestAFullCloudIsAQuota(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "GET /v2/operation/", Respond: matchPattern(200,
			`{"id":"1","state":"failure","reason":"unavailable","message":"insufficient capacity"}`)})
		w.wantFault(ensureGroup(ctx, w), fault.Quota)
	})
}

func TestAnswersThatMakeTheLibraryPanicBecomeErrors(t *testing.T) {
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

func TestSecretsThatAServerRepeatsAreNotTold(t *testing.T) {
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

func TestStoppingEndsAWaitAtOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { cancel(errors.New("the operator pressed ctrl-c")) })
		w.wantFault(ensureGroup(ctx, w), fault.Cancelled, "ctrl-c")
	})
}

func TestAServerThatNobodyRunsIsTransient(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		elsewhere, calls := w.net, 0
		elsewhere.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			calls++
			return w.net.Dial(ctx, network, strings.Replace(address, ":443", ":444", 1))
		}
		client, err := exoscale.New(elsewhere, zone, key, secret, w.journal)
		w.check(err)
		_, err = client.EnsureSSHKey(ctx, "operator", publicKey)
		w.wantFault(err, fault.Transient, "refused")
		if calls != 5 {
			w.t.Errorf("dialed %d times", calls)
		}
	})
}

func TestACreateThatWasNeverSentIsSentAgain(t *testing.T) {
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

func TestAClientNeedsAJournalCredentialsAndAZone(t *testing.T) {
	w := &world{t: t}
	_, err := exoscale.New(network.Network{}, zone, key, secret, nil)
	w.wantFault(err, fault.Internal)
	_, err = exoscale.New(network.Network{}, zone, "", secret, &journal{})
	w.wantFault(err, fault.Invalid)
	_, err = exoscale.New(network.Network{}, "evil.example/", key, secret, &journal{})
	w.wantFault(err, fault.Invalid)
}
