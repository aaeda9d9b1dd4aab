package exoscale_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

var reference = regexp.MustCompile(`"reference":\{[^}]*\},?`)

// without answers as the API does, and leaves out the reference.
func (w *world) without(answer http.ResponseWriter, r *http.Request) {
	recorded := httptest.NewRecorder()
	w.api.ServeHTTP(recorded, r)
	content := strings.ReplaceAll(reference.ReplaceAllString(recorded.Body.String(), ""), ",}", "}")
	matchPattern(recorded.Code, content)(answer, r)
}

func TestEnsure_LateOperationReference(t *testing.T) {
	for kind, path := range map[string]string{"iam-role": "/v2/iam-role", "instance": "/v2/instance", "dns-zone": "/v2/dns-domain"} {
		t.Run(kind, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				ensure := ensures(ctx, w)[kind]
				w.InjectFaults(site.Fault{Match: "POST " + path, Respond: w.without})
				action, err := ensure()
				w.wantAction(action, err, state.Created)
				if len(w.journal.open) > 0 || w.count("POST "+path) != 1 {
					w.t.Errorf("open: %v; %v", w.journal.open, w.Requests())
				}
			})
		})
	}
}

func TestEnsure_MissingOperationReference(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "POST /v2/iam-role", Respond: w.without}, site.Fault{Match: "GET /v2/operation", Respond: matchPattern(200, `{"id":"1","state":"success"}`)})
		_, err := ensures(ctx, w)["iam-role"]()
		w.wantFault(err, fault.Internal, "has no ID", "run again")
		if len(w.journal.open) != 1 {
			w.t.Errorf("an empty ID was stored: %v", w.journal.entries)
		}
		action, err := ensures(ctx, w)["iam-role"]()
		w.wantAction(action, err, state.Adopted)
	})
}

func TestListObjects_ForeignInstanceWithoutFields(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		foreign := func(answer http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			if r.URL.Path != "/v2/instance" {
				w.api.ServeHTTP(answer, r)
				return
			}
			w.api.ServeHTTP(recorded, r)
			var list struct {
				Instances []any `json:"instances"`
			}
			w.check(json.Unmarshal(recorded.Body.Bytes(), &list))
			list.Instances = append(list.Instances, map[string]any{"id": "f1", "name": "lb-0"}, map[string]any{"id": "f2", "labels": nil, "created-at": "once", "public-ip": "?"})
			content, err := json.Marshal(list)
			w.check(err)
			matchPattern(200, string(content))(answer, r)
		}
		for range 20 {
			w.InjectFaults(site.Fault{Match: "GET /v2/instance", Respond: foreign})
		}
		wanted := w.machine(ctx, "lb-0")
		_, action, err := w.EnsureInstance(ctx, wanted)
		w.wantAction(action, err, state.Created)
		listed, err := w.ListInstances(ctx, nil)
		w.check(err)
		if len(listed) != 3 {
			w.t.Errorf("%+v", listed)
		}
	})
}
