package kubeapi_test

import (
	"testing"

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
