package kubeapi_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
)

func TestParseAuthorities_RequiresCertificate(t *testing.T) {
	const config = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: a}}]\nusers: [{name: a, user: {}}]\n" +
		"clusters: [{name: c, cluster: {server: \"https://api.example.net:6443\"}}]\n"
	for _, content := range []string{"", "{", config} {
		if trusted, err := kubeapi.ParseAuthorities([]byte(content)); !fault.Is(err, fault.Invalid) || trusted != nil {
			t.Errorf("%q trusts %q, %v", content, trusted, err)
		}
	}
}

// A kubeconfig may come from others, and what its paths lead to is not theirs.
func TestParseKubeconfig_RefusesFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for field, config := range map[string]string{
		"tokenFile":             `cluster: {server: "https://a"}}], users: [{name: a, user: {tokenFile: %s}}]`,
		"certificate-authority": `cluster: {server: "https://a", certificate-authority: %s}}], users: [{name: a, user: {token: b}}]`,
		"client-certificate":    `cluster: {server: "https://a"}}], users: [{name: a, user: {client-certificate: %s, client-key-data: YQ==}}]`,
		"client-key":            `cluster: {server: "https://a"}}], users: [{name: a, user: {client-certificate-data: YQ==, client-key: %s}}]`,
	} {
		content := "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, " + strings.Replace(config, "%s", pipe, 1) + "}"
		if _, err := kubeapi.ParseKubeconfig([]byte(content)); err == nil || err.Error() != "it refers to a file by "+field+", and does not embed it" {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestParseKubeconfig_RefusesDepthInMilliseconds(t *testing.T) {
	began := time.Now()
	if _, err := kubeapi.ParseKubeconfig([]byte(strings.Repeat("[", 40<<10))); err == nil || time.Since(began) > time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

func TestCheckKubeconfig_RefusesDamage(t *testing.T) {
	for name, content := range map[string]string{
		"empty":    "",
		"cut":      "apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    certif",
		"no keys":  `{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: "https://a", certificate-authority-data: YQ==}}], users: [{name: a, user: {token: b}}]}`,
		"bad keys": `{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: "https://a", certificate-authority-data: YQ==}}], users: [{name: a, user: {client-certificate-data: YQ==, client-key-data: YQ==}}]}`,
	} {
		if err := kubeapi.CheckKubeconfig([]byte(content)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
