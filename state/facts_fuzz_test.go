package state_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/state"
)

func noted() state.Facts {
	return state.Facts{
		ClusterID: "c-blue-sky-42", Zone: "ch-gva-2", OpenShiftVersion: "4.21.2", InfraID: "c-blue-sky-42-x7k2p", RootCAHash: strings.Repeat("0a", 32),
		IgnitionCreated: time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC), NewKeys: map[string]int{"b1": 1},
		SkippedChecks: []state.SkippedCheck{{ID: "ntp", Target: "ntp.example.net:123", Reason: "a firewall"}},
	}
}

func factsOf(t *testing.T, content []byte) (state.Folder, state.Facts, error) {
	t.Helper()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Path(state.FactsFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
	facts, err := folder.LoadFacts()
	return folder, facts, err
}

func savedFacts(f *testing.F) []byte {
	f.Helper()
	folder, err := state.Create(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if err := folder.SaveFacts(noted()); err != nil {
		f.Fatal(err)
	}
	content, err := folder.Read(state.FactsFile)
	if err != nil {
		f.Fatal(err)
	}
	return content
}

func asJSON(t *testing.T, facts state.Facts) []byte {
	t.Helper()
	content, err := json.Marshal(facts)
	if err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	return content
}

// FuzzFacts: facts that parse can be saved and are read again; a file that does not parse is not changed.
func FuzzFacts(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", `{"schema":1}`, `{"schema":99}`, `{"schema":1,"newKeys":{},"syn":{}}`, `{"schema":1,"sum":"0000000000000000"}`,
		`{"schema":1,"sum":null}`, `{"schema":1,"ignitionExpires":"0000-01-01T00:00:00+23:59"}`, `{"schema":1,"clusterId":"` + "\xff\u202e" + `"}`, "[", "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Add(savedFacts(f))
	f.Fuzz(func(t *testing.T, content []byte) {
		folder, facts, err := factsOf(t, content)
		if err != nil {
			var damage *state.DamageError
			if !errors.As(err, &damage) && !strings.Contains(err.Error(), "schema") {
				t.Fatalf("%v says nothing of the file", err)
			}
			if kept, err := folder.Read(state.FactsFile); err != nil || !bytes.Equal(kept, content) {
				t.Fatalf("%q became %q, %v", content, kept, err)
			}
			return
		}
		want := asJSON(t, facts)
		if err := folder.SaveFacts(facts); err != nil {
			t.Fatal(err)
		}
		again, err := folder.LoadFacts()
		if err != nil || !bytes.Equal(asJSON(t, again), want) {
			t.Fatalf("saved: %s\nread:  %s, %v", want, asJSON(t, again), err)
		}
	})
}

// FuzzDamagedFacts changes one byte of saved facts, or truncates them: no other facts are ever read.
func FuzzDamagedFacts(f *testing.F) {
	content := savedFacts(f)
	for i := 0; i < len(content); i += 37 {
		f.Add(i, byte(1), false)
		f.Add(i, byte(0x20), true)
	}
	f.Fuzz(func(t *testing.T, at int, change byte, short bool) {
		at = int(uint(at) % uint(len(content)))
		damaged := bytes.Clone(content)
		if damaged[at] ^= change; short {
			damaged = damaged[:at]
		}
		_, facts, err := factsOf(t, damaged)
		want := noted()
		want.Schema = facts.Schema
		if err == nil && !bytes.Equal(asJSON(t, facts), asJSON(t, want)) {
			t.Fatalf("byte %d: %s was taken for what was saved", at, damaged)
		}
	})
}
