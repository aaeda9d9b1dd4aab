package bootstraphost

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func at(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }

func TestParseRecords_ServiceStages(t *testing.T) {
	const start = `{"timestamp":"2026-01-02T03:04:01Z","phase":"service start"}`
	for name, c := range map[string]struct {
		entries string
		want    state.ServiceRecord
	}{
		"just started": {start, state.ServiceRecord{Starts: 1, Since: at(1)}},
		"in a stage": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"stage start","stage":"a"},
			{"timestamp":"2026-01-02T03:04:03Z","phase":"stage end","stage":"a","result":"success"},
			{"timestamp":"2026-01-02T03:04:04Z","phase":"stage start","stage":"b"}`,
			state.ServiceRecord{Starts: 1, Stage: "b", Since: at(4), Finished: []string{"a"}}},
		"between stages": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"stage start","stage":"a"},
			{"timestamp":"2026-01-02T03:04:03Z","phase":"stage end","stage":"a","result":"success"}`,
			state.ServiceRecord{Starts: 1, Since: at(2), Finished: []string{"a"}}},
		"done": {start + `,{"timestamp":"2026-01-02T03:04:09Z","phase":"service end","result":"success"}`,
			state.ServiceRecord{Starts: 1, Since: at(9), Done: true}},
		"trying again": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"stage start","stage":"pull"},
			{"timestamp":"2026-01-02T03:04:03Z","phase":"stage end","stage":"pull","result":"failure","errorLine":"12 main x.sh","errorMessage":"manifest\nunknown"},
			{"timestamp":"2026-01-02T03:04:04Z","phase":"stage start","stage":"pull"}`,
			state.ServiceRecord{Starts: 1, Stage: "pull", Since: at(4), Failure: "pull: manifest unknown"}},
		"a try that succeeded": {start + `,{"timestamp":"2026-01-02T03:04:03Z","phase":"stage end","stage":"pull","result":"failure"},
			{"timestamp":"2026-01-02T03:04:04Z","phase":"stage start","stage":"pull"},
			{"timestamp":"2026-01-02T03:04:05Z","phase":"stage end","stage":"pull","result":"success"}`,
			state.ServiceRecord{Starts: 1, Since: at(4), Finished: []string{"pull"}}},
		"failed": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"stage start","stage":"cb-bootstrap"},
			{"timestamp":"2026-01-02T03:04:03Z","phase":"stage end","stage":"cb-bootstrap","result":"failure","errorMessage":"boom"},
			{"timestamp":"2026-01-02T03:04:04Z","phase":"service end","result":"failure"}`,
			state.ServiceRecord{Starts: 1, Since: at(4), Failure: "cb-bootstrap: boom"}},
		"started again": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"stage end","stage":"a","result":"success"},
			{"timestamp":"2026-01-02T03:04:04Z","phase":"service end","result":"failure","errorMessage":"boom"},
			{"timestamp":"2026-01-02T03:04:09Z","phase":"service start"}`,
			state.ServiceRecord{Starts: 2, Since: at(9), Finished: []string{"a"}}},
		"failed before it began": {start + `,{"timestamp":"2026-01-02T03:04:02Z","phase":"pre-command start","preCommand":"pause-image"},
			{"timestamp":"2026-01-02T03:04:02Z","phase":"pre-command end","preCommand":"pause-image","result":"failure","errorLine":"3 main"}`,
			state.ServiceRecord{Starts: 1, Since: at(1), Failure: "pause-image: 3 main"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Service = "bootkube"
			got := parseRecords([]byte("==> /var/log/openshift/bootkube.json <==\n[" + c.entries + "]"))
			if diff := cmp.Diff([]state.ServiceRecord{c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRecords_SkipsBrokenFile(t *testing.T) {
	got := parseRecords([]byte("bash: warning\n==> /var/log/openshift/progress.json <==\n[]\n\n" +
		"==> /var/log/openshift/bootkube.json <==\n[{\"phase\":\"service st\n==> /var/log/openshift/approve-csr.json <==\n[\n]\n"))
	want := []state.ServiceRecord{{Service: "approve-csr"}, {Service: "progress"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSanitizeLine_ShortAndPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mred\x07\r\nb":                  "ared b",
		"\u202eright to left":                    "right to left",
		`{"auths":{"quay.io":{"auth":"c2VjcmV0"`: `{"auths":{"quay.io":{***"`,
		"get https://user:secret@quay.io/v2/":    "get https***quay.io/v2/",
		"-----BEGIN RSA PRIVATE KEY----- MIIE":   "***",
		"bearer eyJhbGciOi.eyJzdWIi.c2ln ok":     "bearer *** ok",
		"pull secret: unauthorized":              "pull secret: unauthorized",
	} {
		if got := sanitizeLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := sanitizeLine(strings.Repeat("ü", 5000)); len([]rune(got)) != maxLine+1 {
		t.Errorf("a long line has %d characters", len([]rune(got)))
	}
}

func TestParseEntry_ReadsJournal(t *testing.T) {
	for entry, want := range map[string]state.JournalLine{
		`{"__CURSOR":"c","__REALTIME_TIMESTAMP":"1767323045000000","_SYSTEMD_UNIT":"bootkube.service","MESSAGE":"text"}`: {
			At: at(5), Unit: "bootkube.service", Text: "text"},
		`{"__CURSOR":"c","__REALTIME_TIMESTAMP":"1767323045000000","_SYSTEMD_UNIT":"b","MESSAGE":[104,27,105,255]}`: {At: at(5), Unit: "b", Text: "h\ufffd"},
		`{"__CURSOR":"c","__REALTIME_TIMESTAMP":"1767323045000000","_SYSTEMD_UNIT":"kubelet.service","MESSAGE":"E0102 03:04:05.6 1 x.go] bad"}`: {
			At: at(5), Unit: "kubelet.service", Text: "E0102 03:04:05.6 1 x.go] bad"},
		`{"__CURSOR":"c","_SYSTEMD_UNIT":"kubelet.service","MESSAGE":"I0102 03:04:05.6 1 x.go] fine"}`: {},
		`{"__CURSOR":"c","_SYSTEMD_UNIT":"b","MESSAGE":null}`:                                          {},
		`{"__CURSOR":"c","_SYSTEMD_UNIT":"b","MESSAGE":{"a":1}}`:                                       {},
	} {
		read, ok := parseEntry([]byte(entry))
		if !ok {
			t.Fatalf("%s cannot be read", entry)
		}
		line, worth := read.toLine()
		if !worth {
			line = state.JournalLine{}
		}
		if diff := cmp.Diff(want, line); diff != "" {
			t.Errorf("%s: %s", entry, diff)
		}
	}
}

// FuzzHostRecords checks that no output of the machine is harmful.
func FuzzHostRecords(f *testing.F) {
	f.Add("==> /var/log/openshift/a.json <==\n[{\"phase\":\"stage start\",\"stage\":\"\\u001b[2J\"}]\n")
	f.Add(`{"__CURSOR":"c","MESSAGE":[1,2,300],"_SYSTEMD_UNIT":"\u0007"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var texts []string
		for _, record := range parseRecords([]byte(text)) {
			texts = append(append(texts, record.Service, record.Stage, record.Failure), record.Finished...)
		}
		if read, ok := parseEntry([]byte(text)); ok {
			line, _ := read.toLine()
			texts = append(texts, line.Unit, line.Text)
		}
		for _, text := range texts {
			if strings.ContainsFunc(text, unicode.IsControl) || len([]rune(text)) > maxLine+1 {
				t.Errorf("%q gets through", text)
			}
		}
	})
}

func TestParseRecords_LimitsEndlessRecord(t *testing.T) {
	var printed, stages bytes.Buffer
	for n := range 20_000 {
		fmt.Fprintf(&stages, `{"phase":"stage end","stage":"stage-%d","result":"success"},`, n)
	}
	fmt.Fprintf(&printed, "==> /var/log/openshift/bootkube.json <==\n[%s]\n", strings.TrimSuffix(stages.String(), ","))
	for n := range 20_000 {
		fmt.Fprintf(&printed, "==> /var/log/openshift/service-%d.json <==\n[]\n", n)
	}
	records := parseRecords(printed.Bytes())
	if len(records) != maxServices || len(records[0].Finished) != maxStages {
		t.Errorf("%d services, %d stages", len(records), len(records[0].Finished))
	}
}
