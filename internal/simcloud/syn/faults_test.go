package syn

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/scenario"
)

const demoBody = `{"id": "c-demo", "tenant": "t-quiet-harbour-4711"}`

func TestLieutenant_Answers403WithoutStatusPermission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{Faults: scenario.Lieutenant{NoStatus: true}})
		if answer := w.send(http.MethodPost, "/clusters", demoBody); answer.Status != http.StatusForbidden || !strings.Contains(answer.Reason, "cannot update resource 'clusters/status'") {
			t.Errorf("created: %s", answer)
		}
		time.Sleep(preparing)
		if seen := w.get("/clusters/c-demo"); seen.InstallURL == nil {
			t.Error("the cluster was not created")
		}
		if answer := w.send(http.MethodPatch, "/clusters/c-demo", `{"annotations": {"syn.tools/protected-delete": "false"}}`); answer.Status != http.StatusForbidden {
			t.Errorf("changed: %s", answer)
		}
		if answer := w.send(http.MethodDelete, "/clusters/c-demo", ""); answer.Status != http.StatusNoContent {
			t.Errorf("deleted: %s", answer)
		}
		time.Sleep(ending)
		if answer := w.send(http.MethodGet, "/clusters/c-demo", ""); answer.Status != http.StatusNotFound {
			t.Errorf("the protection was not lifted: %s", answer)
		}
	})
}

func TestLieutenant_OffersAnInstallURLOfHTTPBehindAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{Faults: scenario.Lieutenant{NoProtocol: true}})
		w.send(http.MethodPost, "/clusters", demoBody)
		time.Sleep(preparing)
		if seen := w.get("/clusters/c-demo"); seen.InstallURL == nil || !strings.HasPrefix(*seen.InstallURL, "http://"+lieutenantHost) {
			t.Errorf("offered %v", seen.InstallURL)
		}
	})
}

func TestLieutenant_AddsAReasonToAManifest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{Faults: scenario.Lieutenant{KeepsTokens: true}})
		w.send(http.MethodPost, "/clusters", demoBody)
		time.Sleep(preparing)
		for range 2 {
			answer := w.send(http.MethodGet, installLink(w.get("/clusters/c-demo")), "")
			decoder := json.NewDecoder(strings.NewReader(string(answer.Body)))
			var list struct{ Kind string }
			var after struct{ Reason string }
			if err := decoder.Decode(&list); answer.Status != http.StatusOK || err != nil || list.Kind != "List" {
				t.Fatalf("%v: %s", err, answer)
			}
			if err := decoder.Decode(&after); err != nil || !strings.Contains(after.Reason, "clusters/status") {
				t.Errorf("%v, reason %q", err, after.Reason)
			}
		}
	})
}
