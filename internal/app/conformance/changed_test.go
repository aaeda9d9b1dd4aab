package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exoscale/egoscale/v2/api"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/scenario"
)

// change makes a zone other than the simulated one is: it handles some requests, and reports whether it has.
type change func(w http.ResponseWriter, r *http.Request, next http.Handler) bool

func changed(changes ...change) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			content, _ := io.ReadAll(r.Body)
			for _, one := range changes {
				r.Body = io.NopCloser(bytes.NewReader(content))
				if one(w, r, next) {
					return
				}
			}
			r.Body = io.NopCloser(bytes.NewReader(content))
			next.ServeHTTP(w, r)
		})
	}
}

// matches compares "METHOD path" and the body.
func matches(r *http.Request, call, body string) bool {
	content, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(content))
	return regexp.MustCompile("^"+call+"$").MatchString(r.Method+" "+r.URL.Path) && strings.Contains(string(content), body)
}

// answers has a call answered without being carried out, from the nth on, as often as times says.
func answers(call, body string, first, times, status int, text string) change {
	var mu sync.Mutex
	count := 0
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !matches(r, call, body) {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if count++; count < first || count >= first+times {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		return true
	}
}

// replaceBody has the zone receive another body than was sent.
func replaceBody(call, word string, other func(body map[string]any)) change {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
		if !matches(r, call, word) {
			return false
		}
		body := map[string]any{}
		err := json.NewDecoder(r.Body).Decode(&body)
		other(body)
		content, encoding := json.Marshal(body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
		signer, signing := api.NewSecurityProvider(key, secret)
		if err := errors.Join(err, encoding, signing, signer.Intercept(r.Context(), r)); err != nil {
			panic(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(content))
		next.ServeHTTP(w, r)
		return true
	}
}

// replaceAnswer has the zone answer with another text than it would.
func replaceAnswer(call, old, other string) change {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
		if !matches(r, call, "") {
			return false
		}
		recorder := httptest.NewRecorder()
		next.ServeHTTP(recorder, r)
		content := strings.ReplaceAll(recorder.Body.String(), old, other)
		w.Header().Set("Content-Type", recorder.Header().Get("Content-Type"))
		w.WriteHeader(recorder.Code)
		_, _ = io.WriteString(w, content)
		return true
	}
}

// byCluster restricts a change to requests with the cluster's own key.
func byCluster(one change) change {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
		authorization := r.Header.Get("Authorization")
		return strings.Contains(authorization, "Credential=") && !strings.Contains(authorization, "Credential="+key+"/") && one(w, r, next)
	}
}

const (
	done      = `{"id":"11111111-2222-4333-8444-555555555555","state":"success","reference":{"id":"11111111-2222-4333-8444-555555555555"}}`
	forbidden = `<Error><Code>AccessDenied</Code><Message>no</Message></Error>`
)

func TestVerdict_FailsOnDeviation(t *testing.T) {
	whole(t)
	for name, c := range map[string]struct {
		changes []change
		fails   map[string]string // a word of the text, by verdict
		fault   scenario.Fault
	}{
		"refusals that are none": {
			[]change{
				answers("POST /v2/ssh-key", "-again", 1, 9, 200, done),
				strangersMayRead,
				byCluster(answers("GET /.*-bootstrap/conformance", "", 1, 9, 200, "not for the cluster")),
				answers("POST /v2/dns-domain/.*/record", `"name":"ingress"`, 2, 1, 409, `{"message":"Record already exists"}`),
				replaceBody("POST /v2/security-group/.*/rules", `"start-port":22623`, func(rule map[string]any) {
					delete(rule, "security-group")
					rule["network"] = "0.0.0.0/0"
				}),
				answers("DELETE /v2/instance/.*", "", 1, 1, 200, done),
			},
			map[string]string{
				KnownSSHKey: "second name", ImageUpload: "without a signature", OtherBucket: "can also read another bucket", Duplicates: "already exists",
				MachineConfigOut: "anyone", Protection: "protects nothing",
				ImageTemplate: "not checked:", ImageDeleted: "not checked:", ElasticIPHolder: "reaches itself",
			},
			scenario.Fault{API: scenario.API{HoldersReach: true}},
		},
		"answers that are others": {
			[]change{
				replaceAnswer("GET /v2/template", `"boot-mode":"uefi"`, `"boot-mode":"legacy"`),
				byCluster(answers("PUT /.*-logstore/conformance", "", 1, 999, 403, forbidden)),
				replaceBody("POST /v2/dns-domain/.*/record", `"name":"*.apps"`, func(record map[string]any) { record["name"] = "*.other" }),
				replaceBody("POST /v2/instance", `"node-0"`, func(machine map[string]any) { delete(machine, "security-groups") }),
			},
			map[string]string{
				ImageTemplate: "legacy", ImageDeleted: "not checked:", OwnBucket: "", OtherBucket: "not checked:", Wildcard: "apps.",
				MachineConfigInside: "no node gets", ElasticIPSource: "not reached",
			},
			scenario.Fault{},
		},
		"changes that never come": {
			[]change{
				answers("DELETE /v2/template/.*", "", 1, 1, 200, done),
				replaceAnswer("GET /v2/dns-domain/.*/record", "ns1.exoscale", "ns1.elsewhere"),
				answers("PUT /v2/elastic-ip/.*:attach", "", 1, 99, 200, done),
				answers("GET /v2/operation/1111.*", "", 1, 99, 200, done),
			},
			map[string]string{
				ImageDeleted: "delete template", NameServers: "ns1.elsewhere", Served: "ns1.elsewhere", Wildcard: "ns1.elsewhere",
				ElasticIPForwards: "", MachineConfigOut: "not proven", ElasticIPSource: "not reached",
			},
			scenario.Fault{},
		},
		"no packages": {
			[]change{
				replaceBody("POST /v2/instance", `"lb-0"`, func(machine map[string]any) { delete(machine, "user-data") }),
			},
			map[string]string{
				BalancerReady: "8404", ElasticIPForwards: "not checked:", MachineConfigOut: "not checked:", MachineConfigInside: "not checked:",
				ElasticIPSource: "not checked:", ElasticIPHolder: "not checked:", Protection: "not checked:",
			},
			scenario.Fault{},
		},
		"another source": {
			nil, map[string]string{ElasticIPSource: "leave loadBalancer.internal at addresses"}, scenario.Fault{API: scenario.API{SourceRewritten: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, simcloud.Options{Middleware: changed(c.changes...), Fault: c.fault}, func(w *world) {
				before := w.left()
				for id, v := range w.run() {
					word, fails := c.fails[id]
					if v.OK == fails || !strings.Contains(v.Text, word) {
						w.Errorf("%s: %t: %s", id, v.OK, v.Text)
					}
				}
				w.wantEmpty(before)
			})
		})
	}
}

// strangersMayRead answers whoever asks for an image without a signature.
func strangersMayRead(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
	open := r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, ".qcow2") && r.URL.RawQuery == "" && r.Header.Get("Authorization") == ""
	if open {
		_, _ = io.WriteString(w, "QFI")
	}
	return open
}

func TestRun_RequiresPermissions(t *testing.T) {
	refused := answers("POST /v2/anti-affinity-group", "", 1, 9, 403, `{"message":"not allowed"}`)
	inWorld(t, simcloud.Options{Middleware: changed(refused)}, func(w *world) {
		verdicts, err := Run(w.Context(), w.options)
		if !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
			w.Errorf("%v", err)
		}
		for _, v := range verdicts {
			if v.OK && v.ID != Swept {
				w.Errorf("%+v", v)
			}
		}
		if n := w.zone.Mutations(); n > 1 {
			w.Errorf("%d changes", n)
		}
	})
}

func TestRun_ReportsUndeletable(t *testing.T) {
	held := answers("DELETE /v2/anti-affinity-group/.*", "", 1, 9999, 403, `{"message":"no"}`)
	inWorld(t, simcloud.Options{Middleware: changed(held)}, func(w *world) {
		v := w.run()[Swept]
		if v.OK || !strings.Contains(v.Text, "anti-affinity-group") || !strings.Contains(v.Text, "_right") {
			w.Errorf("%+v", v)
		}
	})
}

func TestDescribeTerms_CostAndDuration(t *testing.T) {
	terms, err := DescribeTerms(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{zoneName, "12 minutes", machineType, "0.08", "DNS plan", "2025-08-22"} {
		if !strings.Contains(terms, word) {
			t.Errorf("%s: no %q", terms, word)
		}
	}
	if ids := IDs(); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		t.Errorf("an ID is there twice: %v", ids)
	}
}
