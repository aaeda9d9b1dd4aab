package layers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/app/changes"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/profile"
)

const given = `apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-demo-1, baseDomain: example.net}
exoscale: {zone: ch-gva-2}
syn: {lieutenantURL: https://api.syn.example.net, tenant: t-1}
openshift:
  version: 4.20.5
  pullSecret: {env: PULL_SECRET}
  sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINbmB5+y2VJ1FZqYhxMoq3+3cEo6uty+QEjxmzfpgV2V operator@example.net
`

// begun is a folder whose cluster was begun with answers that an earlier program completed: with OpenShift's own defaults, and without
// the keys that it did not have yet.
func begun(t *testing.T, isBegun bool, more string) state.Folder {
	t.Helper()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec, faults := answersfile.Parse("answers.yaml", []byte(given+"network: {cni: OVNKubernetes}\ndns: {acme: false}\nloadBalancer: {proxyProtocol: false}\n"+more))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	spec.OpenShift.CloudControllerManager = ""
	var old strings.Builder
	for line := range strings.Lines(string(answersfile.Export(spec, nil))) {
		if !strings.Contains(line, "profile:") {
			old.WriteString(line)
		}
	}
	if err := folder.Write(state.AnswersFile, []byte(old.String())); err != nil {
		t.Fatal(err)
	}
	if isBegun {
		journal, err := folder.OpenJournal(time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = journal.Close() }()
		if err := journal.RecordIntent("dns-zone", "c-demo-1.example.net"); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func read(t *testing.T, dir, content string, set ...string) *wizard.Answers {
	t.Helper()
	l := Layers{Answers: new(answersfile.ReadAnswers("mine.yaml", []byte(content))), Flags: answersfile.ReadFlags(set)}
	l, err := l.WithInForce(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.Merge()
	if err != nil {
		t.Fatal(err)
	}
	if faults := all.Problems(); len(faults) > 0 {
		t.Fatal(faults)
	}
	return all.Answers
}

// The defaults have changed since the cluster was installed: those of connected clusters are a profile's now.
func TestWithInForce_ChangedDefaultChangesNoCluster(t *testing.T) {
	folder := begun(t, true, "sizing: {workers: {count: 5}}\n")
	rerun := read(t, folder.Path(), given)
	differing, err := changes.Compare(folder, rerun.Spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(differing) > 0 {
		t.Errorf("an unchanged answers file changes %+v", differing)
	}
	if rerun.Spec.Network.CNI != "OVNKubernetes" || rerun.Spec.Sizing.Workers.Count != 5 {
		t.Errorf("the network plugin is %s, with %d workers", rerun.Spec.Network.CNI, rerun.Spec.Sizing.Workers.Count)
	}
	if origin := rerun.Origin("network.cni"); origin != answersfile.InForce {
		t.Errorf("the network plugin is from %q", origin)
	}
}

func TestWithInForce_AnswersTakePrecedence(t *testing.T) {
	folder := begun(t, true, "")
	rerun := read(t, folder.Path(), given+"network: {cni: Cilium}\n", "sizing.workers.count=7")
	if rerun.Spec.Network.CNI != "Cilium" || rerun.Spec.Sizing.Workers.Count != 7 || rerun.Spec.DNS.ACME {
		t.Errorf("%+v", rerun.Spec)
	}
}

func TestWithInForce_OnlyOfTheBegunCluster(t *testing.T) {
	other := strings.Replace(given, "c-demo-1", "c-demo-2", 1)
	for name, c := range map[string]struct {
		dir, content string
	}{
		"nothing was created":     {begun(t, false, "").Path(), given},
		"another cluster's":       {begun(t, true, "").Path(), other},
		"a folder without a run":  {t.TempDir(), given},
		"a folder that is absent": {t.TempDir() + "/none", given},
	} {
		if got := read(t, c.dir, c.content); got.Spec.Network.CNI != "Cilium" || got.Origin("network.cni") != profile.Origin {
			t.Errorf("%s: %s by %s", name, got.Spec.Network.CNI, got.Origin("network.cni"))
		}
	}
}

func TestWithInForce_FindsTheUsualFolder(t *testing.T) {
	folder := begun(t, true, "")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	usual, err := state.DefaultPath("c-demo-1")
	if err != nil {
		t.Fatal(err)
	}
	created, err := state.Create(usual)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{state.AnswersFile, state.JournalFile} {
		content, err := folder.Read(name)
		if err == nil {
			err = created.Write(name, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, folder.Path(), given).Spec, read(t, "", given).Spec); diff != "" {
		t.Error(diff)
	}
}
