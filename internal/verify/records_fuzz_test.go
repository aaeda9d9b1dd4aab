package verify_test

import (
	"bytes"
	"testing"

	"exoshift/internal/verify"
	"exoshift/state"
)

// FuzzFolder: whatever one of the folder's files holds, the check ends with findings, and changes nothing.
func FuzzFolder(f *testing.F) {
	names := []string{state.AnswersFile, state.FactsFile, state.JournalFile, state.EventsFile, state.SumsFile, state.TeardownFile}
	for n := range names {
		for _, seed := range []string{"", "\x00", "{}", "null\n", "[[[[", "\ufeffa: b", "\xff\xfe", "{\"v\":1}\n{\"v\"", "0000  answers.yaml\n"} {
			f.Add(n, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, n int, content []byte) {
		name := names[uint(n)%uint(len(names))]
		folder := soundFolder(t)
		if err := folder.Write(name, content); err != nil {
			t.Fatal(err)
		}
		report, err := verify.Check(folder, generated)
		if err != nil {
			t.Fatalf("%s %q: %v", name, content, err)
		}
		for _, finding := range report.Findings {
			if finding.File == "" || finding.Text == "" || finding.Severity == verify.Error && finding.Repair == verify.FromNone && finding.Next == "" {
				t.Fatalf("%s %q: nobody knows what to do about %+v", name, content, finding)
			}
		}
		if kept, err := folder.Read(name); err != nil || !bytes.Equal(kept, content) {
			t.Fatalf("%s %q became %q: %v", name, content, kept, err)
		}
	})
}
