package manifests_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

func TestCollect_LocatesDirectoryErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string // of the error, after the directory
	}{
		"broken YAML":          {map[string]string{"a.yaml": configMap("a"), "b.yaml": "kind: ConfigMap\napiVersion: [v1\n"}, "/b.yaml:2:13: "},
		"broken behind others": {map[string]string{"a.yaml": configMap("a") + "---\n" + configMap("b") + "---\nx: @y\n"}, "/a.yaml:9:4: "},
		"broken JSON":          {map[string]string{"a.json": "{\n  \"kind\": \"x\"\n"}, "/a.json:1:1: "},
		"a list of objects":    {map[string]string{"a.yaml": "- a\n"}, "/a.yaml:1:1: "},
		"no kind":              {map[string]string{"a.yaml": configMap("a") + "---\napiVersion: v1\nmetadata: {name: b}\n"}, "/a.yaml:4: the document has no kind"},
		"no apiVersion":        {map[string]string{"a.yaml": "kind: ConfigMap\nmetadata: {name: b}\n"}, "/a.yaml:1: the document has no apiVersion"},
		"no name":              {map[string]string{"a.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {namespace: b}\n"}, "/a.yaml:1: the document has no metadata.name"},
		"only comments":        {map[string]string{"a.yaml": "# nothing\n"}, "/a.yaml contains no object"},
		"nothing at all":       {map[string]string{".gitkeep": ""}, " contains no manifests"},
		"another file":         {map[string]string{"a.yaml": configMap("a"), "README.md": "x"}, "/README.md has neither a YAML nor a JSON extension"},
		"a folder":             {map[string]string{"sub/a.yaml": configMap("a")}, "/sub is a directory"},
		"too large":            {map[string]string{"a.yaml": configMap("a") + strings.Repeat("#", 1<<20)}, "/a.yaml is larger than 1 MiB"},
		"one name twice":       {map[string]string{"a-01.yaml": configMap("x"), "a.yaml": configMap("y") + "---\n" + configMap("z")}, "/a.yaml:1 would both become manifests/a-01.yaml"},
		"one object twice":     {map[string]string{"a.yaml": configMap("x"), "b.yaml": configMap("x")}, "/b.yaml:1 both describe ConfigMap x"},
		"an open reference":    {map[string]string{"a.yaml": configMap("x") + "data:\n  list:\n  - a: 'is ?{vaultkv:t/c/key:0a}'\n"}, "/a.yaml:1: data.list[0].a of ConfigMap x is an unresolved reference"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.OpenShift.ManifestsDir = folder(t, c.files)
			refused(t, s, s.OpenShift.ManifestsDir+c.want)
		})
	}
}

// refused checks the error of Collect; the preview must have the same.
func refused(t *testing.T, s state.Spec, want string) {
	t.Helper()
	for name, err := range map[string]error{"collect": second(manifests.Collect(s, credentials(), nil)), "check": second(manifests.Collect(s, manifests.NewPlaceholders(), nil))} {
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%s: got %v, %q; want %q", name, err, fault.HintOf(err), want)
		}
	}
}

func second(_ []state.Manifest, err error) error { return err }

func TestCollect_NamesUnreadableFile(t *testing.T) {
	s := spec()
	s.OpenShift.ManifestsDir = t.TempDir()
	if err := os.Symlink("/nowhere", filepath.Join(s.OpenShift.ManifestsDir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	refused(t, s, s.OpenShift.ManifestsDir+"/a.yaml")
	s.OpenShift.ManifestsDir = "/nowhere/at/all"
	refused(t, s, "/nowhere/at/all")
}

func TestCollect_RefusesUnfitCatalog(t *testing.T) {
	const manager = "manifests/exoscale-cloud-controller-manager/manager/"
	const terraform = "manifests/openshift4-terraform/main.tf.json"
	controller := object("apps/v1", "Deployment", "exoscale-cloud-controller-manager")
	for name, c := range map[string]struct {
		files map[string]string
		set   func(*state.Spec)
		want  string
	}{
		"none at all":              {map[string]string{"a.yaml": ""}, func(*state.Spec) {}, " is not a compiled catalog"},
		"an unexpected controller": {map[string]string{manager + "20_a.yaml": controller}, func(*state.Spec) {}, "20_a.yaml:1 contains a cloud controller"},
		"a CNI of another cluster": {map[string]string{"manifests/cilium/olm/c.yaml": strings.Replace(ciliumConfig, "{cilium:", "{k8sServiceHost: api-int.c-2.example.net, cilium:", 1)},
			func(s *state.Spec) { s.Network.CNI = "Cilium" }, "c.yaml:1 configures Cilium with the API api-int.c-2.example.net"},
		"a CNI of another cluster, enterprise edition": {map[string]string{"manifests/cilium/olm/c.yaml": strings.Replace(ciliumConfig, "{cilium: {", "{cilium: {k8sServiceHost: api-int.c-2.example.net, ", 1)},
			func(s *state.Spec) { s.Network.CNI = "Cilium" }, "c.yaml:1 configures Cilium with the API api-int.c-2.example.net"},
		"an unexpected CNI":        {map[string]string{"manifests/cilium/olm/c.yaml": ciliumConfig}, func(*state.Spec) {}, "c.yaml:1 contains Cilium"},
		"no Cilium":                {map[string]string{"manifests/a": ""}, func(s *state.Spec) { s.Network.CNI = "Cilium" }, "but its manifests"},
		"Cilium for later only":    {map[string]string{"manifests/cilium/olm/99_c.yaml": ciliumConfig}, func(s *state.Spec) { s.Network.CNI = "Cilium" }, "but its manifests"},
		"something else in a file": {map[string]string{"manifests/openshift4-nodes/10_machineconfigs.yaml": configMap("x")}, func(*state.Spec) {}, "10_machineconfigs.yaml:1: ConfigMap x is not a MachineConfig"},
		"a name that climbs":       {map[string]string{"manifests/openshift4-nodes/10_machineconfigs.yaml": machineConfig("../x")}, func(*state.Spec) {}, "10_machineconfigs.yaml:1: MachineConfig ../x is not a MachineConfig"},
		"a controller of another zone": {map[string]string{manager + "20_a.yaml": controller, manager + "01_secret.yaml": strings.Replace(parseVaultSecret, "ch-gva-2", "ch-dk-2", 1)},
			func(s *state.Spec) { s.OpenShift.CloudControllerManager = "External" }, "01_secret.yaml:1 is for the zone ch-dk-2, but this cluster's is ch-gva-2"},
		"another cluster's machines":    {map[string]string{terraform: `{"module": {"cluster": {"cluster_id": "c-2"}}}`}, func(*state.Spec) {}, "main.tf.json is for the cluster c-2"},
		"another domain's machines":     {map[string]string{terraform: `{"module": {"cluster": {"base_domain": "example.org"}}}`}, func(*state.Spec) {}, "main.tf.json is for the base domain example.org"},
		"another zone's machines":       {map[string]string{terraform: `{"module": {"cluster": {"region": "de-fra-1"}}}`}, func(*state.Spec) {}, "main.tf.json is for the zone de-fra-1"},
		"machines that nobody can read": {map[string]string{terraform: `{`}, func(*state.Spec) {}, "main.tf.json: unexpected end"},
		"the machines of this cluster": {map[string]string{terraform: `{"module": {"cluster": {"cluster_id": "c-1", "region": "ch-gva-2"}}}`}, func(*state.Spec) {},
			"openshift4-terraform contains this cluster's machines for Terraform, which has no state of them"},
		"the pipeline alone": {map[string]string{"manifests/openshift4-terraform/gitlab-ci.yml": ""}, func(*state.Spec) {}, "would create a second cluster"},
		"another secret referred to": {map[string]string{manager + "20_a.yaml": controller, manager + "01_secret.yaml": parseVaultSecret + "  token: ?{vaultkv:a/b:0}\n"},
			func(s *state.Spec) { s.OpenShift.CloudControllerManager = "External" }, "01_secret.yaml:1: stringData.token of Secret"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec()
			s.Syn.CatalogDir = folder(t, c.files)
			c.set(&s)
			refused(t, s, c.want)
		})
	}
}

func TestCollect_InstalledCatalogStartsNone(t *testing.T) {
	s := spec()
	s.Network.CNI = "Cilium"
	for name, c := range map[string]struct{ more, want string }{
		"without its operator": {configMap("x"), "c.yaml:1 requires Cilium, but nothing starts its operator"},
		"with it":              {object("apps/v1", "Deployment", "cilium-olm"), ""},
	} {
		s.Syn.CatalogDir = folder(t, map[string]string{"manifests/cilium/olm/c.yaml": ciliumConfig, "manifests/cilium/olm/d.yaml": c.more})
		collected, err := manifests.Collect(s, credentials(), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = manifests.CheckStart(s, collected)
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) || fault.FieldOf(err) != "syn.catalogDir") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCollect_ErrorsHaveNoSecret(t *testing.T) {
	s := spec()
	s.OpenShift.ManifestsDir = folder(t, map[string]string{
		"a.yaml": object("v1", "Secret", "x") + "stringData:\n  password: hunter2\n  password: hunter3\n",
	})
	if _, err := manifests.Collect(s, credentials(), nil); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("got %v", err)
	}
}

// Each line expands to ten times as much as the one above it.
func TestCollect_RefusesNestedAliases(t *testing.T) {
	content := configMap("x") + "data:\n  a: &a [x]\n"
	for name := 'b'; name < 'n'; name++ {
		content += fmt.Sprintf("  %c: &%[1]c [%s]\n", name, strings.Repeat(fmt.Sprintf("*%c, ", name-1), 10))
	}
	s := spec()
	s.OpenShift.ManifestsDir = folder(t, map[string]string{"a.yaml": content})
	if err := second(manifests.Collect(s, credentials(), nil)); err != nil {
		t.Error(err)
	}
}

func TestCheckACME_RefusesCatalogWithoutAnswer(t *testing.T) {
	dir := folder(t, map[string]string{"manifests/cert-manager/30_register.yaml": "kind: Job\nmetadata:\n  name: acme-dns-register\n"})
	for name, c := range map[string]struct {
		change func(*state.Spec)
		dir    string
		wrong  bool
	}{
		"not asked for":        {func(*state.Spec) {}, dir, true},
		"asked for":            {func(s *state.Spec) { s.DNS.ACME = true }, dir, false},
		"not connected":        {func(s *state.Spec) { s.Syn.LieutenantURL = "" }, dir, false},
		"no catalog yet":       {func(*state.Spec) {}, "", true},
		"without certificates": {func(*state.Spec) {}, t.TempDir(), false},
	} {
		s := spec()
		s.Syn.LieutenantURL = "https://lieutenant.example.net"
		c.change(&s)
		err := manifests.CheckACME(s, c.dir)
		if (err != nil) != c.wrong || c.wrong && (!fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "dns.acme") {
			t.Errorf("%s: %v, field %q", name, err, fault.FieldOf(err))
		}
	}
}
