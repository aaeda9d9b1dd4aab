// Package verify checks a cluster's folder for consistency, reports what is wrong and what it means, and repairs it: from the
// folder alone, or from the cloud by the steps of an installation.
package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"exoshift/provisioner"
	"exoshift/state"
)

// Severities of a finding.
const (
	Error = "error" // the folder has problems
	Note  = "note"  // worth knowing; the folder is sound
)

// Sources of a repair.
const (
	fromFolder = "folder"
	FromCloud  = "cloud"
	FromNone   = "none" // needs manual action, or none
)

// Finding is one result of a check.
type Finding struct {
	Check    string `json:"check"`    // modes, owners, answers, journal, events, facts, generation, keys, inventory or contents
	Severity string `json:"severity"` // error or note
	File     string `json:"file"`     // below the folder
	Line     int    `json:"line,omitempty"`
	Text     string `json:"text"`           // what is wrong, and what it means
	Repair   string `json:"repair"`         // folder, cloud or none: the source that --repair uses
	Next     string `json:"next,omitempty"` // what to do where --repair does not help
	Repaired bool   `json:"repaired"`
}

// Report holds the findings about a folder.
type Report struct {
	Findings []Finding
	Busy     bool // a run uses the folder, so unfinished work was not checked
	Entries  int  // of the journal
	Events   int
}

// Count returns the number of errors, of notes, and of repaired findings of both severities.
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

// IsSound reports whether no unrepaired error is left.
func (r Report) IsSound() bool {
	wrong, _, _ := r.Count()
	return wrong == 0
}

func (r Report) hasCloudRepair() bool {
	for _, f := range r.Findings {
		if f.Repair == FromCloud {
			return true
		}
	}
	return false
}

// ReadGeneration reads the generated files of a directory and the version of openshift-install that created them;
// os.ErrNotExist if there are none.
type ReadGeneration func(dir string) (state.Ignition, string, error)

type checker struct {
	folder     state.Folder
	read       ReadGeneration
	report     Report
	spec       state.Spec // from the merged answers
	answered   bool       // spec is valid
	journal    state.JournalRecord
	events     []provisioner.Event
	generation state.Ignition
	version    string // of openshift-install
	generated  bool
	facts      state.Facts // as far as they can be parsed, even if damaged
	damaged    bool
	unproven   []Finding // what a repair could not find out again
}

// Check checks a folder without changing it.
func Check(folder state.Folder, read ReadGeneration) (Report, error) {
	c, err := check(folder, read, folder.IsLocked())
	return c.report, err
}

func check(folder state.Folder, read ReadGeneration, busy bool) (*checker, error) {
	c := &checker{folder: folder, read: read, report: Report{Busy: busy}}
	for _, part := range []func() error{
		c.checkModes, c.checkAnswers, c.checkCopies, c.checkJournal, c.checkEvents, c.checkGeneration, c.checkFacts, c.checkAgreement, c.checkContents, c.checkKeys,
	} {
		if err := part(); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *checker) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// checkModes reports files that others can read or own. While a run is in progress, its files may appear and disappear.
func (c *checker) checkModes() error {
	found, err := c.folder.CheckModes()
	if err != nil {
		return err
	}
	for _, file := range found {
		if file.Foreign {
			c.add(Finding{Check: "owners", Severity: Error, File: file.Name, Repair: FromNone,
				Text: "it belongs to another user",
				Next: fmt.Sprintf("change its owner: sudo chown -h \"$(id -u)\" '%s'", c.folder.Path(file.Name))})
		}
		if file.Want != 0 {
			c.add(Finding{Check: "modes", Severity: Error, File: file.Name, Repair: fromFolder,
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

func (c *checker) reportUnreadable(check, file string, err error) bool {
	if err == nil {
		return false
	}
	if !errors.Is(err, os.ErrNotExist) {
		c.add(Finding{Check: check, Severity: Error, File: file, Repair: FromNone, Text: "it cannot be read: " + err.Error(), Next: "restore it from a backup"})
	}
	return true
}

func (r Report) hasFinding(check string) bool {
	for _, f := range r.Findings {
		if f.Check == check {
			return true
		}
	}
	return false
}

func (r Report) hasRepair(check, repair string) bool {
	for _, f := range r.Findings {
		if f.Check == check && f.Repair == repair {
			return true
		}
	}
	return false
}

func (r Report) hasErrors(check string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Check == check && f.Severity == Error })
}
