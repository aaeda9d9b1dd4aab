package reach_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/wizard/reach"
)

// anyReport draws a report of a possible run.
func anyReport(t *rapid.T) reach.Report {
	text := rapid.String()
	layer := rapid.SampledFrom([]reach.Layer{reach.LayerOK, reach.LayerFail, reach.LayerNone})
	result := rapid.Custom(func(t *rapid.T) reach.Result {
		return reach.Result{
			ID: rapid.StringN(1, 20, -1).Draw(t, "id"), Group: text.Draw(t, "group"), Target: text.Draw(t, "target"), Source: text.Draw(t, "vantage"),
			Phase: text.Draw(t, "phase"), Severity: reach.Severity(text.Draw(t, "severity")), Class: reach.Class(text.Draw(t, "class")),
			Verdict:  rapid.SampledFrom([]reach.Verdict{reach.OK, reach.Warn, reach.Fail, reach.Skipped}).Draw(t, "verdict"),
			Layers:   reach.Layers{DNS: layer.Draw(t, "dns"), TCP: layer.Draw(t, "tcp"), TLS: layer.Draw(t, "tls"), HTTP: layer.Draw(t, "http")},
			Evidence: rapid.MapOf(text, text).Draw(t, "evidence"), Hint: text.Draw(t, "hint"), Owner: text.Draw(t, "owner"),
		}
	})
	return reach.Report{
		V: reach.Version, Started: time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "started")).UTC(),
		TookMS: rapid.Int64Range(0, 1e6).Draw(t, "took"), Results: rapid.SliceOf(result).Draw(t, "results"),
	}
}

func TestReadReport_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		report := anyReport(t)
		var first, second bytes.Buffer
		if err := reach.WriteReport(&first, report); err != nil {
			t.Fatal(err)
		}
		written := first.String()
		got, err := reach.ReadReport(&first)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if err := reach.WriteReport(&second, got); err != nil || second.String() != written {
			t.Fatalf("written again, it differs: %v", err)
		}
	})
}

func TestWriteReport_Schema(t *testing.T) {
	var out bytes.Buffer
	report := reach.Report{Started: time.Date(2026, 5, 4, 14, 0, 0, 5e6, time.UTC), TookMS: 1234, Results: []reach.Result{{
		ID: "NET-RH-001", Group: "redhat", Target: "quay.io:443", Source: "zone", Phase: "bootstrap", Severity: reach.Must, Verdict: reach.Fail,
		Class: reach.Untrusted, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail}, Hint: "a <b> & c", Owner: "network",
	}}}
	if err := reach.WriteReport(&out, report); err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"started":"2026-05-04T14:00:00.005Z","took_ms":1234,"results":[{"id":"NET-RH-001","group":"redhat","target":"quay.io:443",` +
		`"vantage":"zone","phase":"bootstrap","severity":"must","verdict":"fail","class":"tls-untrusted-issuer",` +
		`"layers":{"dns":"ok","tcp":"ok","tls":"fail","http":"none"},"evidence":{},"hint":"a <b> & c","owner":"network"}]}`
	if got := compact(out.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	out.Reset()
	if err := reach.WriteReport(&out, reach.Report{}); err != nil || !strings.Contains(out.String(), `"results": []`) {
		t.Errorf("%v, %s", err, out.String())
	}
}

func compact(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Replace(strings.TrimSpace(line), `": `, `":`, 1))
	}
	return strings.Join(lines, "")
}

func TestReadReport_RefusesInvalid(t *testing.T) {
	const head = `{"v":1,"results":[`
	for text, want := range map[string]string{
		"":                         "not a JSON report",
		"not json":                 "at byte",
		`{"v":1} {"v":1}`:          "not a JSON report",
		`[]`:                       "not a JSON report",
		`{}`:                       "no version",
		`{"v":2}`:                  "version 2",
		`{"v":1,"results":7}`:      "not a JSON report",
		`{"v":1,"started":"soon"}`: "not a JSON report",
		head + `{}]}`:              "result 1: it has no id",
		head + `{"id":"A","verdict":"ok"},{"id":"B"}]}`:                         `result 2: B: invalid verdict ""`,
		head + `{"id":"A","verdict":"ok","layers":{"tls":"so-so"}}]}`:           `invalid result "so-so" of layer TLS`,
		head + `{"id":"A","verdict":"ok","evidence":{"a":{"deep":"object"}}}]}`: "not a JSON report",
	} {
		if _, err := reach.ReadReport(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

func TestReadReport_LaterVersion(t *testing.T) {
	report, err := reach.ReadReport(strings.NewReader(
		`{"v":1,"weather":"fine","results":[{"id":"A","verdict":"fail","class":"of-tomorrow","layers":{"dns":"ok","quic":"ok"},"more":[1]}]}`))
	if err != nil || len(report.Results) != 1 || report.Results[0].Class != "of-tomorrow" || report.Results[0].Layers.HTTP != reach.LayerNone {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestReadReport_LimitsSize(t *testing.T) {
	endless := &zeros{}
	if _, err := reach.ReadReport(endless); err == nil || !strings.Contains(err.Error(), "16 MiB") || endless.read > 17<<20 {
		t.Errorf("%v after %d bytes", err, endless.read)
	}
	if _, err := reach.ReadReport(io.MultiReader(strings.NewReader(`{"v":1`), broken{})); err == nil || !strings.Contains(err.Error(), "cable") {
		t.Error(err)
	}
}

// zeros never ends.
type zeros struct{ read int }

func (z *zeros) Read(p []byte) (int, error) {
	z.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, fmt.Errorf("the cable is broken") }

// Whatever else a newer format changes, its version is told.
func TestReadReport_NewerFormat(t *testing.T) {
	for _, content := range []string{`{"v":2,"results":[]}`, `{"v":7,"results":{"A":"ok"},"took_ms":"3s"}`} {
		if _, err := reach.ReadReport(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), "unsupported version") {
			t.Errorf("%s: %v", content, err)
		}
	}
	if _, err := reach.ReadReport(strings.NewReader(`{"v":1,"results":{"A":"ok"}}`)); err == nil || strings.Contains(err.Error(), "version") {
		t.Errorf("a damaged one: %v", err)
	}
}
