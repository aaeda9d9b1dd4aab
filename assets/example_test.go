package assets_test

import (
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"exoshift/assets"
	"exoshift/state"
)

func TestExample_MatchesDefaultCluster(t *testing.T) {
	example, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	got := state.Default()
	if err := yaml.UnmarshalWithOptions(example, &got, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(got.OpenShift.SSHKey)); err != nil {
		t.Errorf("the SSH key does not parse: %v", err)
	}
	want := state.Default()
	want.Cluster.ID = "c-demo-1"
	want.Cluster.BaseDomain = "example.net"
	want.Exoscale.Zone = "ch-gva-2"
	want.OpenShift.Version = "4.20.5"
	want.OpenShift.PullSecret.Env = "EXOSHIFT_PULL_SECRET"
	want.OpenShift.SSHKey = got.OpenShift.SSHKey
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
