package openshift

import (
	"strings"
	"testing"
)

func TestSecretsOfTheInstallConfigAreHidden(t *testing.T) {
	const pull = `{"auths":{"quay.io":{"auth":"c2VjcmV0"},"registry.example.net":{"password":"hunter2!"}}}`
	m := newMasker([]byte("pullSecret: '" + pull + "'\n"))
	quoted := strings.ReplaceAll(pull, `"`, `\"`)
	for _, text := range []string{
		"it is " + pull, "it is " + quoted, "auth c2VjcmV0 refused", "hunter2! is wrong",
		`{"auth": "YW5vdGhlcg=="`, `login with password qwert-asdfg-YXCVB-12345 as kubeadmin`,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "proxy http://user:hunter3@proxy.example.net",
	} {
		got := m.hide(text)
		if !strings.Contains(got, hidden) {
			t.Errorf("nothing hidden in %q", got)
		}
		for _, secret := range []string{"c2VjcmV0", "hunter", "YW5vdGhlcg", "qwert", "MIIE", "quay.io"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q still tells %s", got, secret)
			}
		}
	}
	const harmless = "Consuming Install Config from target directory"
	if got := m.hide(harmless); got != harmless {
		t.Errorf("became %q", got)
	}
}

func TestLinesOfTheProgramAreTakenApart(t *testing.T) {
	var heard []string
	said := &transcript{log: func(line string) { heard = append(heard, line) }}
	for _, portion := range []string{"level=info msg=Consu", "ming\nlevel=error msg=\"one\\ntwo\"\n\n", `time="2026-05-04T08:00:00Z" level=fatal msg=three`} {
		if _, err := said.Write([]byte(portion)); err != nil {
			t.Fatal(err)
		}
	}
	said.flush()
	if got := strings.Join(heard, "|"); got != "Consuming|one two|three" {
		t.Errorf("heard %q", got)
	}
	if got := said.errors("none"); got != "one two; three" {
		t.Errorf("the errors are %q", got)
	}
}
