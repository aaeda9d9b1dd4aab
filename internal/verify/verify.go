// Package verify checks a cluster's folder against itself, says what is wrong with it and what that means, and repairs it:
// from the folder alone, or from the cloud by the steps of an installation.
package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"exoshift/provisioner"
	"exoshift/state"
)

// Severities of a finding.
const (
	Error = "error" // the folder is not sound
	Note  = "note"  // worth knowing; the folder is sound
)

// What a finding is repaired from.
const (
	FromFolder = "folder"
	FromCloud  = "cloud"
	FromNone   = "none" // a person has to act, or nobody
)

// Finding is one thing that was found.
type Finding struct {
	Check    string `json:"check"`    // modes, owners, answers, journal, events, facts, generation or keys
	Severity string `json:"severity"` // error or note
	File     string `json:"file"`     // below the folder
	Line     int    `json:"line,omitempty"`
	Text     string `json:"text"`           // what is wrong, and what it means
	Repair   string `json:"repair"`         // folder, cloud or none: what --repair makes it good from
	Next     string `json:"next,omitempty"` // what to do where --repair does not help
	Repaired bool   `json:"repaired"`
}

// Report is what was found in a folder.
type Report struct {
	Findings []Finding
	Busy     bool // a run works on the folder, so what it has not ended was not checked
	Entries  int  // of the journal
	Events   int
}

// Count returns how many findings there are: errors, notes, and how many of either were repaired.
func (r Report) Count() (wrong, notes, repaired int) {
	for _, f := range r.Findings {
		switch {
		case f.Repaired:
			repaired++
		case f.Severity == Error:
			wrong++
		default:
			notes++
		}
	}
	return wrong, notes, repaired
}

// IsSound tells whether nothing is wrong, or no longer.
func (r Report) IsSound() bool {
	wrong, _, _ := r.Count()
	return wrong == 0
}

// hasCloudRepair tells whether something can be repaired from the cloud alone.
func (r Report) hasCloudRepair() bool {
	for _, f := range r.Findings {
		if f.Repair == FromCloud {
			return true
		}
	}
	return false
}

// ReadGeneration reads what openshift-install generated in a directory, and which version did; os.ErrNotExist if nothing is
// there.
type ReadGeneration func(dir string) (state.Ignition, string, error)

// checker holds what was read of a folder.
type checker struct {
	folder     state.Folder
	read       ReadGeneration
	report     Report
	spec       state.Spec // of the answers in force
	answered   bool       // they could be read
	journal    state.JournalRecord
	events     []provisioner.Event
	generation state.Ignition
	version    string // of openshift-install
	generated  bool
	facts      state.Facts // what could be read of them, even if they are damaged
	damaged    bool
}

// Check checks a folder and changes nothing.
func Check(folder state.Folder, read ReadGeneration) (Report, error) {
	c, err := check(folder, read, folder.IsLocked())
	return c.report, err
}

func check(folder state.Folder, read ReadGeneration, busy bool) (*checker, error) {
	c := &checker{folder: folder, read: read, report: Report{Busy: busy}}
	for _, part := range []func() error{
		c.checkModes, c.checkAnswers, c.checkCopies, c.checkJournal, c.checkEvents, c.checkGeneration, c.checkFacts, c.checkAgreement, c.checkKeys,
	} {
		if err := part(); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *checker) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// checkModes finds what others may read and what belongs to others. Where a run is at work, its files come and go.
func (c *checker) checkModes() error {
	found, err := c.folder.CheckModes()
	if err != nil {
		return err
	}
	for _, file := range found {
		if file.Foreign {
			c.add(Finding{Check: "owners", Severity: Error, File: file.Name, Repair: FromNone,
				Text: "it belongs to another user, who can change it",
				Next: fmt.Sprintf("take it over: sudo chown -h \"$(id -u)\" '%s'", c.folder.Path(file.Name))})
		}
		if file.Want != 0 {
			c.add(Finding{Check: "modes", Severity: Error, File: file.Name, Repair: FromFolder,
				Text: fmt.Sprintf("its mode is %04o, not %04o%s", file.Mode.Perm(), file.Want, describeExposure(file.Mode))})
		}
	}
	return nil
}

func describeExposure(mode fs.FileMode) string {
	if mode.Perm()&0o077 != 0 {
		return ": others on this machine may use it"
	}
	return ""
}

// reportUnreadable tells of a file that cannot be read at all; it is no error if there is none.
func (c *checker) reportUnreadable(check, file string, err error) bool {
	if err == nil {
		return false
	}
	if !errors.Is(err, os.ErrNotExist) {
		c.add(Finding{Check: check, Severity: Error, File: file, Repair: FromNone, Text: "it cannot be read: " + err.Error(), Next: "put it back from a backup"})
	}
	return true
}
