package program

import (
	"strings"
	"testing"

	"exoshift/state"
)

func TestMasker_InstallConfigSecrets(t *testing.T) {
	const pull = `{"auths":{"quay.io":{"auth":"c2VjcmV0"},"registry.example.net":{"password":"hunter2!"}}}`
	m := NewMasker(state.Generation{
		InstallConfig: []byte("pullSecret: '" + pull + "'\n"),
		Manifests: []state.Manifest{
			{Content: []byte("kind: ConfigMap\ndata: {a: Consuming}\n")},
			{Content: []byte("kind: Secret\ndata: {a: aHVudGVy}\nstringData: {b: 'letmein!'}\n")},
		},
	})
	quoted := strings.ReplaceAll(pull, `"`, `\"`)
	for _, text := range []string{
		"it is " + pull, "it is " + quoted, "auth c2VjcmV0 refused", "hunter2! is wrong",
		`{"auth": "YW5vdGhlcg=="`, `login with password qwert-asdfg-YXCVB-12345 as kubeadmin`,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "proxy http://user:hunter3@proxy.example.net",
		"secret aHVudGVy", "secret letmein!",
	} {
		got := m.Hide(text)
		if !strings.Contains(got, hidden) {
			t.Errorf("nothing hidden in %q", got)
		}
		for _, secret := range []string{"c2VjcmV0", "hunter", "YW5vdGhlcg", "qwert", "MIIE", "quay.io", "aHVu", "letme"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q still tells %s", got, secret)
			}
		}
	}
	const harmless = "Consuming Install Config from target directory"
	if got := m.Hide(harmless); got != harmless {
		t.Errorf("became %q", got)
	}
}

func TestMasker_AnySecretContent(t *testing.T) {
	var m Masker
	for _, secret := range []string{"tall", "taller still", `a "pass" & a <word>`, "two\n  lines"} {
		m.add(secret)
	}
	for line, want := range map[string]string{
		`level=info msg="taller still"`:                                         hidden,
		`level=info msg="two\n  lines"`:                                         hidden,
		`level=info msg="a \"pass\" & a <word>"`:                                hidden,
		`level=info msg="Invalid: \"a \\\"pass\\\" & a <word>\""`:               `Invalid: "` + hidden + `"`,
		`level=info msg="by http://me:some@thing@proxy.example.net, not alone"`: "by http" + hidden + "proxy.example.net, not alone",
	} {
		var received string
		output := &transcript{mask: m, log: func(line string) { received = line }}
		output.handleLine(line)
		if received != want {
			t.Errorf("%s became %q, want %q", line, received, want)
		}
	}
}

func TestOutput_SplitsLines(t *testing.T) {
	var received []string
	var reported []string
	output := &transcript{log: func(line string) { received = append(received, line) }, onMessage: func(line string) { reported = append(reported, line) }}
	for _, portion := range []string{"level=info msg=Consu", "ming\nlevel=debug msg=Reading\nlevel=error msg=\"one\\ntwo\"\n\n", `time="2026-05-04T08:00:00Z" level=fatal msg=three`} {
		if _, err := output.Write([]byte(portion)); err != nil {
			t.Fatal(err)
		}
	}
	output.flush()
	if got := strings.Join(received, "|"); got != "Consuming|Reading|one two|three" {
		t.Errorf("heard %q", got)
	}
	if got := strings.Join(reported, "|"); got != "Consuming|one two|three" {
		t.Errorf("told %q", got)
	}
	if got := output.formatErrors("none"); got != "one two; three" {
		t.Errorf("the errors are %q", got)
	}
}
