package installdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const (
	dnsManifest       = "apiVersion: config.openshift.io/v1\nkind: DNS\nmetadata: {name: cluster}\nspec: {baseDomain: c1.example.net}\n"
	ingressManifest   = "apiVersion: config.openshift.io/v1\nkind: Ingress\nmetadata:\n  creationTimestamp: null\n  name: cluster\nspec:\n  domain: apps.c1.example.net\n  other: \"yes\"\nstatus: {}\n"
	schedulerManifest = "apiVersion: config.openshift.io/v1\nkind: Scheduler\nmetadata:\n  name: cluster\nspec:\n  mastersSchedulable: false\n  policy:\n    name: \"\"\nstatus: {}\n"
	networkManifest   = "apiVersion: operator.openshift.io/v1\nkind: Network\nmetadata: {name: cluster}\n"
)

func generated(t *testing.T) string {
	t.Helper()
	work := t.TempDir()
	for name, content := range map[string]string{
		dnsConfig: dnsManifest, ingressConfig: ingressManifest, schedulerConfig: schedulerManifest,
		"openshift/99_user-data.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: user-data, namespace: openshift-machine-api}\n",
	} {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return work
}

func wantedGeneration(manifests ...state.Manifest) state.Generation {
	return state.Generation{Domain: "c1.example.net", AppsDomain: "apps.c1.example.net", Manifests: manifests}
}

func configMap(name, object string) state.Manifest {
	return state.Manifest{Name: name, Source: "/srv/" + filepath.Base(name), Content: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + object + "}\ndata: {a: hunter2}\n")}
}

func fileIn(t *testing.T, work, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(work, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestPrepare_AddsManifestsByKind(t *testing.T) {
	work, lines := generated(t), []string{}
	machines := state.Manifest{Name: "openshift/99x_a.yml", Source: "b", Content: []byte("kind: MachineConfig\n")}
	first, second := configMap("manifests/a.yaml", "a"), configMap("manifests/b.yaml", "b")
	if err := Prepare(work, wantedGeneration(first, second, machines), func(line string) { lines = append(lines, line) }); err != nil {
		t.Fatal(err)
	}
	for _, m := range []state.Manifest{first, second, machines} {
		if got := fileIn(t, work, m.Name); got != string(m.Content) {
			t.Errorf("%s is %q", m.Name, got)
		}
	}
	if diff := cmp.Diff([]string{"Manifests added: 3 (2 ConfigMap, 1 MachineConfig)"}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestPrepare_ChangesDifferingSettings(t *testing.T) {
	work := generated(t)
	if err := Prepare(work, wantedGeneration(), func(line string) { t.Errorf("told %q", line) }); err != nil {
		t.Fatal(err)
	}
	if fileIn(t, work, ingressConfig) != ingressManifest || fileIn(t, work, schedulerConfig) != schedulerManifest {
		t.Error("changed without need")
	}
	lines := []string{}
	wanted := wantedGeneration()
	wanted.AppsDomain, wanted.MastersSchedulable = "apps.example.com", true
	if err := Prepare(work, wanted, func(line string) { lines = append(lines, line) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(ingressManifest, "apps.c1.example.net", "apps.example.com", 1), fileIn(t, work, ingressConfig)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(strings.Replace(schedulerManifest, "false", "true", 1), fileIn(t, work, schedulerConfig)); diff != "" {
		t.Error(diff)
	}
	if len(lines) != 2 {
		t.Errorf("told %q", lines)
	}
}

func TestPrepare_AddsMissingSetting(t *testing.T) {
	work := generated(t)
	if err := os.WriteFile(filepath.Join(work, schedulerConfig), []byte("kind: Scheduler\nspec: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wanted := wantedGeneration()
	wanted.MastersSchedulable = true
	if err := Prepare(work, wanted, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if got := fileIn(t, work, schedulerConfig); got != "kind: Scheduler\nspec:\n  mastersSchedulable: true\n" {
		t.Errorf("%q", got)
	}
}

func TestPrepare_ReplacesNetworkOperator(t *testing.T) {
	work := generated(t)
	if err := os.WriteFile(filepath.Join(work, networkOperator), []byte(networkManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	ours := state.Manifest{Name: networkOperator, Source: "exoshift", Content: []byte(networkManifest + "spec: {}\n")}
	if err := Prepare(work, wantedGeneration(ours), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if got := fileIn(t, work, networkOperator); got != string(ours.Content) {
		t.Errorf("%q", got)
	}
}

func TestPrepare_RefusesUnfitManifests(t *testing.T) {
	other := wantedGeneration()
	other.Domain = "c2.example.net"
	secret := state.Manifest{Name: "manifests/mine.yaml", Source: "/srv/mine.yaml", Content: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: user-data, namespace: openshift-machine-api}\n")}
	twisted := state.Manifest{Name: "manifests/b.yaml", Source: "/srv/b.yaml", Content: []byte("apiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n  namespace: [b]\nstringData:\n  b: hunter2\n")}
	for name, c := range map[string]struct {
		wanted state.Generation
		kind   fault.Kind
		want   []string
	}{
		"a secret that is none": {wantedGeneration(twisted), fault.Invalid, []string{"/srv/b.yaml", "not a Kubernetes object:"}},
		"another domain":        {other, fault.Conflict, []string{"c1.example.net", "c2.example.net"}},
		"a name of theirs":      {wantedGeneration(configMap(dnsConfig, "a")), fault.Invalid, []string{"/srv/cluster-dns-02-config.yml", dnsConfig}},
		"an object of theirs":   {wantedGeneration(secret), fault.Invalid, []string{"/srv/mine.yaml", "openshift/99_user-data.yaml", "Secret openshift-machine-api/user-data"}},
		"a name that climbs":    {wantedGeneration(configMap("manifests/../../a.yaml", "a")), fault.Internal, []string{"is not allowed there"}},
		"a name further below":  {wantedGeneration(configMap("manifests/x/a.yaml", "a")), fault.Internal, []string{"is not allowed there"}},
		"no object at all":      {wantedGeneration(state.Manifest{Name: "manifests/a.yaml", Source: "/srv/a.yaml", Content: []byte("- x")}), fault.Invalid, []string{"/srv/a.yaml"}},
	} {
		err := Prepare(generated(t), c.wanted, func(string) {})
		if !fault.Is(err, c.kind) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %q does not say %s, or too much", name, err, want)
			}
		}
	}
}

func TestPrepare_RefusesUnexpectedDirectory(t *testing.T) {
	for _, name := range []string{dnsConfig, ingressConfig, schedulerConfig} {
		work := generated(t)
		if err := os.Remove(filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
		wanted := wantedGeneration()
		wanted.MastersSchedulable = true
		if err := Prepare(work, wanted, func(string) {}); !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestPublish_RedactsProgramLog(t *testing.T) {
	work, dir := t.TempDir(), filepath.Join(t.TempDir(), "install")
	const harmless, password = "level=info msg=Consuming\n", "level=info msg=qwert-asdfg-YXCVB-12345\n"
	hide := strings.NewReplacer("hunter2", "***", "qwert-asdfg-YXCVB-12345", "***").Replace
	if err := os.WriteFile(filepath.Join(work, logFile), []byte(harmless+password+"level=info msg=hunter2\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Publish(work, dir, "", state.Generation{}, hide); err != nil {
		t.Fatal(err)
	}
	if got := fileIn(t, dir, logFile); got != harmless+"level=info msg=***\nlevel=info msg=***\n" {
		t.Errorf("%q", got)
	}
}

func TestHashInputs_IgnoresManifestSource(t *testing.T) {
	here, there := configMap("manifests/a.yaml", "a"), configMap("manifests/a.yaml", "a")
	there.Source = "/mnt/a.yaml"
	if hashInputs(wantedGeneration(here)) != hashInputs(wantedGeneration(there)) || there.Source != "/mnt/a.yaml" {
		t.Error("it does")
	}
	if hashInputs(wantedGeneration(here)) == hashInputs(wantedGeneration(configMap("manifests/a.yaml", "b"))) {
		t.Error("nor does its content")
	}
}

func TestMakeWorkDir_RemovesKilledGeneration(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "[a]*[") // special characters of glob patterns
	left := filepath.Join(parent, ".install-1.unfinished")
	if err := os.MkdirAll(filepath.Join(left, "auth"), 0o700); err != nil {
		t.Fatal(err)
	}
	work, err := MakeWorkDir(filepath.Join(parent, "install"))
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(work) {
		t.Errorf("there are %v, %v", entries, err)
	}
}
