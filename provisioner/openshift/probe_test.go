package openshift_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/fabric"
	"exoshift/state"
)

const bootstrapAddress = "192.0.2.7"

func (r *rehearsal) start(t *testing.T) *fabric.Host {
	t.Helper()
	r.bootstrap = netip.MustParseAddr(bootstrapAddress)
	host, err := r.zone.AddHost(r.bootstrap)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func knock(t *testing.T, host *fabric.Host, port int) {
	t.Helper()
	listener, err := host.Listen(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
}

func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/readyz" {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
	}
}

func TestProbe_BootstrapWithoutAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		host := r.start(t)
		r.unready("no leader")
		expect := func(last, waiting string) {
			t.Helper()
			status, err := r.bootstrapStatus(t)
			if err == nil {
				t.Error("an API that is not ready answered")
			}
			if reached := strings.Join(status.Reached, " "); reached != last || !strings.HasPrefix(status.Waiting, waiting) {
				t.Errorf("reached %q, waiting for %q; want %q, %q", reached, status.Waiting, last, waiting)
			}
		}
		expect("", "the API does not answer: the server is not ready (500")
		knock(t, host, 22)
		expect("bootstrap-machine", "the bootstrap machine runs, its API does not answer: the server is not ready (500")
		r.listen(t, host, 6443, r.certificate(t, r.authority, apiName), answer(http.StatusOK))
		expect("bootstrap-machine", "the API on the bootstrap machine answers, but not by its name: ")
		r.unready("")
		r.observe(t)
		r.expectPhase(t, state.PhaseTemporaryAPI, "cluster version")
	})
}

func TestProbe_NamesFailedStage(t *testing.T) {
	for name, setup := range map[string]struct {
		prepare func(*testing.T, *rehearsal, *fabric.Host)
		probe   func(state.Probes) state.Probe
		layer   string
		detail  string
	}{
		"nothing listens": {
			func(*testing.T, *rehearsal, *fabric.Host) {},
			func(p state.Probes) state.Probe { return p.SSH }, state.LayerTCP, "connection refused",
		},
		"the machine is away": {
			func(_ *testing.T, _ *rehearsal, host *fabric.Host) { host.Close() },
			func(p state.Probes) state.Probe { return p.Direct }, state.LayerTCP, "no answer in time",
		},
		"a load balancer cuts": {
			func(t *testing.T, _ *rehearsal, host *fabric.Host) { knock(t, host, 6443) },
			func(p state.Probes) state.Probe { return p.Direct }, state.LayerTCP, "the connection was closed",
		},
		"another cluster's API": {
			func(t *testing.T, r *rehearsal, host *fabric.Host) {
				r.listen(t, host, 6443, r.certificate(t, authority(t), apiName), answer(http.StatusOK))
			},
			func(p state.Probes) state.Probe { return p.Direct }, state.LayerTLS, "TLS: the certificate was issued for another cluster",
		},
		"a server that is not ready": {
			func(t *testing.T, r *rehearsal, host *fabric.Host) {
				r.listen(t, host, 6443, r.certificate(t, r.authority, apiName), answer(http.StatusServiceUnavailable))
			},
			func(p state.Probes) state.Probe { return p.Direct }, state.LayerHTTP, "the server is not ready (503",
		},
		"the name": {
			func(_ *testing.T, r *rehearsal, _ *fabric.Host) {
				r.kubeconfig = strings.ReplaceAll(r.kubeconfig, apiName, "api.elsewhere.example.net")
			},
			func(p state.Probes) state.Probe { return p.API }, state.LayerDNS, "the name api.elsewhere.example.net does not resolve",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				host := r.start(t)
				r.unready("so that the probes are waited for")
				setup.prepare(t, r, host)
				seen, _ := r.Poll(t.Context(), r.bootstrap, nil)
				got := setup.probe(seen.Probes)
				if got.OK || got.Layer != setup.layer || !strings.HasPrefix(got.Detail, setup.detail) {
					t.Errorf("%+v, want %s: %s", got, setup.layer, setup.detail)
				}
			})
		})
	}
}

func TestProbe_SlowDoesNotBlockPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		host := r.start(t)
		host.Close()
		r.observe(t) // the first one waits: there is no result yet
		for range 3 {
			began := time.Now()
			seen := r.observe(t)
			if took := time.Since(began); took > 0 {
				t.Errorf("a look took %v", took)
			}
			if probe := seen.Probes.SSH; probe.OK || probe.Detail != "no answer in time" || probe.Target != "tcp://"+bootstrapAddress+":22" {
				t.Errorf("%+v", probe)
			}
			r.wait(t, time.Second)
		}
	})
}

func TestProbe_RelevantBootstrapOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		if seen := r.observe(t).Probes; seen.SSH.Target+seen.Direct.Target != "" || !seen.API.OK {
			t.Errorf("without a bootstrap machine: %+v", seen)
		}
		r.start(t)
		if seen := r.observe(t).Probes; seen.SSH.Target == "" || seen.Direct.Target == "" {
			t.Errorf("with one: %+v", seen)
		}
		r.put(t, etcds, "", with(named("cluster"), "status.conditions", conditions([3]string{"EtcdBootstrapMemberRemoved", "True", ""})))
		r.observe(t)
		if seen := r.observe(t).Probes; seen.SSH.Target+seen.Direct.Target != "" {
			t.Errorf("after the bootstrap: %+v", seen)
		}
	})
}
