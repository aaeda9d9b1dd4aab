package catalog_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/scenario"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

const configuration = `classes:
  - .openshift4
applications: [exoscale-cloud-controller-manager, cilium]
parameters:
  openshift:
    baseDomain: c-demo-1.example.net
    infraID: TO_BE_DEFINED
    clusterID: TO_BE_DEFINED
  cilium:
    olm:
      generate_olm_deployment: true
`

func tenant() state.SynTenant { return state.SynTenant{ID: tenantID, Config: repo(tenantRepo)} }

func compilable(faults scenario.Compilation, missing bool) githost.Config {
	cluster := githost.Cluster{
		Tenant: tenantID, Catalog: catalogRepo, NoPipeline: missing,
		Facts: map[string]string{"distribution": "openshift4", "cloud": "exoscale", "region": "ch-gva-2", "maintenance_window": "tuesday-1000"},
		DynamicFacts: map[string]any{"kubernetesVersion": map[string]any{"major": "1", "minor": "34"},
			"openshiftVersion": map[string]any{"Major": "4", "Minor": "21"}},
	}
	return githost.Config{Faults: faults, Clusters: func(id string) (githost.Cluster, bool) { return cluster, id == clusterID }}
}

func TestCompiler_FollowsCommitPipeline(t *testing.T) {
	for name, test := range map[string]struct {
		troubles scenario.Compilation
		without  bool
		kind     fault.Kind
		field    string
		says     string
	}{
		"it ends well":         {},
		"a fact is missing":    {troubles: scenario.Compilation{FactMissing: true}, kind: fault.Invalid, field: "syn.facts", says: "service_level"},
		"a component fails":    {troubles: scenario.Compilation{CompileFailure: true}, kind: fault.Invalid, says: "rror"},
		"not for this cluster": {without: true, kind: fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, compilable(test.troubles, test.without))
			commit := w.commit(t, tenantRepo, map[string]string{"common.yml": "", "openshift4.yml": "parameters: {}\n", file: configuration})
			compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{})
			if _, err := compiler.CheckReady(t.Context(), tenant(), state.SynCluster{ID: clusterID}); err != nil {
				t.Error(err)
			}
			var lines []string
			err := compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, commit, func(text string) { lines = append(lines, text) })
			if test.kind == 0 {
				if _, newest, missing := w.ReadFiles(catalogRepo); err != nil || missing != nil || newest == "" || len(lines) < 2 {
					t.Errorf("%v, told %q", err, lines)
				}
				return
			}
			if !fault.Is(err, test.kind) || fault.FieldOf(err) != test.field || !strings.Contains(err.Error(), test.says) || fault.HintOf(err) == "" || len(err.Error()) > 2300 {
				t.Errorf("field %q: %v, hint %q", fault.FieldOf(err), err, fault.HintOf(err))
			}
			if strings.ContainsAny(err.Error(), "\x1b\r") {
				t.Errorf("%q moves the cursor", err)
			}
		})
	}
}

func TestCompiler_ReportsMissingPipeline(t *testing.T) {
	w := newWorld(t, githost.Config{})
	began := w.network.Clock.Now()
	compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{})
	err := compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, strings.Repeat("a", 40), func(string) {})
	if waited := w.network.Clock.Now().Sub(began); !fault.Is(err, fault.NotFound) || waited < 2*time.Minute {
		t.Errorf("after %s: %v", waited, err)
	}
}

const script = `#!/bin/sh
echo "args: $*"
echo "token by environment: ${COMMODORE_API_TOKEN:+yes}, api $COMMODORE_API_URL, home ${HOME:-none}"
printf '\033[31mcompiles %s\033[0m\n' "$COMMODORE_API_TOKEN"
`

// local is a commodore on this machine that runs a script.
func local(t *testing.T, more string) catalog.Commodore {
	t.Helper()
	path := write(t, script+more)
	must(t, os.Chmod(path, 0o700))
	return catalog.Commodore{
		Program: path, API: "https://api.example.net", Release: "4.21", Environment: []string{"PATH=" + os.Getenv("PATH")},
		Token: func(context.Context) (string, error) { return "very-secret", nil },
	}
}

func TestCompiler_LocalTokenByEnvironment(t *testing.T) {
	w := newWorld(t, githost.Config{})
	t.Setenv("HOME", "/somewhere")
	compiler := catalog.NewCompiler(w.network, catalog.Access{}, local(t, ""))
	if text, err := compiler.CheckReady(t.Context(), tenant(), state.SynCluster{}); err != nil || !strings.Contains(text, "commodore") {
		t.Errorf("%q, %v", text, err)
	}
	var lines []string
	must(t, compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, "", func(text string) { lines = append(lines, text) }))
	want := []string{
		"commodore on this machine compiles the catalog of c-demo-1",
		"args: catalog compile --push --dynamic-fact kubernetesVersion.major=1 --dynamic-fact kubernetesVersion.minor=34 " +
			"--dynamic-fact openshiftVersion.Major=4 --dynamic-fact openshiftVersion.Minor=21 -- c-demo-1",
		"token by environment: yes, api https://api.example.net, home none",
		"compiles [token]",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompiler_LocalFailureReason(t *testing.T) {
	for name, test := range map[string]struct{ script, says, field string }{
		"a fact":        {"echo \"ValueError: While resolving references: lookup error for reference '\\${facts:service_level}' in parameter 'x': key 'service_level' not found\"\nexit 1\n", "service_level", "syn.facts"},
		"another error": {"echo fine\necho 'Error: Failed to clone x' >&2\nexit 1\n", "Failed to clone x", ""},
		"no word":       {"exit 3\n", "compiles [token]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			compiler := catalog.NewCompiler(newWorld(t, githost.Config{}).network, catalog.Access{}, local(t, test.script))
			err := compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, "", func(string) {})
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != test.field || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("field %q: %v", fault.FieldOf(err), err)
			}
			if test.field != "" && !strings.Contains(fault.HintOf(err), "--set syn.facts.service_level=VALUE") {
				t.Errorf("hint %q", fault.HintOf(err))
			}
		})
	}
}

func TestListWantedSecrets_FromRefs(t *testing.T) {
	ref := func(data, mount string) string {
		return "data: " + base64.StdEncoding.EncodeToString([]byte(data)) + "\nencoding: original\ntype: vaultkv\nvault_params:\n  VAULT_ADDR: https://v\n  auth: token\n  mount: " + mount + "\n"
	}
	write := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		return dir
	}
	git := catalog.NewGit(newWorld(t, githost.Config{}).network, catalog.Access{})
	got, err := git.ListWantedSecrets(write(t, map[string]string{
		"refs/t-a/c-b/registry/httpSecret": ref("t-a/c-b/registry:httpSecret", "clusters/kv"), "refs/t-a/c-b/global-backup/password": "",
		"refs/__shared__/__shared__/x/y": ref("__shared__/__shared__/x:y\n", "clusters/kv"), "refs/plain/z": "type: plain\ndata: x\n",
	}), state.DefaultVaultMount)
	want := []state.VaultSecret{{Path: "__shared__/__shared__/x", Key: "y"}, {Path: "t-a/c-b/global-backup", Key: "password"}, {Path: "t-a/c-b/registry", Key: "httpSecret"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	got, err = git.ListWantedSecrets(write(t, map[string]string{"refs/t-a/c-b/deep/er/and/deeper/key": ref("t-a/c-b/deep/er/and/deeper:key", "/clusters/kv/")}), state.DefaultVaultMount)
	if diff := cmp.Diff([]state.VaultSecret{{Path: "t-a/c-b/deep/er/and/deeper", Key: "key"}}, got); err != nil || diff != "" {
		t.Errorf("in folders: %v\n%s", err, diff)
	}
	if got, err = git.ListWantedSecrets(write(t, map[string]string{"refs/a/b": ref("a:b", "other/kv")}), "other/kv"); err != nil || len(got) != 1 {
		t.Errorf("in the mount of the answers: %v, %v", got, err)
	}
	if got, err := git.ListWantedSecrets(t.TempDir(), state.DefaultVaultMount); err != nil || len(got) != 0 {
		t.Errorf("no secrets: %v, %v", got, err)
	}
	for name, text := range map[string]string{"another mount": ref("a:b", "secret"), "another version": ref("a:b", "clusters/kv\n  engine: kv")} {
		_, err := git.ListWantedSecrets(write(t, map[string]string{"refs/a/b": text}), state.DefaultVaultMount)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "refs/a/b is in") || !strings.Contains(fault.HintOf(err), "Vault's clusters/kv") {
			t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
		}
	}
	for name, files := range map[string]map[string]string{
		"another secret": {"refs/a/b": ref("a:c", "clusters/kv")},
		"not YAML":       {"refs/a/b": "{"}, "no secret": {"refs/a": ""}, "too large": {"refs/a/b": strings.Repeat("#", 1<<20)},
	} {
		if _, err := git.ListWantedSecrets(write(t, files), state.DefaultVaultMount); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompiler_RestartsFailedPipeline(t *testing.T) {
	config := compilable(scenario.Compilation{FactMissing: true}, false)
	cluster, _ := config.Clusters(clusterID)
	w := newWorld(t, config)
	commit := w.commit(t, tenantRepo, map[string]string{"common.yml": "", "openshift4.yml": "parameters: {}\n", file: configuration})
	compiler := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{})
	run := func() error {
		return compiler.Compile(t.Context(), tenant(), state.SynCluster{ID: clusterID}, commit, func(string) {})
	}
	if err := run(); !fault.Is(err, fault.Invalid) {
		t.Fatal(err)
	}
	cluster.Facts["service_level"] = "zero"
	if err := run(); err != nil {
		t.Errorf("once the fact is there: %v", err)
	}
}
