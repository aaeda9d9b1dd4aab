package conformance

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/app/conformance/shape"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
)

// recorded returns the recording of a run.
func recorded(t *testing.T, options simcloud.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.har")
	inWorld(t, options, func(w *world) {
		w.options.Record = path
		w.run()
	})
	return path
}

func compared(t *testing.T, path string) (found []shape.Difference) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if found, err = compare(context.Background(), path, func(string) {}, simcloud.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	return found
}

func TestCompare_SimulationMatches(t *testing.T) {
	whole(t)
	path := recorded(t, simcloud.Options{})
	for _, d := range compared(t, path) {
		t.Errorf("%s %s", d.Call, d.Text)
	}
	wantReadings(t, path, map[string]bool{"R01": true, "R02": true, "R03": true, "R06": true, "R10": true, "R22": true, "R23": true})
}

// wantReadings compares which readings are settled, and whether as they are read.
func wantReadings(t *testing.T, path string, want map[string]bool) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Run recordedRun `json:"_run"`
		} `json:"log"`
	}
	if err := json.Unmarshal(content, &archive); err != nil || len(archive.Log.Run.Readings) < 20 {
		t.Fatalf("%v: %d readings", err, len(archive.Log.Run.Readings))
	}
	for _, r := range archive.Log.Run.Readings {
		asRead, settled := want[r.ID]
		if r.Settled != settled || r.AsRead != asRead {
			t.Errorf("%+v", r)
		}
	}
}

func TestCompare_ReportsDeviation(t *testing.T) {
	whole(t)
	path := recorded(t, simcloud.Options{Middleware: changed(
		replaceAnswer("GET /v2/security-group/[^/]*", `"visibility":"private"`, `"visibility":"private","owner":{"id":"x"}`),
		replaceAnswer("GET /v2/elastic-ip/[^/]*", `"cidr":`, `"range":`),
		replaceAnswer("GET /v2/instance/[^/]*", `"disk-encrypted":true`, `"disk-encrypted":"yes"`),
		answers("DELETE /v2/iam-role/.*", "", 1, 1, 412, `{"message":"it is in use"}`),
	)})
	var texts []string
	for _, d := range compared(t, path) {
		texts = append(texts, d.Call+" "+d.Text)
	}
	for _, want := range []string{
		"GET api.exoscale.com/v2/security-group/{id} has the field owner (object), the simulation has not",
		"GET api.exoscale.com/v2/security-group/{id} has the field owner.id (text), the simulation has not",
		"GET api.exoscale.com/v2/elastic-ip/{id} has the field range (text), the simulation has not",
		"GET api.exoscale.com/v2/elastic-ip/{id} has no field cidr, the simulation has",
		"GET api.exoscale.com/v2/instance/{id} has disk-encrypted as text, the simulation as true or false",
		"DELETE api.exoscale.com/v2/iam-role/{id} is answered with 412 Precondition Failed, by the simulation with 200, 409",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("not told: %s", want)
		}
	}
	if len(texts) != 6 {
		t.Errorf("told:\n%s", strings.Join(texts, "\n"))
	}
	wantReadings(t, path, map[string]bool{"R01": true, "R02": true, "R03": true, "R06": true, "R10": true, "R22": true, "R23": false})
}

func TestCompare_RefusesInvalidRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.har")
	for _, content := range []string{"", "{}", `{"log":{"version":"1.2","entries":[]}}`, `{"log":{"version":"1.1"}}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Compare(t.Context(), path, func(string) { t.Error("a run was made") })
		if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.HintOf(err), "--record") {
			t.Errorf("%s: %v", content, err)
		}
	}
}
