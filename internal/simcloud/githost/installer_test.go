package githost_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/simcloud/scenario"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

func TestCatalog_HasInstallationManifests(t *testing.T) {
	compiles(t, scenario.Compilation{}, func(t *testing.T, c *compiler) {
		files, _, _ := c.compile(t, strings.Replace(configured, "cilium]", "cilium, ~openshift4-terraform]", 1))
		dir := t.TempDir()
		for name, content := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		spec := state.Default()
		spec.Cluster = state.ClusterSpec{ID: "c-demo-1", BaseDomain: "example.net"}
		spec.Exoscale.Zone, spec.OpenShift.CloudControllerManager, spec.Network.CNI = "ch-gva-2", "External", "Cilium"
		spec.Syn.CatalogDir = dir
		collected, err := manifests.Collect(spec, manifests.Credentials{}, func(secret state.VaultSecret) (string, error) { return "value-of-" + secret.Path, nil })
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, m := range collected {
			all.Write(m.Content)
		}
		for _, want := range []string{"value-of-t-quiet-harbour-4711/c-demo-1/exoscale/ccm", "kind: CiliumConfig", "name: cilium-olm", "99x-worker-inotify"} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%q is not installed: %s", want, all.String())
			}
		}
		if strings.Contains(all.String(), "cilium-olm-fixup") {
			t.Error("what is for later is installed, too")
		}
	})
}
