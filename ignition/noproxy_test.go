package ignition

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

func proxied(manifest string) []byte {
	return fmt.Appendf(nil, `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/other","contents":{"source":"data:,x"}},{"path":%q,"mode":420,"contents":{"source":"data:text/plain;charset=utf-8;base64,%s"}}]}}`,
		proxyManifestPath, base64.StdEncoding.EncodeToString([]byte(manifest)))
}

func TestWithNoProxy_AddsAddressesAsTheOperatorWould(t *testing.T) {
	const manifest = "kind: Proxy\nspec:\n  httpProxy: http://proxy:3128\n  noProxy: .z.example,.a.example\nstatus:\n  noProxy: .a.example,.cluster.local,.svc,.z.example,127.0.0.1\n"
	document := proxied(manifest)
	for range 2 { // of a document that has them already, too
		changed, err := WithNoProxy(document, []string{"198.18.0.12", "198.18.0.11"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readFile(changed, proxyManifestPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"noProxy: .z.example,.a.example,198.18.0.12,198.18.0.11\n",
			"noProxy: .a.example,.cluster.local,.svc,.z.example,127.0.0.1,198.18.0.11,198.18.0.12\n",
		} {
			if !strings.Contains(string(got), want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
		if !strings.Contains(string(changed), `"mode":420`) || !strings.Contains(string(changed), `"/etc/other"`) {
			t.Errorf("something else was changed: %s", changed)
		}
		document = changed
	}
}

func TestWithNoProxy_KeepsWhatHasNoProxy(t *testing.T) {
	for name, manifest := range map[string]string{
		"no proxy":           "kind: Proxy\nspec:\n  trustedCA:\n    name: \"\"\nstatus: {}\n",
		"none is ever asked": "kind: Proxy\nspec:\n  httpProxy: http://proxy:3128\n  noProxy: '*'\nstatus:\n  noProxy: '*'\n",
	} {
		document := proxied(manifest)
		if changed, err := WithNoProxy(document, []string{"198.18.0.11"}); err != nil || string(changed) != string(document) {
			t.Errorf("%s: %s, %v", name, changed, err)
		}
	}
}

func TestWithNoProxy_RefusesUnknownDocument(t *testing.T) {
	for _, document := range []string{"{", `{"storage":{"files":[]}}`, string(proxied("- a\n")),
		strings.Replace(string(proxied("a: b")), `"contents":{"source":"data:text`, `"contents":{"compression":"gzip","source":"data:text`, 1)} {
		if changed, err := WithNoProxy([]byte(document), []string{"198.18.0.11"}); err == nil {
			t.Errorf("%s became %s", document, changed)
		}
	}
}
