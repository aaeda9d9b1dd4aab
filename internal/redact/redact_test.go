package redact_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"exoshift/internal/redact"
)

func redacted(t testing.TB, r *redact.Redactor, content string) string {
	t.Helper()
	var out string
	r.Add("file", []byte(content))
	if err := r.ForEach(func(_ string, content []byte) error { out = string(content); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// pemKey has the form of a private key, but is not a valid one.
func pemKey(lines ...string) string {
	kind := "RSA PRIVATE" + " KEY"
	return "-----BEGIN " + kind + "-----\n" + strings.Join(lines, "\n") + "\n-----END " + kind + "-----\n"
}

const (
	line1 = "MIIEowIBAAKCAQEAq7BFUpkGp3+LQmlQYx2eqzDV+xeG8kx/sQFV18S5JhzGeIJN"
	line2 = "A72wSeukEPojtqUyX2J0CciPBh7eqclQ2zpAswgGUQK/9xmmBYWDScHy7xtfXSDl"
)

func TestRedact_SecretsByForm(t *testing.T) {
	for name, c := range map[string]struct{ text, secret, want string }{
		"private key":              {"key: |\n" + pemKey(line1, line2) + "end", line2, "key: |\nkey-1\nend"},
		"private key in JSON":      {`{"k":"` + strings.ReplaceAll(pemKey(line1), "\n", `\n`) + `","n":1}`, line1, `{"k":"key-1\n","n":1}`},
		"private key that is torn": {strings.Split(pemKey(line1, line2), "-----END")[0], line2, "key-1"},
		"Exoscale's key":           {"with EXOabcdef0123456789abcdef12 in ch-gva-2", "EXOabc", "with key-1 in ch-gva-2"},
		"signed link":              {"https://sos.exo.io/b/k?X-Amz-Date=1&X-Amz-Signature=0123abcd&x=1", "0123abcd", "X-Amz-Date=1&X-Amz-Signature=signature-1&x=1"},
		"signed link in JSON":      {`{"u":"https://x/?a=1\u0026X-Amz-Signature=0123abcd\u0026b=2"}`, "0123abcd", `X-Amz-Signature=signature-1\u0026b=2`},
		"signed request":           {"EXO2-HMAC-SHA256 credential=EXOabcdef0123456789abcdef12,signature=abc+/=", "abc+/=", "credential=key-1,signature=signature-1"},
		"password in a URL":        {"proxy http://bob:hunter2@proxy:3128/ refused", "hunter2", "http://password-1@proxy:3128/"},
		"registry's auth":          {`{"auths":{"quay.io":{"auth":"Ym9iOmh1bnRlcjI=","email":"x"}}}`, "Ym9i", `{"auth":"password-1","email":"x"}`},
		"registry's auth in JSON":  {`{"s":"{\"auths\":{\"quay.io\":{\"auth\":\"Ym9iOmh1bnRlcjI=\"}}}"}`, "Ym9i", `{\"auth\":\"password-1\"}`},
		"field of JSON":            {`{"clientSecret": "a\"b c\\", "x": 1}`, `b c`, `{"clientSecret": "password-1", "x": 1}`},
		"field of JSON in JSON":    {`{"m":"{\"password\":\"hunter2 x\",\"y\":1}"}`, "hunter2", `{\"password\":\"password-1\",\"y\":1}`},
		"YAML":                     {"password: hunter2\nuser: bob\n", "hunter2", "password: password-1\nuser: bob\n"},
		"YAML in quotes":           {"db_password: \"hunter 2\"\n", "hunter 2", "db_password: \"password-1\"\n"},
		"environment":              {"VAULT_TOKEN=s.abcdef1234 exoshift", "s.abcdef1234", "VAULT_TOKEN=password-1 exoshift"},
		"flag":                     {"run --admin-password hunter2 now", "hunter2", "run --admin-password password-1 now"},
		"flag with a slash":        {"run --password /unter2x now", "/unter2x", "run --password password-1 now"},
		"kubeadmin's password":     {"log in with aB3dE-fG4hI-jK5lM-nO6pQ today", "aB3dE", "log in with password-1 today"},
		"hash of a password":       {"hash $2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "N9qo8", "hash password-1"},
		"header":                   {"Authorization: Bearer abcDEF123456", "abcDEF123456", "Authorization: Bearer token-1"},
		"JSON web token":           {"got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl back", "eyJzdWIi", "got token-1 back"},
		"token of OpenShift":       {"sha256~abcdefghijklmnopqrstuvwxyz0123 used", "abcdefgh", "token-1 used"},
		"what may be anything":     {"data: " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("Anything 1", 9))), "QW55", "data: blob-1"},
		"the same on lines":        {"data:\n" + line1[:40] + "\n" + line1[24:] + "\n" + line2[:8] + "==\nend", line2[:8], "data:\nblob-1\nend"},
		"what is packed":           {"data: " + packed(t, "short"), "H4sI", "data: blob-1"},
		"token in a secret":        {"secret: token=banana-42-split, banana-42-split", "banana", "secret: password-1, password-2"},
		"URLs in a row":            {"http://a:hunter2-x@y,http://b:hunter3-x@y hunter3-x", "hunter2", "http://password-1@y "},
		"more of a web token":      {"eyJabcdefgh.eyJabcdefgh.eyJabcdefgh.eyJabcdefgh.x y", "eyJ", "token-1 y"},
		"the end of a long line":   {"password=" + strings.Repeat("x", 70000) + "1234", "x1234", "password=password-1"},
		"certificate":              {"-----BEGIN CERTIFICATE-----\n" + line1 + "\n-----END CERTIFICATE-----", line1, "certificate-1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := redacted(t, redact.New(), c.text)
			if strings.Contains(got, c.secret) || !strings.Contains(got, c.want) {
				t.Errorf("%s\nlacks %s", got, c.want)
			}
		})
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestAddIdentity_BecomesToken(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"address":                  {"203.0.113.5 and 203.0.113.6, then 203.0.113.5:6443", "ip-1 and ip-2, then ip-1:6443"},
		"address in DNS":           {"203.0.113.5 5.113.0.203.in-addr.arpa", "ip-1 ip-1"},
		"address with hyphens":     {"203.0.113.5 is ip-203-0-113-5.", "ip-1 is ip-ip-1."},
		"network":                  {"from 203.0.113.5/32", "from ip-1/32"},
		"IPv6":                     {"at [2a04:c43:e00:1::5]:443", "at [ip-1]:443"},
		"e-mail":                   {"ask Bob@corp.example.com, not core@203.0.113.5", "ask email-1, not core@ip-1"},
		"the cluster's name":       {"api.c-demo-1.example.net and C-Demo-1_control_plane", "api.cluster-1.domain-1 and cluster-1_control_plane"},
		"routes":                   {"https://console.apps.c-demo-1.example.net/x", "https://console.apps.cluster-1.domain-1/x"},
		"the name of another":      {"proxy.corp.bank.ch refuses", "host-1.domain-1 refuses"},
		"the same in a URL":        {"http://Proxy.corp.bank.ch:3128 is PROXY.corp.bank.ch", "http://host-1.domain-1:3128 is host-1.domain-1"},
		"a domain by itself":       {"bank.ch and example.net", "domain-1 and domain-2"},
		"a house's own":            {"ldap.bank.local", "host-1.domain-1"},
		"a folder":                 {"wrote /srv/install/c-demo-1/events.jsonl", "wrote path-1/events.jsonl"},
		"somebody's home":          {"at /home" + "/alice/x, not /home/core/y", "at /home" + "/user-1/x, not /home/core/y"},
		"a public key":             {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V bob", "ssh-ed25519 ssh-key-1 bob"},
		"in JSON behind an escape": {`{"m":"x\nproxy.corp.bank.ch \u003calice@bank.ch\u003e"}`, `{"m":"x\nhost-1.domain-1 \u003cemail-1\u003e"}`},
		"the cluster behind an escape": {`{"m":"x\nc-demo-1.example.net \u003cc-demo-1\u003e","n":"\"\\nc-demo-1\\tc-demo-1"}`,
			`{"m":"x\ncluster-1.domain-1 \u003ccluster-1\u003e","n":"\"\\ncluster-1\\tcluster-1"}`},
		"a file in a top-level name": {"see http://notes.md/x or notes.md", "see http://domain-1/x or domain-1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := redact.New()
			r.AddIdentity(redact.Domain, "example.net")
			r.AddIdentity(redact.Cluster, "c-demo-1")
			r.AddIdentity(redact.Path, "/srv/install/c-demo-1")
			if got := redacted(t, r, c.text); got != c.want {
				t.Errorf("%s\nis not %s", got, c.want)
			}
		})
	}
}

func TestRedact_KeepsDiagnosticText(t *testing.T) {
	for _, text := range []string{
		`{"v":1,"time":"2026-05-04T14:00:00.000000001Z","seq":12,"type":"node","name":"worker-1","state":"NotReady"}`,
		"quay.io/openshift-release-dev/ocp-release@sha256:86bad6e3c5b32a718b23a64b7ba16de30b65b4415f17c0ef3ba7038f9ca0fd54",
		"rhcos-9.6.20251212-1 in ch-gva-2, 4.20.5, 5c9b3c0e-3a7e-4b8e-9a52-7f2f0f3c1d11",
		"10.128.0.5 172.30.0.1 192.168.1.2 127.0.0.1 0.0.0.0/0 169.254.169.254 100.64.0.1 255.255.255.0 ::1 fe80::1",
		"bootkube.sh[1234]: waiting; kubelet.service, metadata.id, status.conditions, main.tf",
		"config.openshift.io/v1, certificates.k8s.io, node-role.kubernetes.io/master, k8s.ovn.org/x, api.openshift.com",
		"https://api-ch-gva-2.exoscale.com/v2 https://sos-ch-gva-2.exo.io https://mirror.openshift.com/pub",
		"system:serviceaccount:openshift-machine-config-operator:node-bootstrapper asks for kubernetes.io/kubelet-serving",
		`pullSecret: {file: pull-secret.json}` + "\n" + `apiSecret: {env: EXOSCALE_API_SECRET}`,
		"apiKey:\n  env: EXOSCALE_API_KEY\n",
		`{"text":"wrong password:","hint":"try again"}`,
		"certificate signed by unknown authority; basic authentication; a secret place",
		`secret "etcd-client" not found`,
		"in gathered/20261121T215824Z/cluster/certificatesigningrequests-certificates.jsonl",
		"signed by 2F07BD424CD20084F55DB9D7BF4A443D8B5B9037\ndownloading openshift-install\n",
	} {
		if got := redacted(t, redact.New(), text); got != text {
			t.Errorf("%s\nbecame %s", text, got)
		}
	}
}

func TestAddSecret_EverySpelling(t *testing.T) {
	for _, secret := range []string{"hunter2-hunter2", `p@ss"w<o>rd\&/?+=%`, "Zürich 8001", "abc123"} {
		inner, err := json.Marshal(map[string]string{"x": secret})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"plain":          "a " + secret + " b",
			"JSON":           string(inner),
			"JSON in JSON":   asJSON(t, string(inner)),
			"query":          "https://x/?q=" + url.QueryEscape(secret) + "&y",
			"path":           "https://x/" + url.PathEscape(secret) + "/y",
			"hex":            hex.EncodeToString([]byte(secret)),
			"HEX":            strings.ToUpper(hex.EncodeToString([]byte(secret))),
			"base64":         base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64 of JSON": base64.StdEncoding.EncodeToString(inner),
			"base64 URL":     base64.RawURLEncoding.EncodeToString([]byte("q" + secret + "q")),
			"base64 + 1":     base64.StdEncoding.EncodeToString([]byte("q" + secret + "qq")),
			"base64 + 2":     base64.StdEncoding.EncodeToString([]byte("qq" + secret + "q")),
			"base64 twice":   base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte("q" + secret)))),
		} {
			r := redact.New()
			r.AddSecret(redact.Password, secret)
			if got := redacted(t, r, text); !strings.Contains(got, "password-1") && !strings.Contains(got, "blob-1") {
				t.Errorf("%s as %s: %s", secret, name, got)
			}
		}
	}
}

func asJSON(t testing.TB, text string) string {
	t.Helper()
	content, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestScanSecrets_OfSecretFile(t *testing.T) {
	const pull, word = "c3VwcG9ydDpiYW5hbmEtNDItc3BsaXQ=", "banana-42-split" // support:banana-42-split
	inner := `{"auths":{"quay.io":{"auth":"` + pull + `"}}}`
	ignition := `{"storage":{"files":[{"contents":{"source":"data:text/plain;base64,` + base64.StdEncoding.EncodeToString([]byte(inner)) +
		`"}},{"contents":{"source":"data:,` + url.PathEscape(pemKey(line1, line2)) + `"}}]}}`
	for name, leak := range map[string]string{
		"as it is":            pull,
		"the password in it":  "login support " + word,
		"a line of a key":     line2[:len(line2)-1] + "l",
		"the key in base64":   base64.StdEncoding.EncodeToString([]byte("x" + line1)),
		"a line in YAML":      "    " + line1 + "\n",
		"the password in URL": "https://x/?p=" + url.QueryEscape(word),
	} {
		r := redact.New()
		r.ScanSecrets([]byte(`{"state":"` + base64.StdEncoding.EncodeToString([]byte(ignition)) + `"}`))
		got := redacted(t, r, "before "+leak+" after")
		if strings.Contains(got, strings.TrimSpace(leak)) || !strings.Contains(got, "before") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRedactor_SharesSecretsAcrossFiles(t *testing.T) {
	r := redact.New()
	r.Add("a", []byte("the log says banana-42-split"))
	r.Add("b", []byte("password=banana-42-split"))
	var got []string
	if err := r.ForEach(func(_ string, content []byte) error { got = append(got, string(content)); return nil }); err != nil {
		t.Fatal(err)
	}
	if got[0] != "the log says password-1" || got[1] != "password=password-1" {
		t.Error(got)
	}
}

func TestTally_CountsValuesAndPlaces(t *testing.T) {
	r := redact.New()
	r.AddSecret(redact.Password, "banana-42-split")
	redacted(t, r, "banana-42-split 203.0.113.5 203.0.113.5 203.0.113.6")
	tally := r.FileCounts()[0]
	if tally.Count(true) != 1 || tally.Count(false) != 3 || r.CountValues(redact.IP) != 2 || r.CountValues(redact.Password) != 1 {
		t.Errorf("%+v", tally)
	}
	meanings := r.Meanings()
	if meanings["ip-2"] != "203.0.113.6" || len(meanings) != 2 {
		t.Errorf("meanings: %v", meanings)
	}
}

// Whatever surrounds a secret, and however it is encoded, nothing of it is left, and JSON stays valid.
func TestRedact_AnySurroundings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9"\\<>&/+=%$ -]{4,24}[0-9][A-Z]`).Draw(t, "secret")
		around := rapid.SampledFrom([]string{
			"", " ", "x", `\`, `"`, "\n", "n", "u0026", "-----BEGIN RSA PRIVATE" + " KEY-----", "https://bob:", "@", "password: ", "://", "203.0.113.5",
			"host.example.com", "é", "eyJ", strings.Repeat("aB1", 30), `{"auth":"`, "--token ", "<", "EXO",
		})
		text := around.Draw(t, "before") + around.Draw(t, "before") + secret + around.Draw(t, "after") + around.Draw(t, "after")
		line, err := json.Marshal(map[string]string{"text": text, "data": base64.StdEncoding.EncodeToString([]byte(text))})
		if err != nil {
			t.Fatal(err)
		}
		r := redact.New()
		r.AddSecret(redact.Key, secret)
		r.AddIdentity(redact.Domain, "example.com")
		var out []byte
		r.Add("file", line)
		if err := r.ForEach(func(_ string, content []byte) error { out = content; return nil }); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%s\nbecame %s\n%v", line, out, err)
		}
		decoded, _ := base64.StdEncoding.DecodeString(back["data"])
		if strings.Contains(back["text"], secret) || bytes.Contains(decoded, []byte(secret)) {
			t.Fatalf("%s\nbecame %s", line, out)
		}
	})
}

func FuzzRedact(f *testing.F) {
	const secret = "banana-42-split"
	f.Add("password: ", "\n")
	f.Add("-----BEGIN PRIVATE"+" KEY-----\n", `","x":"`)
	f.Fuzz(func(t *testing.T, before, after string) {
		r := redact.New()
		r.AddSecret(redact.Password, secret)
		got := redacted(t, r, before+secret+after)
		if strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
		if valid := asJSON(t, before+secret+after); !json.Valid([]byte(redacted(t, redact.New(), valid))) {
			t.Errorf("%s is no JSON any more", valid)
		}
	})
}

func ExampleRedactor() {
	r := redact.New()
	r.AddIdentity(redact.Domain, "example.net")
	r.AddSecret(redact.Password, "banana-42-split")
	r.Add("log", []byte("api.example.net at 203.0.113.5 refuses banana-42-split"))
	_ = r.ForEach(func(name string, content []byte) error {
		fmt.Printf("%s: %s\n", name, content)
		return nil
	})
	// Output: log: api.domain-1 at ip-1 refuses password-1
}
