package openshift

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// FuzzDecodeManifests checks that decoded objects have names and no fields that only an API server writes, and that no error
// quotes them.
func FuzzDecodeManifests(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a, uid: b}\nstringData: {password: x, other: 1}\nstatus: {}\n---\n# nothing\n---\nnull\n", `{"apiVersion": "v1", "kind": "List", "items": [null, {"kind": "A"}, 1]}`,
		`{"apiVersion": "v1", "kind": "SecretList", "items": {}}`, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "managedFields": 1}, "stringData": {"a": null}, "data": []}`, "a: &a [*a]", "[", "", "\xff", "kind: 1", "--- ---", `{"a"`,
		`{"apiVersion": "a/b/c", "kind": "X", "metadata": {"name": "a"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		const secret = "very-secret-value"
		if _, err := decodeManifests(append(bytes.Clone(content), secret...)); err != nil && (strings.Contains(err.Error(), secret) || !fault.Is(err, fault.Invalid)) {
			t.Fatalf("%q is told as %q", content, err)
		}
		objects, err := decodeManifests(content)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for _, object := range objects {
			metadata := object.Object["metadata"].(map[string]any)
			if object.GetName() == "" || object.GetKind() == "" || object.GetAPIVersion() == "" || object.Object["status"] != nil || metadata["uid"] != nil || metadata["managedFields"] != nil {
				t.Fatalf("%v is applied", object)
			}
			if object.GetKind() == "Secret" && object.GetAPIVersion() == "v1" && object.Object["stringData"] != nil {
				t.Fatalf("%v has plain text", object)
			}
			document, err := json.Marshal(object.Object)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(document, "\n---\n"...))
		}
		second, err := decodeManifests(again.Bytes())
		if err != nil || len(second) != len(objects) {
			t.Fatalf("%d objects, then %d, %v", len(objects), len(second), err)
		}
		for i := range second {
			if was, is := marshalled(t, objects[i].Object), marshalled(t, second[i].Object); was != is {
				t.Fatalf("%s, then %s", was, is)
			}
		}
	})
}

func marshalled(t *testing.T, value any) string {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// FuzzDecodeAlerts decodes responses of Alertmanager with arbitrary alerts.
func FuzzDecodeAlerts(f *testing.F) {
	for _, seed := range []string{
		`[{"labels": {"alertname": "Watchdog", "severity": "none"}}, {"labels": {"alertname": "A\u001b[2J", "severity": "critical"}, "annotations": {"summary": "s", "description": "d"}, "startsAt": "2026-05-04T14:02:00Z"}]`,
		`[{"status": {"state": "suppressed", "silencedBy": ["x"]}}, null]`, "[" + strings.Repeat("{},", 600) + "{}]", "{}", "null", "", "<html>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		alerts, err := decodeAlerts(content)
		if len(alerts) > maxAlerts || err != nil && alerts != nil {
			t.Fatalf("%d alerts, %v", len(alerts), err)
		}
		for i, alert := range alerts {
			if strings.ContainsFunc(alert.Name+alert.Severity+alert.Namespace+alert.Summary, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%+v is told", alert)
			}
			if i > 0 && computeUrgency(alerts[i-1]) > computeUrgency(alert) {
				t.Fatalf("%+v stands before %+v", alerts[i-1], alert)
			}
		}
	})
}

// FuzzParseRegistration parses an account at acme-dns, of which only names may be part of errors.
func FuzzParseRegistration(f *testing.F) {
	for _, seed := range []string{
		`{"fulldomain": "a.acme.example.net", "password": "very-secret-value"}`, `{"example.net": {"fulldomain": "a.b"}, "*.example.net": {"fulldomain": "a.b"}}`, `{"a": {"fulldomain": "a.b"}, "b": {"fulldomain": "c.d"}}`,
		`{"a": {"fulldomain": "very-secret-value\n"}}`, `{"a": 1}`, `{"fulldomain": 1}`, "null", "", "[]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, problem := parseRegistration(content)
		if strings.Contains(problem, "very-secret-value") || problem == "" && len(validation.IsDNS1123Subdomain(found.FullDomain)) > 0 {
			t.Fatalf("%+v, %q", found, problem)
		}
		for _, domain := range found.Domains {
			if len(validation.IsDNS1123Subdomain(domain)) > 0 {
				t.Fatalf("%q is a domain", domain)
			}
		}
		if !slices.IsSorted(found.Domains) {
			t.Fatalf("%q", found.Domains)
		}
	})
}

// FuzzEmergencyKubeconfig checks that the token is sent only to the API of this cluster over verified TLS, and that no error
// quotes it.
func FuzzEmergencyKubeconfig(f *testing.F) {
	const form = "{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: %s}}], users: [{name: a, user: {token: very-secret-value}}], contexts: [{name: a, context: {cluster: a, user: a}}]}"
	for _, server := range []string{
		"'https://api.c-1.example.net:6443', certificate-authority-data: YQ==", "'https://api.c-1.example.net:6443', insecure-skip-tls-verify: true", "'http://api.c-1.example.net:6443'",
		"'https://evil.example.net:6443'", "'https://api.c-1.example.net:6443', tls-server-name: x, proxy-url: 'http://evil'", "'https://a@api.c-1.example.net:6443'",
	} {
		f.Add([]byte(strings.Replace(form, "%s", server, 1)))
	}
	f.Add([]byte("-----BEGIN PGP MESSAGE-----"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, content []byte) {
		admin := &Client{Address: &url.URL{Scheme: "https", Host: "api.c-1.example.net:6443"}}
		v := NewVerifier(NewConnector(network.Network{}, func() ([]byte, error) { return nil, fault.New(fault.NotFound, "no kubeconfig", nil) }))
		made, err := v.connectEmergency(content, admin)
		switch {
		case err != nil && (!fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "very-secret-value") && !bytes.Contains(content, []byte("server: very-secret-value"))):
			t.Fatalf("%q is told as %q", content, err)
		case err == nil && (made.Address.Scheme != "https" || made.Address.Host != admin.Address.Host || made.Trust.InsecureSkipVerify || made.Trust.ServerName != "" || made.Trust.RootCAs == nil):
			t.Fatalf("%q leads to %s", content, made.Address)
		}
	})
}

// FuzzRefusal decodes error responses of an API server, or of another server in its place.
func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{`{"kind": "Status", "reason": "Forbidden", "message": "no\u001b[2J", "code": 403}`, `{"kind": "Status", "reason": "NotFound", "details": null}`, `{"kind": 1}`, "<html>", "", "null"} {
		f.Add(403, []byte(seed))
		f.Add(502, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, code int, content []byte) {
		refused := toStatusError("secrets", "a", code, content)
		told := fault.New(fault.Internal, "read secrets a", refused)
		if refused == nil || strings.ContainsFunc(told.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("%d %q is told as %q", code, content, told)
		}
		var object map[string]any
		if err := decode("read secrets a", content, &object); err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("%q is told as %q", content, err)
		}
	})
}
