package console_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/internal/console"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/difference"
)

// surveyed is a report from two sources with every verdict.
func surveyed() console.ConnectivityReport {
	layers := func(dns, tcp, tls, http reach.Layer) reach.Layers {
		return reach.Layers{DNS: dns, TCP: tcp, TLS: tls, HTTP: http}
	}
	well, ok, bad, none := layers("ok", "ok", "ok", "ok"), reach.LayerOK, reach.LayerFail, reach.LayerNone
	result := func(id, group, target, vantage string, severity reach.Severity, verdict reach.Verdict, class reach.Class, l reach.Layers, evidence ...string) reach.Result {
		r := reach.Result{ID: id, Group: group, Target: target, Source: vantage, Phase: "bootstrap", Severity: severity, Verdict: verdict,
			Class: class, Layers: l, Evidence: map[string]string{}, Owner: "network"}
		for i := 0; i+1 < len(evidence); i += 2 {
			r.Evidence[evidence[i]] = evidence[i+1]
		}
		return r
	}
	intercepted := result("NET-RH-003", "redhat", "registry.redhat.io:443", "zone", reach.Must, reach.Fail, reach.Untrusted, layers(ok, ok, bad, none),
		"issuer", "CN=Corp Proxy CA", "address", "203.0.113.7", "took_ms", "88", "source", "198.51.100.4")
	intercepted.Hint = "Ask for registry.redhat.io to be exempted from TLS inspection, or have CN=Corp Proxy CA trusted, by its certificate in openshift.trustBundle."
	dropped := result("NET-RH-002", "redhat", "quay.io:443", "workstation", reach.Must, reach.Fail, reach.TCPTimeout, layers(ok, bad, none, none),
		"host", "cdn03.quay.io:443", "address", "203.0.113.9", "took_ms", "5002")
	dropped.Hint = "Ask for the firewall to let cdn03.quay.io:443 through."
	slow := result("NET-3RD-001", "third-party", "acme-v02.api.letsencrypt.org:443", "workstation", reach.Should, reach.Warn, reach.Slow, well, "took_ms", "4120")
	slow.Hint = "Find out what makes the way slow."
	return console.ConnectivityReport{
		Title: "c-demo-1 in ch-gva-2", Program: "exoshift 1.2.3", Release: "4.20.5",
		Report: reach.Report{V: 1, Started: time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC), TookMS: 5120, Results: []reach.Result{
			result("NET-RH-001", "redhat", "quay.io:443", "workstation", reach.Must, reach.OK, reach.Unauthorized, well, "took_ms", "61"),
			dropped,
			result("NET-RH-003", "redhat", "registry.redhat.io:443", "workstation", reach.Must, reach.OK, "", well, "took_ms", "70", "skip_expired", "ticket 4711 until 2026-01-31"),
			slow,
			result("NET-RH-020", "redhat", "cert-api.access.redhat.com:443", "workstation", reach.May, reach.Skipped, "", layers(none, none, none, none),
				"skipped", "no telemetry is sent", "until", "2027-01-31"),
			result("NET-RH-001", "redhat", "quay.io:443", "zone", reach.Must, reach.OK, "", well, "took_ms", "12"),
			result("NET-RH-002", "redhat", "quay.io:443", "zone", reach.Must, reach.Skipped, "", layers(none, none, none, none), "skipped", "because NET-RH-001 failed"),
			intercepted,
		}},
		Checks: []reach.Check{
			{ID: "NET-RH-001", URL: "registry://quay.io", From: []string{"installer", "nodes"}, Reason: "Source of all release images."},
			{ID: "NET-RH-002", URL: "release://quay.io", From: []string{"nodes"}, Reason: "The first bytes of a layer are fetched as a node would."},
			{ID: "NET-RH-003", URL: "registry://registry.redhat.io", From: []string{"installer", "nodes"}, Reason: "Images of operators | and more are pulled from here."},
			{ID: "NET-3RD-001", URL: "acme://acme-v02.api.letsencrypt.org/directory"},
		},
	}
}

// compared is a report with changes since an earlier one.
func compared() console.ConnectivityReport {
	v := surveyed()
	earlier := surveyed().Report
	earlier.Results[0].Verdict, earlier.Results[0].Class = reach.Fail, reach.NXDomain
	earlier.Results[1].Verdict, earlier.Results[1].Class = reach.OK, ""
	earlier.Results[3].ID = "NET-3RD-009"
	v.Changes, v.Compared = difference.Compare(earlier, v.Report), true
	return v
}

// forms are the output formats of a report.
func forms(v console.ConnectivityReport) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"table": v.WriteTable, "short": v.WriteShort, "json": v.WriteJSON, "junit": v.WriteJUnit, "markdown": v.WriteMarkdown, "difference": v.WriteDiff,
	}
}

func TestReport_EachFormat(t *testing.T) {
	for name, write := range forms(surveyed()) {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Error(err)
		}
		golden(t, "reach."+name+".golden", out.Bytes())
	}
	beside := forms(compared())
	delete(beside, "json") // has no earlier report
	delete(beside, "junit")
	for name, write := range beside {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Error(err)
		}
		golden(t, "reach.compared."+name+".golden", out.Bytes())
	}
}

func TestReport_AllOKIsShort(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[:1]
	var table, markdown bytes.Buffer
	if err := v.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := v.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	want := `Reachability of c-demo-1 in ch-gva-2, 2026-05-04 14:02 UTC, in 5.1 s
  workstation  1 ok

                           workstation  DNS  TCP  TLS  HTTP
Red Hat and OpenShift
  NET-RH-001  quay.io:443  ok           ok   ok   ok   ok
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := markdown.String(); strings.Contains(got, "##") || !strings.HasSuffix(got, "\nWell: `quay.io:443`\n") {
		t.Error(got)
	}
}

func TestReport_SharedHintOnce(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[1:4]
	for i := range v.Report.Results {
		v.Report.Results[i].Verdict, v.Report.Results[i].Class, v.Report.Results[i].Hint = reach.Warn, reach.Slow, "Wait some minutes."
	}
	var out bytes.Buffer
	if err := v.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "Wait some minutes.") != 1 || strings.Count(got, "the same as for NET-RH-002") != 2 {
		t.Error(got)
	}
}

func TestReport_Empty(t *testing.T) {
	for name, write := range forms(console.ConnectivityReport{}) {
		var out bytes.Buffer
		if err := write(&out); err != nil || out.Len() == 0 {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
}

// spoiled puts hostile text into every text of a value.
func spoiled(value reflect.Value) {
	switch value.Kind() {
	case reflect.String:
		value.SetString(hostile + "|`<b>&*_[x](y)")
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				spoiled(value.Field(i))
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			spoiled(value.Index(i))
		}
	case reflect.Map:
		if value.IsNil() {
			return
		}
		for _, key := range value.MapKeys() {
			value.SetMapIndex(key, reflect.ValueOf(hostile+"|`<b>"))
		}
		value.SetMapIndex(reflect.ValueOf(hostile), reflect.ValueOf(hostile))
	}
}

// hostileReport has hostile text everywhere, except for values that select its format.
func hostileReport() console.ConnectivityReport {
	v := compared()
	verdicts := surveyed()
	spoiled(reflect.ValueOf(&v).Elem())
	for i := range v.Report.Results {
		r, was := &v.Report.Results[i], verdicts.Report.Results[i]
		r.Verdict, r.Class, r.Severity = was.Verdict, was.Class, was.Severity
	}
	return v
}

func TestReport_HostileText(t *testing.T) {
	for name, v := range map[string]console.ConnectivityReport{"verdicts known": hostileReport(), "verdicts unknown": func() console.ConnectivityReport {
		v := compared()
		spoiled(reflect.ValueOf(&v).Elem())
		return v
	}()} {
		all := forms(v)
		delete(all, "json") // for programs
		all["transitions"] = func(w io.Writer) error { return console.WriteTransitions(w, began, v.Changes) }
		for form, write := range all {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Error(err)
			}
			if i := strings.IndexFunc(out.String(), steers); i >= 0 {
				t.Errorf("%s, %s: %q is printed", name, form, out.String()[max(0, i-40):i+1])
			}
		}
	}
}

func TestMarkdown_EscapesHostileText(t *testing.T) {
	var plain, spoilt bytes.Buffer
	if err := compared().WriteMarkdown(&plain); err != nil {
		t.Fatal(err)
	}
	if err := hostileReport().WriteMarkdown(&spoilt); err != nil {
		t.Fatal(err)
	}
	bars := func(text string) []int {
		var counts []int
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "|") {
				counts = append(counts, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"))
			}
		}
		return counts
	}
	got := bars(spoilt.String())
	for i, n := range got {
		if n != 6 && n != 5 && n != 8 && n != 9 {
			t.Errorf("row %d has %d bars", i, n)
		}
	}
	if strings.Contains(strings.ReplaceAll(spoilt.String(), `\<b`, ""), "<b\\>") {
		t.Error("HTML is not made safe")
	}
}

func TestJUnit_CountsMatchReport(t *testing.T) {
	for name, v := range map[string]console.ConnectivityReport{"good": surveyed(), "hostile": hostileReport()} {
		var out bytes.Buffer
		if err := v.WriteJUnit(&out); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Suites   []struct {
				Name  string `xml:"name,attr"`
				Tests int    `xml:"tests,attr"`
				Cases []struct {
					Failure *struct{} `xml:"failure"`
					Skipped *struct{} `xml:"skipped"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases, failures, skipped := 0, 0, 0
		for _, suite := range got.Suites {
			for _, one := range suite.Cases {
				cases++
				if one.Failure != nil {
					failures++
				}
				if one.Skipped != nil {
					skipped++
				}
			}
		}
		if got.Tests != 8 || cases != 8 || got.Failures != 2 || failures != 2 || got.Skipped != 2 || skipped != 2 {
			t.Errorf("%s: %+v, %d cases, %d failures, %d skipped", name, got, cases, failures, skipped)
		}
	}
}

func TestReport_IsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		result := rapid.Custom(func(t *rapid.T) reach.Result {
			return reach.Result{
				ID: text.Draw(t, "id"), Group: text.Draw(t, "group"), Target: text.Draw(t, "target"), Source: text.Draw(t, "vantage"),
				Class: reach.Class(text.Draw(t, "class")), Verdict: rapid.SampledFrom([]reach.Verdict{reach.OK, reach.Warn, reach.Fail, reach.Skipped, "?"}).Draw(t, "verdict"),
				Evidence: rapid.MapOf(rapid.SampledFrom([]string{"host", "proxy", "issuer", "took_ms", "skipped", "until"}), text).Draw(t, "evidence"), Hint: text.Draw(t, "hint"),
			}
		})
		v := console.ConnectivityReport{Report: reach.Report{Results: rapid.SliceOf(result).Draw(t, "results")}, Title: text.Draw(t, "title")}
		for name, write := range forms(v) {
			var first, second bytes.Buffer
			if err := write(&first); err != nil {
				t.Fatal(err)
			}
			if err := forms(v)[name](&second); err != nil || second.String() != first.String() {
				t.Fatalf("%s differs: %v", name, err)
			}
			if i := strings.IndexFunc(first.String(), steers); i >= 0 && name != "json" {
				t.Fatalf("%s: %q is printed", name, first.String()[max(0, i-40):i+1])
			}
		}
	})
}

func TestTable_AlignsWideCharacters(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[:2]
	v.Report.Results[1].Target = "例え.テスト:443"
	var out bytes.Buffer
	if err := v.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if want := "  NET-RH-001  quay.io:443      ok           ok"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if want := "  NET-RH-002  例え.テスト:443  FAILED       ok"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestTransitions_ChangesOnly(t *testing.T) {
	var out bytes.Buffer
	if err := console.WriteTransitions(&out, began, compared().Changes[:2]); err != nil {
		t.Fatal(err)
	}
	want := `14:00:00 NET-RH-001 quay.io:443 from workstation: FAILED (dns-nxdomain) -> ok (http-401)
14:00:00 NET-RH-002 quay.io:443 from workstation: ok -> FAILED (tcp-timeout), TCP: no answer from 203.0.113.9, at cdn03.quay.io:443
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReport_CommonCauseOnceAndFirst(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[:4]
	for i := range v.Report.Results[:3] {
		r := &v.Report.Results[i]
		r.Source, r.Verdict, r.Class, r.Hint, r.Evidence = reach.Workstation, reach.Warn, reach.Captive, "Log in.", nil
	}
	v.Report.Results[1].Verdict = reach.Fail
	const cause = "the network of this workstation requires a login"
	for name, want := range map[string][]string{
		"table":    {"\nCause 1, of 3 problems\n      is    " + cause + "\n      do    Log in to the network", "  DNS  TCP   TLS  HTTP  cause\n", "redhat.io:443            warn         ok   ok    ok   ok    1\n"},
		"short":    {"FAILED  one cause of 3 problems: " + cause + "; Log in to the network"},
		"markdown": {"| 1 | " + cause + " | 3 | Log in to the network", " | see the cause above |\n"},
	} {
		var out bytes.Buffer
		if err := forms(v)[name](&out); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s lacks %q:\n%s", name, text, out.String())
			}
		}
		if n := strings.Count(out.String(), cause); n != 1 {
			t.Errorf("%s tells the cause %d times:\n%s", name, n, out.String())
		}
		if strings.Contains(out.String(), "Log in.") {
			t.Errorf("%s repeats what to do:\n%s", name, out.String())
		}
	}
}

func TestFirewallRequest_EvidenceOnce(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[1:4]
	for i := range v.Report.Results {
		r := &v.Report.Results[i]
		r.Source, r.Verdict, r.Class, r.Layers = reach.Workstation, reach.Fail, reach.Untrusted, reach.Layers{TLS: reach.LayerFail}
		r.Target, r.Evidence = string(rune('a'+i))+".example:443", map[string]string{reach.EvidenceIssuer: "CN=Corp Proxy CA"}
	}
	var out bytes.Buffer
	if err := v.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "      seen  as above\n") != 1 || !strings.Contains(got, "b.example, c.example") || strings.Count(got, "TLS FAILED") != 1 {
		t.Error(got)
	}
}

func TestShortReport_ExpiredSkips(t *testing.T) {
	v := surveyed()
	v.Report.Results = v.Report.Results[1:2]
	v.Report.Results[0].Evidence = map[string]string{reach.EvidenceExpiredSkip: "we mirror until 2020-01-01"}
	var out bytes.Buffer
	if err := v.WriteShort(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasSuffix(got, "; this skip has expired: we mirror until 2020-01-01\n") {
		t.Error(got)
	}
}
