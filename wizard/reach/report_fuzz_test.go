package reach_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"exoshift/wizard/reach"
)

// FuzzReadReport parses the report of a remote machine; writing it again yields the same.
func FuzzReadReport(f *testing.F) {
	var empty bytes.Buffer
	if err := reach.WriteReport(&empty, reach.Report{Results: []reach.Result{{ID: "a", Verdict: reach.OK}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(empty.Bytes())
	for _, seed := range []string{`{"v": 1, "results": null}`, `{"v": 99}`, `{"v": 1, "results": [{"id": "a", "verdict": "x\u001b[2J"}]}`, `{"v": 1, "results": [{"id": "a", "verdict": "ok", "layers": {"dns": "none"}, "evidence": {"": ""}}]}`, "[]", "null", "", "<html>", `{"v": 1e9}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		report, err := reach.ReadReport(bytes.NewReader(content))
		if err != nil {
			if len(report.Results) > 0 || !strings.Contains(err.Error(), "report") {
				t.Fatalf("%q is told as %q", content, err)
			}
			return
		}
		var first, second bytes.Buffer
		if err := reach.WriteReport(&first, report); err != nil {
			t.Fatal(err)
		}
		again, err := reach.ReadReport(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := reach.WriteReport(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%s became %s, %v", first.Bytes(), second.Bytes(), err)
		}
	})
}

func FuzzParseSkip(f *testing.F) {
	for _, seed := range []string{"a ticket", "a until 2027-01-31", "a (until 2027-01-31)", "until 2027-01-31", "a until tomorrow 1", "a until 2027-01-31 until 2028-01-31", "a until 0001-01-01", "\u00a0a\u00a0until 2027-01-31", "\x1b[2J", "\xff", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skip, err := reach.ParseSkip(text)
		if err != nil {
			return
		}
		if again, err := reach.ParseSkip(skip.String()); err != nil || again.Reason != skip.Reason || !again.Until.Equal(skip.Until) {
			t.Fatalf("%q is read as %+v, and that as %+v, %v", text, skip, again, err)
		}
		if skip.Reason == "" || strings.ContainsFunc(skip.Reason, unicode.IsControl) {
			t.Fatalf("the reason is %q", skip.Reason)
		}
	})
}
