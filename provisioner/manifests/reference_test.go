package manifests_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"

	"exoshift/provisioner/manifests"
	"exoshift/state"
)

func TestCollect_ResolvesReferences(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	s.Syn.CatalogDir = folder(t, map[string]string{
		"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": parseVaultSecret,
		"manifests/exoscale-cloud-controller-manager/manager/20_a.yaml": object("apps/v1", "Deployment", "exoscale-cloud-controller-manager") +
			"spec:\n  args: ['--password=?{vaultkv:t-1/c-1/registry/httpSecret:01ab}', 'a ?{vaultkv:t-1/c-1/a/b/c/d}, ?{vaultkv:t-1/c-1/a/e:02cd}.', plain]\n",
	})
	var asked []string
	collected, err := manifests.Collect(s, credentials(), func(secret state.VaultSecret) (string, error) {
		asked = append(asked, secret.Path+" "+secret.Key)
		return "value-of-" + secret.Key, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, m := range collected {
		all += string(m.Content)
	}
	if strings.Contains(all, "vaultkv") || !strings.Contains(all, "--password=value-of-httpSecret") || !strings.Contains(all, "a value-of-d, value-of-e.") || len(asked) != 5 {
		t.Errorf("asked for %v:\n%s", asked, all)
	}
}

func TestCollect_LocatesBrokenReference(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	s.Syn.CatalogDir = folder(t, map[string]string{
		"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": parseVaultSecret,
		"manifests/exoscale-cloud-controller-manager/manager/20_a.yaml":      object("apps/v1", "Deployment", "exoscale-cloud-controller-manager"),
	})
	_, err := manifests.Collect(s, credentials(), func(state.VaultSecret) (string, error) { return "", errors.New("there is none") })
	if err == nil || !strings.Contains(err.Error(), "01_secret.yaml:1: Secret") || !strings.Contains(err.Error(), "there is none") {
		t.Error(err)
	}
}

func TestCollect_EncodesSecretForAnyReader(t *testing.T) {
	for _, secret := range []string{"1e3", "08", "012345", "true", "null", ".inf", "?", "- x", "\ta", "a\r\nb", "-----BEGIN X-----\nab+/=\n-----END X-----\n", "it's \"q\" \\ #1: x", "\x7f", "ü"} {
		s := spec()
		s.OpenShift.CloudControllerManager = "External"
		s.Syn.CatalogDir = folder(t, map[string]string{
			"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": parseVaultSecret + "  version: '1.50'\n",
			"manifests/exoscale-cloud-controller-manager/manager/20_a.yaml":      object("apps/v1", "Deployment", "exoscale-cloud-controller-manager"),
		})
		collected, err := manifests.Collect(s, credentials(), func(state.VaultSecret) (string, error) { return secret, nil })
		if err != nil {
			t.Fatal(err)
		}
		var read corev1.Secret
		if err := k8syaml.Unmarshal(collected[0].Content, &read); err != nil || read.StringData["api-secret"] != secret || read.StringData["version"] != "1.50" {
			t.Errorf("%q is %q of %v, %v", secret, read.StringData["api-secret"], read.StringData, err)
		}
	}
}
