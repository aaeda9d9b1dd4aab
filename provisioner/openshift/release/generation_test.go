package release_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/installer"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/installdir"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
	"github.com/vincent-petithory/dataurl"
)

// posing is the variable that makes the test binary run as the simulated openshift-install.
const posing = "EXOSHIFT_TEST_POSES_AS_INSTALLER"

// prompt makes a program with a race detector exit at once, not a second after its work is done.
const prompt = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv(posing) != "" {
		os.Exit(installer.Main(os.Args[1:], time.Time{}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const installConfig = `apiVersion: v1
baseDomain: example.net
metadata: {name: c1}
platform: {external: {platformName: exoscale, cloudControllerManager: ""}}
controlPlane: {name: master, replicas: 3}
compute: [{name: worker, replicas: 3}]
networking:
  networkType: OVNKubernetes
  clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]
  serviceNetwork: [172.30.0.0/16]
  machineNetwork: [{cidr: 10.0.0.0/16}]
pullSecret: '{"auths":{"quay.io":{"auth":"c2VjcmV0OnNlY3JldA=="}}}'
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8yYRqv0u0bBqvJpT1MnH0fZkzQGGq4lUuE7nYBq0aK operator
`

func simulated(t *testing.T) (*release.Installer, *mirror) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := newMirror(t)
	m.publish(t, "#!/bin/sh\nexec env "+prompt+" "+posing+"=1 '"+binary+"' --release 4.20.5 \"$@\"\n")
	i := m.installer()
	if err := fetch(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	return i, m
}

func generate(ctx context.Context, i *release.Installer, dir, config string) (state.Ignition, error) {
	return i.Generate(ctx, dir, state.Generation{InstallConfig: []byte(config), Domain: "c1.example.net", AppsDomain: "apps.c1.example.net"}, func(string) {})
}

func TestGenerate_KeepsOneGeneration(t *testing.T) {
	i, m := simulated(t)
	dir := filepath.Join(t.TempDir(), "c1", "install")
	stale := filepath.Join(filepath.Dir(dir), ".install-1.unfinished")
	if err := os.MkdirAll(filepath.Join(stale, "auth"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	started := time.Now().Truncate(time.Second) // certificates have a resolution of seconds
	made, err := generate(t.Context(), i, dir, installConfig)
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(m.logged, "\n"))
	}
	if !strings.HasPrefix(made.InfraID, "c1-") || made.ClusterID == "" || made.Created.Before(started) || made.Created.After(time.Now()) {
		t.Errorf("made %s, %s at %s", made.InfraID, made.ClusterID, made.Created)
	}
	if made.RootCAHash != sum(made.RootCA) || !bytes.Contains(made.RootCA, []byte("BEGIN CERTIFICATE")) || !json.Valid(made.Bootstrap) {
		t.Error("the authority or the bootstrap document is wrong")
	}
	for _, role := range []string{"master", "worker"} {
		if !bytes.Contains(made.Pointers[role], []byte("/config/"+role)) {
			t.Errorf("the pointer of %s: %s", role, made.Pointers[role])
		}
	}
	again, err := generate(t.Context(), i, dir, "something else")
	if diff := cmp.Diff(made, again); err != nil || diff != "" {
		t.Errorf("a second run generated anew: %v\n%s", err, diff)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) != 0 {
		t.Errorf("left beside it: %v", left)
	}
}

// A run that continues after the bootstrap finds all that it needs, and none of the cluster's keys.
func TestStrip_KeepsFilesOfLaterRuns(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	if err := i.Strip(dir); err != nil {
		t.Errorf("nothing to strip: %v", err)
	}
	made, err := generate(t.Context(), i, dir, installConfig)
	if err != nil {
		t.Fatal(err)
	}
	for run := range 2 {
		if err := i.Strip(dir); err != nil {
			t.Fatalf("run %d: %v", run, err)
		}
		made.Bootstrap = nil
		again, err := generate(t.Context(), i, dir, installConfig)
		if diff := cmp.Diff(made, again); err != nil || diff != "" {
			t.Errorf("run %d: %v\n%s", run, err, diff)
		}
	}
	read, version, err := installdir.Read(dir)
	if diff := cmp.Diff(made, read); err != nil || diff != "" || version != "4.20.5" {
		t.Errorf("version %q, %v\n%s", version, err, diff)
	}
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string{".openshift_install.log", "auth", "generation.json", "master.ign", "metadata.json", "worker.ign"}, names); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// If Strip was killed between recording and deleting, the generation is complete, and the next run deletes the rest.
func TestStrip_MayBeInterrupted(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	made, err := generate(t.Context(), i, dir, installConfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Strip(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bootstrap.ign"), made.Bootstrap, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := generate(t.Context(), i, dir, installConfig); err != nil || !bytes.Equal(again.Bootstrap, made.Bootstrap) {
		t.Errorf("an interrupted removal: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "worker.ign")); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t.Context(), i, dir, installConfig); err == nil {
		t.Error("a stripped generation without a pointer counts as finished")
	}
}

func TestGenerate_IgnoresLaterChange(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	wanted := state.Generation{InstallConfig: []byte(installConfig), Domain: "c1.example.net", AppsDomain: "apps.c1.example.net"}
	var lines []string
	again := func() state.Ignition {
		lines = nil
		made, err := i.Generate(t.Context(), dir, wanted, func(line string) { lines = append(lines, line) })
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	first := again()
	if again(); len(lines) != 0 {
		t.Errorf("the same again: %q", lines)
	}
	wanted.Manifests = []state.Manifest{{Name: "manifests/a.yaml", Source: "a", Content: []byte("kind: X\n")}}
	if diff := cmp.Diff(first, again()); diff != "" || len(lines) != 1 || !strings.Contains(lines[0], "have changed") {
		t.Errorf("said %q\n%s", lines, diff)
	}
}

func TestGenerate_CertificatesExpireAfterDay(t *testing.T) {
	i, _ := simulated(t)
	made, err := generate(t.Context(), i, filepath.Join(t.TempDir(), "install"), installConfig)
	if err != nil {
		t.Fatal(err)
	}
	if running := made.Expires.Sub(made.Created); running != 24*time.Hour {
		t.Errorf("from %s until %s", made.Created, made.Expires)
	}
}

func TestGenerate_ManifestsInBootstrapConfig(t *testing.T) {
	i, m := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	wanted := state.Generation{
		InstallConfig: []byte(installConfig), Domain: "c1.example.net", AppsDomain: "apps.example.com", MastersSchedulable: true,
		Manifests: []state.Manifest{{Name: "manifests/mine.yaml", Source: "mine", Content: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: mine}\nstringData: {key: hunter2}\n")}},
	}
	var lines []string
	made, err := i.Generate(t.Context(), dir, wanted, func(line string) { lines = append(lines, line) })
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"mine.yaml": "hunter2", "cluster-ingress-02-config.yml": "domain: apps.example.com", "cluster-scheduler-02-config.yml": "mastersSchedulable: true",
		"cluster-dns-02-config.yml": "baseDomain: c1.example.net",
	} {
		if got := onBootstrap(t, made.Bootstrap, "/opt/openshift/manifests/"+name); !strings.Contains(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"Consuming Install Config", "Manifests added: 1 (1 Secret)", "Routes are below apps.example.com", "Ignition-Configs created in: " + dir} {
		if !strings.Contains(text, want) {
			t.Errorf("%q was not said in\n%s", want, text)
		}
	}
	if strings.Contains(text+strings.Join(m.logged, "\n"), "hunter2") {
		t.Error("a secret was told")
	}
}

func onBootstrap(t *testing.T, document []byte, path string) string {
	t.Helper()
	var bootstrap struct {
		Storage struct {
			Files []struct {
				Path     string
				Contents struct{ Source string }
			}
		}
	}
	if err := json.Unmarshal(document, &bootstrap); err != nil {
		t.Fatal(err)
	}
	for _, file := range bootstrap.Storage.Files {
		if file.Path == path {
			source, err := dataurl.DecodeString(file.Contents.Source)
			if err != nil {
				t.Fatal(err)
			}
			return string(source.Data)
		}
	}
	return ""
}

func TestGenerate_PrivateLogWithoutSecrets(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	if _, err := generate(t.Context(), i, dir, installConfig); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".openshift_install.log")
	noted, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(noted, []byte("Consuming Install Config")) {
		t.Fatalf("%s, %v", noted, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	password, err := os.ReadFile(filepath.Join(dir, "auth", "kubeadmin-password"))
	if err != nil || bytes.Contains(noted, password) || bytes.Contains(noted, []byte("c2VjcmV0")) {
		t.Errorf("it tells a secret, or there is none: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "install-config.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a copy with the pull secret is left: %v", err)
	}
}

func TestGenerate_FailureLeavesNothing(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	wanted := state.Generation{InstallConfig: []byte(installConfig), Domain: "c2.example.net"}
	if _, err := i.Generate(t.Context(), dir, wanted, func(string) {}); !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "" {
		t.Errorf("another domain: %v", err)
	}
	wanted.Domain = "c1.example.net"
	wanted.Manifests = []state.Manifest{{Name: "manifests/cvo-overrides.yaml", Source: "/srv/cvo-overrides.yaml", Content: []byte("kind: X\n")}}
	if _, err := i.Generate(t.Context(), dir, wanted, func(string) {}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "/srv/cvo-overrides.yaml") {
		t.Errorf("a name of the program's own: %v", err)
	}
	for _, pattern := range []string{"*", ".*"} {
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), pattern)); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestGenerate_BadInstallConfigHint(t *testing.T) {
	i, _ := simulated(t)
	_, err := i.Generate(t.Context(), filepath.Join(t.TempDir(), "install"), state.Generation{InstallConfig: []byte("apiVersion: v1\n")}, func(string) {})
	if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestFindBootImage_SimulatedRelease(t *testing.T) {
	i, _ := simulated(t)
	if image, err := i.FindBootImage(t.Context()); err != nil || image.Build == "" || len(image.SHA256) != 64 {
		t.Errorf("%+v, %v", image, err)
	}
}

func TestGenerate_KeepsForeignFiles(t *testing.T) {
	i, _ := simulated(t)
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t.Context(), i, dir, installConfig); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestGenerate_RefusesDamagedGeneration(t *testing.T) {
	i, _ := simulated(t)
	dir := filepath.Join(t.TempDir(), "install")
	other := filepath.Join(t.TempDir(), "install")
	for _, dir := range []string{dir, other} {
		if _, err := generate(t.Context(), i, dir, installConfig); err != nil {
			t.Fatal(err)
		}
	}
	foreign, err := os.ReadFile(filepath.Join(other, "worker.ign"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"metadata.json": []byte(`{}`), "bootstrap.ign": []byte(`{"storage":{}}`), "master.ign": []byte(`{"ignition":{}}`),
		"worker.ign": foreign, "generation.json": []byte(`{"version":"4.19.1"}`), "auth/kubeconfig": []byte("apiVersion: v1\nkind: Con"),
	} {
		path := filepath.Join(dir, name)
		intact, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := generate(t.Context(), i, dir, installConfig); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s damaged: %v", name, err)
		}
		if err := os.WriteFile(path, intact, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := i.Generate(t.Context(), dir, state.Generation{}, func(string) {}); err != nil {
		t.Errorf("intact again: %v", err)
	}
}

func TestTry_ReportsRefusalLeavesNothing(t *testing.T) {
	i, m := simulated(t)
	parent := t.TempDir()
	for name, c := range map[string]struct {
		wanted state.Generation
		kind   fault.Kind
		says   string
	}{
		"a good one":                 {state.Generation{InstallConfig: []byte(installConfig), Domain: "c1.example.net", AppsDomain: "apps.c1.example.net"}, 0, ""},
		"no install-config":          {state.Generation{InstallConfig: []byte("apiVersion: v1\n")}, fault.Invalid, "install-config.yaml"},
		"another domain than wanted": {state.Generation{InstallConfig: []byte(installConfig), Domain: "c2.example.net"}, fault.Conflict, "c2.example.net"},
		"a manifest of its own": {state.Generation{
			InstallConfig: []byte(installConfig), Domain: "c1.example.net", AppsDomain: "apps.c1.example.net",
			Manifests: []state.Manifest{{Name: "manifests/cluster-dns-02-config.yml", Source: "mine.yml", Content: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")}},
		}, fault.Invalid, "mine.yml"},
	} {
		err := i.Try(t.Context(), filepath.Join(parent, "install"), c.wanted)
		if c.says == "" && err != nil || c.says != "" && (!fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v\n%s", name, err, strings.Join(m.logged, "\n"))
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}
