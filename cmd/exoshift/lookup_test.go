package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/lookup"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
	"exoshift/wizard/session"
)

func asked(t *testing.T, c *interview.Backend, id string) (wizard.LookupResult, error) {
	t.Helper()
	for _, inquiry := range c.NewInterview().Lookups {
		if inquiry.ID == id {
			secrets, _ := local.ResolveSecrets(c.Answers.Spec, c.Lookup)
			return inquiry.Run(t.Context(), c.Answers.Spec, secrets)
		}
	}
	t.Fatalf("there is no inquiry %s", id)
	return wizard.LookupResult{}, nil
}

// expected is the expected result of a lookup.
type expected struct {
	circumstances
	id      string
	before  func(t *testing.T, c *interview.Backend, zone *simcloud.Zone)
	summary string // a part of it
	fault   string // a part of the only one, "field  problem  allowed: ..."; "" for none
	warning string // likewise
}

func TestLookup_KnownResults(t *testing.T) {
	for name, want := range map[string]expected{
		"zones":                      {id: "zones", summary: "8 zones"},
		"a lost zone":                {id: "credentials", before: otherZone("ch-gva-9"), fault: "exoscale.zone  find zone ch-gva-9"},
		"no keys yet":                {id: "offers", before: noKeys, summary: "requires the API key"},
		"good credentials":           {id: "credentials", summary: "accepted"},
		"credentials without a zone": {id: "credentials", summary: "accepted", before: otherZone("")},
		"bad credentials":            {id: "credentials", circumstances: circumstances{scenario: "bad-credentials"}, summary: "refused", fault: "exoscale.apiKey  Exoscale rejects this key or its secret: the API key is not valid  check that the API key is valid"},
		"a clock that is ahead": {
			id: "credentials", circumstances: circumstances{middleware: dated(-3 * time.Minute)}, fault: "exoscale.apiKey  compare the clocks: this machine's clock is 3m0s ahead",
		},
		"a key that may only read compute": {
			id: "credentials", before: weakKey, summary: "accepted", warning: "exoscale.apiKey  this API key has no permission to list load-balancer, block-volume",
		},
		"types and quotas": {id: "offers", summary: "ch-gva-2 offers "},
		"a type that the zone does not have": {
			id: "offers", before: typed("sizing.workers.type", "gpu3080ti.small"), fault: "sizing.workers.type  zone ch-gva-2 offers no gpu3080ti.small",
		},
		"a type that is not authorized": {
			id: "offers", before: typed("sizing.workers.type", "gpua30.small"), fault: "sizing.workers.type  the organization is not authorized to use gpua30.small",
		},
		"a free name":                   {id: "names", summary: "the ID is free"},
		"a name that an elastic IP has": {id: "names", before: foreignAddress, fault: "cluster.id  the organization already has a cluster with this ID: elastic-ip c-demo-1_api"},
		"a bucket of someone else": {
			id: "names", circumstances: circumstances{middleware: foreignBucket("c-demo-1-cluster-backup")}, fault: "objectStorage.bucketPrefix  these buckets belong to others: c-demo-1-cluster-backup (another Exoscale customer has a bucket with this name)",
		},
		"a cluster of this machine": {id: "names", before: begunHere, fault: "cluster.id  an installation with this ID exists on this machine"},
		"a domain":                  {id: "domain", summary: "example.net is served by ns1.registry.example and 1 more"},
		"a release":                 {id: "release", summary: "4.20.5 is published"},
		"a channel":                 {id: "release", before: typed("openshift.version", "stable-4.20"), summary: "stable-4.20 is 4.20."},
		"no such release":           {id: "release", before: typed("openshift.version", "4.20.999"), fault: "openshift.version  4.20.999 is not published"},
	} {
		t.Run(name, want.isSaid)
	}
}

func (e expected) isSaid(t *testing.T) {
	talking(t, e.circumstances, func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		if e.before != nil {
			e.before(t, c, zone)
		}
		before := zone.Mutations()
		reply, err := asked(t, c, e.id)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(reply.Summary, e.summary) {
			t.Errorf("the summary is %q", reply.Summary)
		}
		if reply.Pending != strings.HasPrefix(reply.Summary, "requires ") {
			t.Errorf("pending: %v, %q", reply.Pending, reply.Summary)
		}
		isOnly(t, reply.Problems, e.fault)
		isOnly(t, reply.Warnings, e.warning)
		if zone.Mutations() != before {
			t.Error("the inquiry changed something")
		}
	})
}

// isOnly requires exactly one problem with that prefix, or none.
func isOnly(t *testing.T, faults []wizard.Problem, want string) {
	t.Helper()
	if want == "" && len(faults) == 0 {
		return
	}
	if want == "" || len(faults) != 1 || !strings.HasPrefix(faults[0].String(), want) {
		t.Errorf("said %v, want %q", faults, want)
	}
}

func typed(key, text string) func(*testing.T, *interview.Backend, *simcloud.Zone) {
	return func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		if err := c.Answers.Set(key, text, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
}

func otherZone(zone string) func(*testing.T, *interview.Backend, *simcloud.Zone) {
	return func(_ *testing.T, c *interview.Backend, _ *simcloud.Zone) { c.Answers.Spec.Exoscale.Zone = zone }
}

// backdoorOf returns API access to the zone.
func backdoorOf(t *testing.T, c *interview.Backend, zone *simcloud.Zone) (backdoor, *run.Run) {
	s := &run.Run{Spec: c.Answers.Spec, Secrets: secretsOf(t, c), Net: zone.Network()}
	return backdoor{t, *s}, s
}

func noKeys(_ *testing.T, c *interview.Backend, _ *simcloud.Zone) {
	c.Lookup = func(string) (string, bool) { return "", false }
}

func weakKey(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
	_, s := backdoorOf(t, c, zone)
	readsCompute(t, s)
	c.Lookup = func(name string) (string, bool) {
		switch name {
		case "EXOSCALE_API_KEY":
			return s.Secrets.APIKey, true
		case "EXOSCALE_API_SECRET":
			return s.Secrets.APISecret, true
		}
		return environment.LookupRehearsalSecret(name)
	}
}

func foreignAddress(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
	b, _ := backdoorOf(t, c, zone)
	b.ask(http.MethodPost, "/elastic-ip", map[string]any{"description": "c-demo-1_api", "labels": map[string]string{"owner": "somebody"}})
}

func begunHere(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
	folder, err := clusterdir.CreateFor("", c.Answers.Spec)
	if err == nil {
		err = folder.Write(state.AnswersFile, answersfile.Export(c.Answers.Spec, nil))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLookup_ChoicesOfZoneAndField(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		reply, err := asked(t, c, "offers")
		if err != nil {
			t.Fatal(err)
		}
		notes := map[string]string{}
		for _, choice := range reply.Choices["sizing.workers.type"] {
			notes[choice.Value] = choice.Note
		}
		if notes["standard.extra-large"] != "4 CPUs, 16 GiB, 0.19/h" {
			t.Errorf("the default is noted %q", notes["standard.extra-large"])
		}
		for _, useless := range []string{"standard.micro", "gpua30.small", "gpu3080ti.small"} {
			if note, offered := notes[useless]; offered {
				t.Errorf("%s (%s) is offered for workers", useless, note)
			}
		}
		if len(reply.Choices["sizing.extraGroups[0].type"]) == 0 || len(reply.Quotas) == 0 {
			t.Errorf("no choices for groups, or no quotas: %v", reply.Quotas)
		}
		if cpus := c.NewInterview().Estimate(c.Answers.Spec).Needs["cpu"]; cpus == 0 {
			t.Error("CPUs are not counted although the zone has told its types")
		}
	})
}

func TestCheckQuotas_Scenario(t *testing.T) {
	talking(t, circumstances{scenario: "quota"}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		reply, err := asked(t, c, "offers")
		if err != nil {
			t.Fatal(err)
		}
		short := session.CheckQuotas(c.Answers.Spec, reply.Quotas, c.NewInterview().Estimate(c.Answers.Spec).Needs)
		isOnly(t, short, `sizing.workers.count  the quota "instance" is too low: 0 used, 16 needed, limit 10`)
	})
}

// TestLookup_NetworkLoss blocks all responses: every lookup times out, and none reports a problem of the
// answers.
func TestLookup_NetworkLoss(t *testing.T) {
	hang := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // an empty response could still be read
		})
	}
	for _, id := range []string{"zones", "credentials", "names", "offers"} {
		t.Run(id, func(t *testing.T) {
			talking(t, circumstances{middleware: hang}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
				began := time.Now()
				reply, err := asked(t, c, id)
				if err == nil || len(reply.Problems) > 0 {
					t.Errorf("said %+v", reply)
				}
				if took := time.Since(began); took > lookup.LookupTimeout {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestLookup_TimeoutAndCancel(t *testing.T) {
	var c interview.Backend
	ask := lookup.WithTimeout(func(ctx context.Context, _ state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
		<-ctx.Done()
		return wizard.LookupResult{}, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(ctx, state.Default(), wizard.Secrets{}); err == nil {
		t.Errorf("it ended well: %v", &c)
	}
}

// losing removes an instance type from the lists, once lost is set.
func losing(kind string, lost *atomic.Bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !lost.Load() || !strings.HasSuffix(r.URL.Path, "/instance-type") {
				next.ServeHTTP(w, r)
				return
			}
			full := httptest.NewRecorder()
			next.ServeHTTP(full, r)
			var list map[string][]map[string]any
			if json.Unmarshal(full.Body.Bytes(), &list) != nil {
				return
			}
			var left []map[string]any
			for _, one := range list["instance-types"] {
				if one["family"].(string)+"."+one["size"].(string) != kind {
					left = append(left, one)
				}
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"instance-types": left})
		})
	}
}

func TestLookup_VanishedTypeNamesField(t *testing.T) {
	var lost atomic.Bool
	talking(t, circumstances{middleware: losing("cpu.extra-large", &lost)}, func(t *testing.T, c *interview.Backend, zone *simcloud.Zone) {
		if reply, err := asked(t, c, "offers"); err != nil || len(reply.Problems) > 0 {
			t.Fatalf("said %v, %v", reply.Problems, err)
		}
		lost.Store(true)
		secrets := secretsOf(t, c)
		states, err := checked(t, c.NewInterview(), secrets)
		if offers := states["offers"]; err == nil || offers.State != "failed" || !strings.Contains(offers.Text+offers.Hint, "sizing.storage.type") {
			t.Errorf("the check says %+v, %v", offers, err)
		}
		if _, err := c.NewInterview().Review(t.Context(), c.Answers.Spec, secrets); err == nil || exit.Code(err) != exit.Answers {
			t.Errorf("the review ended with %v", err)
		}
		if zone.Mutations() > 0 {
			t.Error("something was made")
		}
	})
}
