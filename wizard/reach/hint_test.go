package reach_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// classes returns every class that class.go names.
func classes(t *testing.T) (all []reach.Class) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "class.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			class, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, reach.Class(class))
		}
		return true
	})
	if len(all) < 25 {
		t.Fatalf("only %d classes found", len(all))
	}
	return all
}

func seen(t *testing.T, class reach.Class, evidence map[string]string) reach.Result {
	t.Helper()
	finding := reach.Finding{Class: class, Evidence: evidence}
	return reach.Run(t.Context(), taskOf("A"), probes{"A": finds(finding)}, nil).Results[0]
}

func TestClasses_HaveHintAndSentence(t *testing.T) {
	hints, sentences := map[string]reach.Class{}, map[string]reach.Class{}
	for _, class := range classes(t) {
		r := seen(t, class, nil)
		if r.Hint == "" || strings.Contains(r.Hint, "Compare with a machine") || strings.ContainsAny(r.Hint, "{}!") || !strings.HasSuffix(r.Hint, ".") {
			t.Errorf("%s: hint %q", class, r.Hint)
		}
		if other, taken := hints[r.Hint]; taken {
			t.Errorf("%s and %s have one hint", class, other)
		}
		hints[r.Hint] = class
		sentence := r.Describe()
		if sentence == "" || strings.ContainsAny(sentence, "{}!") || strings.HasPrefix(sentence, string(class)+":") {
			t.Errorf("%s: sentence %q", class, sentence)
		}
		if other, taken := sentences[sentence]; taken {
			t.Errorf("%s and %s have one sentence", class, other)
		}
		sentences[sentence] = class
	}
}

func TestHints_UseEvidence(t *testing.T) {
	for class, seenAs := range map[reach.Class]struct{ key, value string }{
		reach.Untrusted: {reach.EvidenceIssuer, "CN=Corp Proxy CA"}, reach.ProxyAuth: {reach.EvidenceProxy, "proxy.corp:3128"},
		reach.NoRoute:  {reach.EvidenceAddress, "203.0.113.9"},
		reach.NXDomain: {reach.EvidenceResolver, "10.0.0.53"}, reach.SplitView: {reach.EvidenceAddresses, "10.1.2.3"},
		reach.HostKey: {reach.EvidenceHostKey, "SHA256:abc"}, reach.ServerError: {reach.EvidenceStatus, "503 Service Unavailable"},
		reach.TCPTimeout: {reach.EvidenceHost, "cdn03.quay.io"},
	} {
		r := seen(t, class, map[string]string{seenAs.key: seenAs.value})
		if !strings.Contains(r.Hint, seenAs.value) {
			t.Errorf("%s: %q lacks %q", class, r.Hint, seenAs.value)
		}
	}
}

func TestHints_EvidenceIsNoTemplate(t *testing.T) {
	if r := seen(t, reach.Untrusted, map[string]string{reach.EvidenceIssuer: "{target}"}); !strings.Contains(r.Hint, "trust {target}") {
		t.Error(r.Hint)
	}
}

func TestHint_AppendsCatalogueHint(t *testing.T) {
	task := taskOf("A", "B")
	for i := range task.Checks {
		task.Checks[i].Hint = "The pool has more servers."
	}
	report := reach.Run(t.Context(), task, probes{"A": finds(dropped)}, nil)
	if failed, well := report.Results[0].Hint, report.Results[1].Hint; !strings.HasSuffix(failed, "without an answer. The pool has more servers.") || well != "" {
		t.Errorf("failed: %q, well: %q", failed, well)
	}
}

func TestDescribe_NamesLayerAndHost(t *testing.T) {
	for want, r := range map[string]reach.Result{
		"TLS: signed by CN=Corp Proxy CA, which this workstation does not trust": {
			Target: "quay.io:443", Source: reach.Workstation, Class: reach.Untrusted, Verdict: reach.Fail,
			Layers: reach.Layers{TLS: reach.LayerFail}, Evidence: map[string]string{reach.EvidenceIssuer: "CN=Corp Proxy CA"}},
		"TCP: no answer from cdn03.quay.io": {
			Target: "quay.io:443", Class: reach.TCPTimeout, Layers: reach.Layers{TCP: reach.LayerFail},
			Evidence: map[string]string{reach.EvidenceHost: "cdn03.quay.io"}},
		"TCP: connection refused, at cdn03.quay.io": {
			Target: "quay.io:443", Class: reach.Refused, Layers: reach.Layers{TCP: reach.LayerFail},
			Evidence: map[string]string{reach.EvidenceHost: "cdn03.quay.io"}},
		"UDP: no answer from 1.rhel.pool.ntp.org": {
			Target: "1.rhel.pool.ntp.org:123", Class: reach.UDPTimeout, Layers: reach.Layers{TCP: reach.LayerFail}},
		"reached in 61 ms":              {Verdict: reach.OK, Class: reach.Unauthorized, Evidence: map[string]string{reach.EvidenceTime: "61"}},
		"of-tomorrow: something new":    {Verdict: reach.Fail, Class: "of-tomorrow", Evidence: map[string]string{reach.EvidenceError: "something new"}},
		"not checked: because A failed": {Verdict: reach.Skipped, Evidence: map[string]string{reach.EvidenceSkipped: "because A failed"}},
		"not checked: no use (until 2027-01-31)": {Verdict: reach.Skipped, Evidence: map[string]string{
			reach.EvidenceSkipped: "no use", reach.EvidenceUntil: "2027-01-31"}},
	} {
		if got := r.Describe(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
