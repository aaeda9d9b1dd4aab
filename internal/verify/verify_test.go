package verify_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/assets"
	"exoshift/internal/verify"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

var began = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// generated stands in for the files that openshift-install generates.
func generated(string) (state.Ignition, string, error) {
	return state.Ignition{InfraID: "c-demo-1-abcde", RootCAHash: "c0ffee", Created: began, Expires: began.Add(24 * time.Hour)}, "4.20.5", nil
}

// soundFolder returns the folder of an installed cluster.
func soundFolder(t *testing.T) state.Folder {
	t.Helper()
	folder, err := state.Create(t.TempDir() + "/cluster")
	if err != nil {
		t.Fatal(err)
	}
	example, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	journal, err := folder.OpenJournal(func() time.Time { return began })
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		folder.KeepAnswers(example), folder.Write(state.AnswersFile, example),
		folder.Write(state.InstallDir+"/metadata.json", []byte("{}")),
		journal.RecordIntent("elastic-ip", "c-demo-1_api"), journal.RecordResult("elastic-ip", "c-demo-1_api", "id-api", state.Created), journal.Close(),
		folder.Write(state.EventsFile, []byte(`{"v":1,"time":"2026-05-04T12:00:00Z","seq":1,"type":"object","kind":"elastic-ip","name":"c-demo-1_api","id":"id-api","action":"created"}
{"v":1,"time":"2026-05-04T12:30:00Z","seq":2,"type":"step","step":"remove-bootstrap","state":"done"}
{"v":1,"time":"2026-05-04T12:50:00Z","seq":3,"type":"step","step":"console","state":"done"}
`)),
		folder.SaveFacts(installedFacts()),
	)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func installedFacts() state.Facts {
	return state.Facts{
		ClusterID: "c-demo-1", Zone: "ch-gva-2", InfraID: "c-demo-1-abcde", RootCAHash: "c0ffee", APIAddress: "192.0.2.1", Template: "rhcos-9.6",
		OpenShiftVersion: "4.20.5", OpenShiftAsked: "4.20.5", IgnitionCreated: began, IgnitionExpires: began.Add(24 * time.Hour),
		BootstrapRemoved: began.Add(30 * time.Minute), Installed: began.Add(50 * time.Minute),
	}
}

// cloud returns what a lookup in the cloud would find.
func cloud(_ context.Context, _ state.Spec, known state.Facts) (install.Recovered, error) {
	known.APIAddress, known.Template = "192.0.2.1", "rhcos-9.6"
	return install.Recovered{Facts: known, Existing: []state.Object{{Kind: "instance", Name: "master-0", ID: "id-0"}}, Objects: []install.Change{
		{Action: state.Found, Kind: "elastic-ip", Name: "c-demo-1_api", ID: "id-api"},
		{Action: state.Found, Kind: "instance", Name: "master-0", ID: "id-0"},
		{Action: state.Found, Kind: "template", Name: "rhcos-9.6", ID: "id-t"},
	}}, nil
}

func repairer(folder state.Folder) verify.Repairer {
	nothing := func(string) error { return nil }
	return verify.Repairer{
		Read: generated, Recover: cloud, Strip: func(spec state.Spec) error { return generation.RemoveBootstrapSecrets(spec, folder, nothing) },
		Now: func() time.Time { return began.Add(time.Hour) },
	}
}

func change(t *testing.T, folder state.Folder, name, old, by string) {
	t.Helper()
	content, err := folder.Read(name)
	if err != nil || !bytes.Contains(content, []byte(old)) {
		t.Fatalf("%s does not hold %q: %v", name, old, err)
	}
	if err := folder.Write(name, bytes.Replace(content, []byte(old), []byte(by), 1)); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, folder state.Folder, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(folder.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCheck_CopyWithoutChecksum(t *testing.T) {
	folder := soundFolder(t)
	remove(t, folder, state.SumsFile)
	report, err := verify.Check(folder, generated)
	if err != nil || !report.IsSound() || len(report.Findings) != 1 || report.Findings[0].File != "answers-1.yaml" {
		t.Errorf("%+v: %v", report, err)
	}
}

func store(t *testing.T, folder state.Folder, name, content string) {
	t.Helper()
	if err := folder.Write(name, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func pipe(t *testing.T, folder state.Folder) {
	t.Helper()
	if err := syscall.Mkfifo(folder.Path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheck_ASoundFolder(t *testing.T) {
	report, err := verify.Check(soundFolder(t), generated)
	if err != nil || len(report.Findings) > 0 || report.Entries != 2 || report.Events != 3 {
		t.Errorf("%+v: %v", report, err)
	}
}

// Each kind of damage is found in the right file, and repaired where possible.
func TestRepair_FixesRepairable(t *testing.T) {
	for name, c := range map[string]struct {
		damage   func(*testing.T, state.Folder)
		check    string
		severity string
		repaired bool
	}{
		"facts with another address":         {func(t *testing.T, f state.Folder) { change(t, f, state.FactsFile, "192.0.2.1", "192.0.2.9") }, "facts", verify.Error, true},
		"facts that end in the middle":       {func(t *testing.T, f state.Folder) { change(t, f, state.FactsFile, `"apiAddress"`, "") }, "facts", verify.Error, true},
		"facts that are gone":                {func(t *testing.T, f state.Folder) { remove(t, f, state.FactsFile) }, "facts", verify.Error, true},
		"facts that lag behind the events":   {func(t *testing.T, f state.Folder) { lag(t, f) }, "facts", verify.Error, true},
		"facts of another generation":        {func(t *testing.T, f state.Folder) { other(t, f) }, "facts", verify.Error, false},
		"a journal that is gone":             {func(t *testing.T, f state.Folder) { remove(t, f, state.JournalFile) }, "journal", verify.Error, true},
		"a journal with a damaged line":      {func(t *testing.T, f state.Folder) { change(t, f, state.JournalFile, "id-api", "id-apx") }, "journal", verify.Error, true},
		"a journal without its end":          {func(t *testing.T, f state.Folder) { change(t, f, state.JournalFile, `"seq":2`, "\n") }, "journal", verify.Error, true},
		"a journal with an open intent":      {func(t *testing.T, f state.Folder) { intend(t, f) }, "journal", verify.Note, true},
		"events with a damaged line":         {func(t *testing.T, f state.Folder) { change(t, f, state.EventsFile, `"seq":2`, `"seq":"2"`) }, "events", verify.Error, true},
		"events that are gone":               {func(t *testing.T, f state.Folder) { remove(t, f, state.EventsFile) }, "events", verify.Error, false},
		"an open file":                       {func(t *testing.T, f state.Folder) { open(t, f) }, "modes", verify.Error, true},
		"answers of another cluster":         {func(t *testing.T, f state.Folder) { change(t, f, state.AnswersFile, "c-demo-1", "c-demo-2") }, "facts", verify.Error, false},
		"answers that cannot be read":        {func(t *testing.T, f state.Folder) { change(t, f, state.AnswersFile, "kind: Cluster", "kind: [") }, "answers", verify.Error, false},
		"a copy of answers that was changed": {func(t *testing.T, f state.Folder) { change(t, f, "answers-1.yaml", "c-demo-1", "c-demo-2") }, "answers", verify.Error, false},
		"a key without its secret":           {func(t *testing.T, f state.Folder) { store(t, f, "api-keys/a.json", `{"key":"EXOa"}`) }, "keys", verify.Error, false},
		"a key that is missing": {func(t *testing.T, f state.Folder) {
			journal, err := f.OpenJournal(func() time.Time { return began })
			if err == nil {
				err = errors.Join(journal.RecordIntent(state.KindAPIKey, "c-demo-1_csi"), journal.RecordResult(state.KindAPIKey, "c-demo-1_csi", "EXOa", state.Created), journal.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "keys", verify.Error, false},
		"a key that was cut":              {func(t *testing.T, f state.Folder) { store(t, f, "api-keys/a.json", `{"key":"EXOa","sec`) }, "keys", verify.Error, false},
		"a folder in place of a document": {func(t *testing.T, f state.Folder) { store(t, f, "user-data/lb-0/a", "") }, "generation", verify.Error, false},
		"an inventory that was cut":       {func(t *testing.T, f state.Folder) { store(t, f, "inventory.json", `[{"Kind":"block-vol`) }, "inventory", verify.Error, false},
		"a pipe":                          {func(t *testing.T, f state.Folder) { pipe(t, f) }, "contents", verify.Error, false},
		"keys of a generation put aside": {func(t *testing.T, f state.Folder) {
			if err := f.Write("openshift-20260101T000000Z/auth/kubeconfig", nil); err != nil {
				t.Fatal(err)
			}
		}, "keys", verify.Error, true},
		"the link to bootstrap.ign": {func(t *testing.T, f state.Folder) {
			if err := f.SaveUserData("bootstrap", nil); err != nil {
				t.Fatal(err)
			}
		}, "keys", verify.Error, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := soundFolder(t)
			c.damage(t, folder)
			before, err := verify.Check(folder, generated)
			at := slices.IndexFunc(before.Findings, func(f verify.Finding) bool { return f.Check == c.check && f.Severity == c.severity })
			if err != nil || at < 0 || before.IsSound() != (c.severity == verify.Note) {
				t.Fatalf("%+v: %v", before.Findings, err)
			}
			if found := before.Findings[at]; c.repaired == (found.Repair == verify.FromNone) || found.Repair == verify.FromNone && found.Next == "" {
				t.Errorf("nobody learns fix: %+v", found)
			}
			after, err := repairer(folder).Repair(t.Context(), folder)
			_, _, repaired := after.Count()
			if c.repaired && (err != nil || !after.IsSound() || repaired == 0) || !c.repaired && after.IsSound() {
				t.Errorf("%+v: %v", after.Findings, err)
			}
			if again, err := verify.Check(folder, generated); err != nil || again.IsSound() != c.repaired {
				t.Errorf("a second look: %+v, %v", again.Findings, err)
			}
			if facts, err := folder.LoadFacts(); c.repaired && (err != nil || facts.APIAddress != "192.0.2.1" || facts.BootstrapRemoved != began.Add(30*time.Minute)) {
				t.Errorf("the facts: %+v, %v", facts, err)
			}
		})
	}
}

func lag(t *testing.T, folder state.Folder) {
	t.Helper()
	facts := installedFacts()
	facts.BootstrapRemoved, facts.Installed = time.Time{}, time.Time{}
	if err := folder.SaveFacts(facts); err != nil {
		t.Fatal(err)
	}
}

func other(t *testing.T, folder state.Folder) {
	t.Helper()
	facts := installedFacts()
	facts.RootCAHash = "deadbeef"
	if err := folder.SaveFacts(facts); err != nil {
		t.Fatal(err)
	}
}

func intend(t *testing.T, folder state.Folder) {
	t.Helper()
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(journal.RecordIntent("instance", "master-0"), journal.Close()); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, folder state.Folder) {
	t.Helper()
	if err := os.Chmod(folder.Path(state.EventsFile), 0o644); err != nil { //nolint:gosec // the point of the test
		t.Fatal(err)
	}
}

// A rebuilt journal claims no image: others may boot from it, and a teardown would delete it.
func TestRepair_ClaimsNoSharedImage(t *testing.T) {
	folder := soundFolder(t)
	remove(t, folder, state.JournalFile)
	if _, err := repairer(folder).Repair(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	entries, err := folder.ListEntries()
	var claimed []string
	for _, e := range entries {
		claimed = append(claimed, e.Name+" "+string(e.Action))
	}
	if err != nil || !slices.Equal(claimed, []string{"c-demo-1_api adopted", "master-0 adopted"}) {
		t.Errorf("%v: %v", claimed, err)
	}
}

// The object of an intent without a result exists, was deleted, or was never created.
func TestRepair_RecordsIntentResult(t *testing.T) {
	folder := soundFolder(t)
	intend(t, folder)
	journal, err := folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		journal.RecordIntent("bucket", "c-demo-1-bootstrap"), journal.RecordResult("bucket", "c-demo-1-bootstrap", "b", state.Created), journal.RecordIntent("bucket", "c-demo-1-bootstrap"),
		journal.RecordIntent("object", "c-demo-1-bootstrap/bootstrap.ign"), journal.RecordIntent("instance", "master-1"), journal.RecordIntent("dns-record", "api A 192.0.2.1"), journal.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repairer(folder).Repair(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	record, err := folder.ReadJournal()
	var results []string
	for _, e := range record.Entries[9:] {
		results = append(results, e.Name+" "+string(e.Action))
	}
	want := []string{"master-0 adopted", "c-demo-1-bootstrap deleted", "c-demo-1-bootstrap/bootstrap.ign failed", "master-1 failed"}
	if open := record.Open(); err != nil || !slices.Equal(results, want) || len(open) != 1 || open[0].Kind != "dns-record" {
		t.Errorf("%q, open: %v, %v", results, open, err)
	}
}

// Partial facts are not written: they would start a second bootstrap.
func TestRepair_OfflineKeepsFacts(t *testing.T) {
	folder := soundFolder(t)
	change(t, folder, state.FactsFile, "192.0.2.1", "192.0.2.9")
	damaged, err := folder.Read(state.FactsFile)
	if err != nil {
		t.Fatal(err)
	}
	open(t, folder)
	r := repairer(folder)
	r.Recover = func(context.Context, state.Spec, state.Facts) (install.Recovered, error) {
		return install.Recovered{}, errors.New("no way to the cloud")
	}
	report, err := r.Repair(t.Context(), folder)
	if err == nil || !strings.Contains(err.Error(), "no way to the cloud") || report.IsSound() {
		t.Errorf("%+v: %v", report, err)
	}
	if now, err := folder.Read(state.FactsFile); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the facts were changed: %v", err)
	}
	if slices.ContainsFunc(report.Findings, func(f verify.Finding) bool { return f.Check == "modes" && !f.Repaired }) {
		t.Error("what needs no cloud was not repaired")
	}
}

func TestRepair_TeardownFromEvents(t *testing.T) {
	folder := soundFolder(t)
	remove(t, folder, state.FactsFile)
	if err := folder.Write(state.TeardownFile, []byte(`{"v":1,"time":"2026-05-05T12:00:00Z","seq":9,"type":"run","state":"finished","result":"ok","exit_code":0}`+"\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := repairer(folder).Repair(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if facts, err := folder.LoadFacts(); err != nil || facts.Destroyed != began.AddDate(0, 0, 1) {
		t.Errorf("%+v: %v", facts, err)
	}
}

// What nothing proves is told, beside facts that have all the rest.
func TestRepair_ReportsUnproven(t *testing.T) {
	folder := soundFolder(t)
	remove(t, folder, state.FactsFile)
	if err := folder.Write(state.EventsFile, []byte(`{"v":1,"time":"2026-05-04T12:00:00Z","seq":1,"type":"object","kind":"lieutenant-cluster","name":"c-demo-1","action":"created"}`+"\n")); err != nil {
		t.Fatal(err)
	}
	r := repairer(folder)
	r.Recover = func(ctx context.Context, spec state.Spec, known state.Facts) (install.Recovered, error) {
		recovered, err := cloud(ctx, spec, known)
		recovered.Unproven = append(recovered.Unproven, syn.Unproven{Text: "ssh_key is somebody else's", Next: "find out which is right"})
		return recovered, err
	}
	report, err := r.Repair(t.Context(), folder)
	known := slices.ContainsFunc(report.Findings, func(f verify.Finding) bool {
		return f.Severity == verify.Error && !f.Repaired && strings.Contains(f.Text, "not proven, not adopted: ssh_key") && f.Next == "find out which is right"
	})
	if err != nil || !known || report.IsSound() {
		t.Errorf("%+v: %v", report.Findings, err)
	}
	if facts, err := folder.LoadFacts(); err != nil || facts.APIAddress != "192.0.2.1" || facts.Syn.Created != began {
		t.Errorf("%+v: %v", facts, err)
	}
}

func TestCheck_AFolderInUse(t *testing.T) {
	folder := soundFolder(t)
	intend(t, folder)
	unlock, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if report, err := verify.Check(folder, generated); err != nil || !report.Busy || len(report.Findings) > 0 {
		t.Errorf("%+v: %v", report, err)
	}
}
