package connectivity

import (
	"crypto/x509/pkix"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/state"
	"exoshift/wizard/reach"
)

func TestClusterAuthorities_AreNoInterception(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	authority, err := fabric.NewAuthority(pkix.Name{CommonName: "kube-apiserver-lb-signer"})
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := loadExample(t)
	trusts := func(asked Subject, vantage string) string {
		t.Helper()
		survey, err := NewChecker(t.Context(), network.Network{}, asked, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		task, err := survey.newTask(vantage, nil)
		if err != nil {
			t.Fatal(err)
		}
		return task.Authorities
	}
	if trusted := trusts(Subject{Spec: spec}, reach.Workstation); trusted != "" {
		t.Errorf("before there is a cluster, %q is trusted", trusted)
	}
	path, err := state.DefaultPath(spec.Cluster.ID)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := "apiVersion: v1\nkind: Config\ncurrent-context: admin\ncontexts: [{name: admin, context: {cluster: c, user: admin}}]\n" +
		"users: [{name: admin, user: {}}]\nclusters: [{name: c, cluster: {server: \"https://api.example.net:6443\", certificate-authority-data: " +
		base64.StdEncoding.EncodeToString(authority.PEM()) + "}}]\n"
	for _, err := range []error{folder.SaveFacts(state.Facts{Installed: time.Now()}), folder.Write(state.InstallDir+"/auth/kubeconfig", []byte(kubeconfig))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, vantage := range []string{reach.Workstation, reach.Zone} {
		if trusted := trusts(Subject{Spec: spec}, vantage); !strings.Contains(trusted, string(authority.PEM())) {
			t.Errorf("%s trusts %q", vantage, trusted)
		}
		if trusted := trusts(Subject{Spec: spec, Rehearsed: true}, vantage); trusted != "" {
			t.Errorf("%s of a rehearsal trusts the real cluster: %q", vantage, trusted)
		}
	}
}
