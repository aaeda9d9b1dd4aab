package manifests_test

import (
	"errors"
	"strings"
	"testing"

	"exoshift/provisioner/manifests"
	"exoshift/state"
)

func TestReferencesAreResolvedWhereverTheyStand(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	s.Syn.CatalogDir = folder(t, map[string]string{
		"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": vaultSecret,
		"manifests/exoscale-cloud-controller-manager/manager/20_a.yaml": object("apps/v1", "Deployment", "exoscale-cloud-controller-manager") +
			"spec:\n  args: ['--password=?{vaultkv:t-1/c-1/registry/httpSecret:01ab}', plain]\n",
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
	if strings.Contains(all, "vaultkv") || !strings.Contains(all, "--password=value-of-httpSecret") || len(asked) != 3 {
		t.Errorf("asked for %v:\n%s", asked, all)
	}
}

func TestAReferenceThatLeadsNowhereNamesItsPlace(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	s.Syn.CatalogDir = folder(t, map[string]string{
		"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml": vaultSecret,
		"manifests/exoscale-cloud-controller-manager/manager/20_a.yaml":      object("apps/v1", "Deployment", "exoscale-cloud-controller-manager"),
	})
	_, err := manifests.Collect(s, credentials(), func(state.VaultSecret) (string, error) { return "", errors.New("there is none") })
	if err == nil || !strings.Contains(err.Error(), "01_secret.yaml:1: Secret") || !strings.Contains(err.Error(), "there is none") {
		t.Error(err)
	}
}
