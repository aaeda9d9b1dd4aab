package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/verify"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift/release/installdir"
	"exoshift/state"
)

// Kinds of secrets that are generated or given.
const (
	operatorsKey   = "the operator's API secret"
	pullSecret     = "the pull secret"
	clustersKey    = "an API key of the cluster"
	adminsKey      = "the administrator's key"
	adminsPassword = "the password of kubeadmin"
	bootstrapsKey  = "a key of the bootstrap machine"
	generatedKey   = "a private key of the cluster"
	signature      = "the signature of a link"
	hostKey        = "the host key of a load balancer"
)

// mayHold returns the secrets allowed in each file at each stage; other files may contain none.
func mayHold() map[string]map[string][]string {
	lasting := map[string][]string{
		"openshift/auth/kubeconfig":         {adminsKey},
		"openshift/auth/kubeadmin-password": {adminsPassword},
		"api-keys/*":                        {clustersKey},
	}
	everything := []string{pullSecret, clustersKey, adminsKey, adminsPassword, bootstrapsKey, generatedKey}
	generated := map[string][]string{
		"openshift/bootstrap.ign":                 everything,
		"openshift/.openshift_install_state.json": everything,
		"openshift/bootstrap-identity.pem":        {bootstrapsKey},
		"user-data/bootstrap":                     {signature},
	}
	for name, kinds := range lasting {
		generated[name] = kinds
	}
	return map[string]map[string][]string{"generated": generated, "bootstrapped": lasting, "installed": lasting, "destroyed": {}}
}

// One installation is stopped twice and resumed, damaged and repaired, and destroyed. At each stage its folder contains only
// the secrets that this stage needs.
func TestVerify_FolderOverItsLifetime(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		interruptedAt(t, s, ended("temporary-api"))
		secrets := collectSecrets(t, s)
		searchSecrets(t, s.Folder, "generated", secrets)

		// Stopped between the record of the bootstrap's end and the removal of its secrets.
		interruptedAt(t, s, draining)
		if _, err := s.Folder.Read("openshift/bootstrap.ign"); err != nil {
			t.Errorf("it left before the end of the bootstrap was noted: %v", err)
		}
		searchSecrets(t, s.Folder, "generated", secrets)
		interruptedAt(t, s, ended("remove-bootstrap"))
		searchSecrets(t, s.Folder, "bootstrapped", secrets)
		if left := listed(t, s.Folder, "user-data"); slices.ContainsFunc(left, func(name string) bool { return !strings.HasPrefix(name, "lb-") }) {
			t.Errorf("pointer documents are left: %v", left)
		}

		if out, err := finish(t, s); err != nil { // without them
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		searchSecrets(t, s.Folder, "installed", secrets)
		page, err := s.Folder.Read(state.HandoverFile)
		for _, name := range []string{"openshift/auth/kubeconfig", "openshift/auth/kubeadmin-password", "api-keys/"} {
			if err != nil || !strings.Contains(string(page), "- "+strings.ReplaceAll(name, "_", `\_`)+":") {
				t.Errorf("the hand-over page does not say that %s stays: %v", name, err)
			}
		}
		grownAfterBootstrap(t, s)
		damagedAndRepaired(t, s)
		afterDestroying(t, s)
		searchSecrets(t, s.Folder, "destroyed", secrets)
	})
}

// ended is a step that has succeeded.
func ended(step string) sign {
	return func(e provisioner.Event) bool {
		return e.Type == provisioner.TypeStep && e.Step == step && e.State == provisioner.Done
	}
}

func listed(t *testing.T, folder state.Folder, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// grownAfterBootstrap requires that nodes can be added once the bootstrap's documents are gone.
func grownAfterBootstrap(t *testing.T, s run.Run) {
	t.Helper()
	before := s.Spec.Sizing.Workers.Count
	s.Spec.Sizing.Workers.Count++
	pending := pending(t, s)
	if !slices.Contains(pending, "created instance worker-"+string(rune('0'+before))) {
		t.Errorf("no worker would be added: %v", pending)
	}
}

// damagedAndRepaired damages files that an installation depends on: it is refused until they are recovered from the cloud, and
// then has nothing to do.
func damagedAndRepaired(t *testing.T, s run.Run) {
	t.Helper()
	report, err := verify.Check(s.Folder, installdir.Read)
	if err != nil || len(report.Findings) > 0 {
		t.Fatalf("an installed cluster: %+v, %v", report.Findings, err)
	}
	before := facts(t, s)
	if err := os.Remove(s.Folder.Path(state.FactsFile)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Folder.Write(state.EventsFile, nil), os.Chmod(s.Folder.Path(state.EventsFile), 0o644)); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
	lines, err := s.Folder.Read(state.JournalFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Folder.Write(state.JournalFile, lines[:len(lines)-9]); err != nil {
		t.Fatal(err)
	}
	_, err = finish(t, s)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "exoshift verify") {
		t.Errorf("damaged facts: %v", err)
	}
	report, err = verify.Repairer{
		Read: installdir.Read, Now: time.Now, Strip: func(state.Spec) error { return nil },
		Recover: func(ctx context.Context, _ state.Spec, known state.Facts) (install.Recovered, error) {
			known.Rehearsal = true // there is no zone beside this folder
			return s.Recover(ctx, known)
		},
	}.Repair(t.Context(), s.Folder)
	if _, _, repaired := report.Count(); err != nil || repaired != 4 || len(report.Findings) != repaired {
		t.Fatalf("%+v: %v", report.Findings, err)
	}
	// The times of events are recorded only in the events, which are gone; a run finds the other facts.
	unknown := cmpopts.IgnoreFields(state.Facts{}, "BootstrapRemoved", "Installed", "ConsoleURL", "ReleaseImage")
	after := facts(t, s)
	if diff := cmp.Diff(before, after, unknown); diff != "" || after.BootstrapRemoved.IsZero() {
		t.Errorf("the end of the bootstrap: %s\n%s", after.BootstrapRemoved, diff)
	}
	if out, err := finish(t, s); err != nil || strings.Contains(out, `"action":"created"`) || strings.Contains(out, `"action":"deleted"`) {
		t.Errorf("%v\n%s", err, lastLines(out))
	}
	if diff := cmp.Diff(before, facts(t, s), cmpopts.IgnoreFields(state.Facts{}, "BootstrapRemoved", "Installed")); diff != "" {
		t.Errorf("after a run (-before +after)\n%s", diff)
	}
}

// collectSecrets returns all secrets given or generated so far, with their kinds.
func collectSecrets(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	secrets := map[string]string{s.Secrets.APISecret: operatorsKey, "c2ltdWxhdGVkOnNpbXVsYXRlZA": pullSecret}
	for name, kind := range map[string]string{
		"openshift/bootstrap.ign": generatedKey, "openshift/.openshift_install_state.json": generatedKey,
		"openshift/bootstrap-identity.pem": bootstrapsKey, "openshift/auth/kubeconfig": adminsKey,
	} {
		for _, key := range privateKeys(unfolded(content(t, s.Folder, name))) {
			if secrets[key] == "" || secrets[key] == generatedKey {
				secrets[key] = kind
			}
		}
	}
	b := backdoor{t, s}
	for _, name := range []string{"lb-0", "lb-1"} {
		userData := b.ask(http.MethodGet, "/instance/"+b.id("/instance", "instances", "name", name), nil)["user-data"].(string)
		for _, key := range privateKeys(strings.ReplaceAll(unfolded(userData), "\n    ", "\n")) { // indented in YAML
			secrets[key] = hostKey
		}
	}
	secrets[strings.TrimSpace(content(t, s.Folder, "openshift/auth/kubeadmin-password"))] = adminsPassword
	for _, name := range listed(t, s.Folder, "api-keys") {
		var key struct{ Secret string }
		if err := json.Unmarshal([]byte(content(t, s.Folder, "api-keys/"+name)), &key); err != nil {
			t.Fatal(err)
		}
		secrets[key.Secret] = clustersKey
	}
	for _, match := range regexp.MustCompile(`X-Amz-Signature=([0-9a-f]{64})`).FindAllStringSubmatch(unfolded(content(t, s.Folder, "user-data/bootstrap")), -1) {
		secrets[match[1]] = signature
	}
	kinds := map[string]int{}
	for secret, kind := range secrets {
		if len(secret) < 12 {
			t.Fatalf("%s is too short to be searched for", kind)
		}
		kinds[kind]++
	}
	t.Log(kinds)
	for _, kind := range []string{operatorsKey, pullSecret, clustersKey, adminsKey, adminsPassword, bootstrapsKey, generatedKey, signature, hostKey} {
		if kinds[kind] == 0 {
			t.Errorf("%s was not found", kind)
		}
	}
	return secrets
}

func content(t *testing.T, folder state.Folder, name string) string {
	t.Helper()
	text, err := folder.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// privateKeys returns a unique part of each private key in a text.
func privateKeys(text string) []string {
	var keys []string
	for rest := []byte(text); ; {
		begin := bytes.Index(rest, []byte("-----BEGIN "))
		if begin < 0 {
			return keys
		}
		rest = rest[begin:]
		block, after := pem.Decode(rest)
		if block == nil {
			rest = rest[1:]
			continue
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			lines := strings.Split(strings.TrimSpace(string(pem.EncodeToMemory(block))), "\n")
			keys = append(keys, lines[len(lines)/2])
		}
		rest = after
	}
}

// unfolded is a text with the decoded content of all nested encodings.
func unfolded(text string) string {
	all := strings.ReplaceAll(text, `\n`, "\n")
	deepest := all
	for range 3 {
		var deeper strings.Builder
		for _, digits := range regexp.MustCompile(`[A-Za-z0-9+/]{16,}={0,2}`).FindAllString(deepest, -1) {
			if inner, err := base64.StdEncoding.DecodeString(digits); err == nil {
				deeper.WriteString(strings.ReplaceAll(string(inner), `\n`, "\n") + "\n")
			}
		}
		deepest = deeper.String()
		all += "\n" + deepest
	}
	return all
}

// searchSecrets requires that each secret is only in files that the stage allows.
func searchSecrets(t *testing.T, folder state.Folder, stage string, secrets map[string]string) {
	t.Helper()
	allowed, searched := mayHold()[stage], 0
	err := filepath.WalkDir(folder.Path(), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(folder.Path(), file)
		if err != nil {
			return err
		}
		var kinds []string
		for pattern, may := range allowed {
			if matched, _ := path.Match(pattern, name); matched {
				kinds = may
			}
		}
		text := unfolded(content(t, folder, name))
		searched++
		for secret, kind := range secrets {
			if strings.Contains(text, secret) && !slices.Contains(kinds, kind) {
				t.Errorf("%s: %s holds %s", stage, name, kind)
			}
		}
		return nil
	})
	if err != nil || searched < 8 {
		t.Errorf("%s: %d files, %v", stage, searched, err)
	}
}
