package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/generation"
	"exoshift/state"
)

func (c *checker) checkGeneration() error {
	var err error
	c.generation, c.version, err = c.read(c.folder.Path(state.InstallDir))
	switch {
	case err == nil:
		c.generated = true
	case !errors.Is(err, fs.ErrNotExist):
		c.add(Finding{Check: "generation", Severity: Error, File: state.InstallDir, Repair: FromNone,
			Text: "the files of openshift-install cannot be read: " + err.Error(),
			Next: "restore the folder from a backup; until the bootstrap is complete, install --renew-certificates replaces it"})
	}
	return nil
}

func (c *checker) checkFacts() error {
	facts, err := c.folder.LoadFacts()
	content, readErr := c.folder.Read(state.FactsFile)
	var damage *state.DamageError
	switch {
	case errors.As(err, &damage):
		c.damaged = true
		_ = json.Unmarshal(content, &facts) // a partial result is useful
		c.add(Finding{Check: "facts", Severity: Error, File: state.FactsFile, Repair: FromCloud,
			Text: "the facts are damaged: " + damage.Err.Error() + "; no run continues until they are rebuilt. Data that neither the folder nor the cloud has (skipped checks, times) " +
				"is taken from the damaged file, which is kept" + c.describeSources()})
	case errors.Is(readErr, fs.ErrNotExist) && (len(c.journal.Entries) > 0 || c.generated):
		c.damaged = true
		c.add(Finding{Check: "facts", Severity: Error, File: state.FactsFile, Repair: FromCloud,
			Text: "the facts are missing, but other files show that objects were created; no run continues until they are rebuilt" + c.describeSources()})
	case err != nil:
		c.add(Finding{Check: "facts", Severity: Error, File: state.FactsFile, Repair: FromNone, Text: err.Error(), Next: "use the version of exoshift that wrote it"})
	case readErr == nil && !state.HasChecksum(content):
		c.add(Finding{Check: "facts", Severity: Note, File: state.FactsFile, Repair: FromNone, Text: "it has no checksum: it was written by an earlier version"})
	}
	c.facts = facts
	return nil
}

// describeSources names what a repair asks besides the cloud.
func (c *checker) describeSources() string {
	if c.spec.Syn.LieutenantURL == "" {
		return ""
	}
	return "; the data of Project Syn is compared with Lieutenant, Vault and the tenant's configuration, which requires a sign-in"
}

func (c *checker) checkAgreement() error {
	if c.damaged {
		return nil
	}
	facts := c.facts
	if c.answered && facts.ClusterID != "" && (facts.ClusterID != c.spec.Cluster.ID || facts.Zone != "" && facts.Zone != c.spec.Exoscale.Zone) {
		c.reportMismatch(state.AnswersFile, "the answers are for cluster "+c.spec.Cluster.ID+" in "+c.spec.Exoscale.Zone+", the facts for "+facts.ClusterID+" in "+facts.Zone,
			"restore the answers of this cluster from a backup, or from answers-N.yaml")
	}
	if facts.Destroyed.IsZero() {
		c.compareGeneration()
		c.checkJournalMissing()
	}
	c.compareEvents()
	c.checkObjects()
	return nil
}

// reportMismatch reports what --repair cannot fix.
func (c *checker) reportMismatch(file, text, next string) {
	c.add(Finding{Check: "facts", Severity: Error, File: file, Text: text, Repair: FromNone, Next: next})
}

func (c *checker) compareGeneration() {
	facts := c.facts
	switch {
	case facts.RootCAHash == "" && c.generated:
		c.add(Finding{Check: "facts", Severity: Note, File: state.FactsFile, Repair: FromCloud,
			Text: "they lack the generation in " + state.InstallDir + ": a run was killed during the generation, or the facts were lost"})
	case facts.RootCAHash == "":
	case !c.generated && !c.report.hasFinding("generation"):
		c.reportMismatch(state.InstallDir, "the certificates of the machines are missing",
			"restore the folder from a backup; until the bootstrap is complete, install --renew-certificates replaces them")
	case c.generated && (facts.RootCAHash != c.generation.RootCAHash || facts.InfraID != c.generation.InfraID):
		c.reportMismatch(state.InstallDir, "it is another generation than the one in the facts, "+facts.InfraID,
			"restore the original folder from a backup: machines do not accept the certificates of another generation")
	}
}

func (c *checker) checkJournalMissing() {
	touched := c.facts.APIAddress != "" || !c.facts.BootstrapRemoved.IsZero() || c.generated
	if touched && len(c.journal.Entries) == 0 {
		c.add(Finding{Check: "journal", Severity: Error, File: state.JournalFile, Repair: FromCloud,
			Text: "the journal is missing, but other files show that objects were created"})
	}
}

// compareEvents reports facts that lag behind the events, and events that are missing.
func (c *checker) compareEvents() {
	proven := c.facts
	install.ApplyEvents(c.events, &proven)
	if proven.BootstrapRemoved != c.facts.BootstrapRemoved || proven.Installed != c.facts.Installed || proven.Syn.Applied != c.facts.Syn.Applied {
		c.add(Finding{Check: "facts", Severity: Error, File: state.FactsFile, Repair: fromFolder,
			Text: "the events have completed steps that the facts lack"})
	}
	if len(c.events) == 0 && !c.facts.Installed.IsZero() {
		c.add(Finding{Check: "events", Severity: Error, File: state.EventsFile, Repair: FromNone,
			Text: "the events are missing: status and replay have nothing to show; no run depends on them", Next: "restore the file from a backup, or run install again, which writes new ones"})
	}
}

// checkObjects reports objects that were created according to the events but are missing from the journal.
func (c *checker) checkObjects() {
	if len(c.journal.Entries) == 0 {
		return // already reported as a whole
	}
	known := map[string]bool{}
	for _, entry := range c.journal.Entries {
		known[entry.ID] = true
	}
	for _, e := range c.events {
		made := e.Action == string(state.Created) || e.Action == string(state.Adopted)
		if e.Type == provisioner.TypeObject && made && e.ID != "" && !known[e.ID] {
			known[e.ID] = true
			c.add(Finding{Check: "journal", Severity: Error, File: state.JournalFile, Repair: FromCloud,
				Text: "the events say that " + e.Kind + " " + e.Name + " was created, but the journal does not: lines are missing"})
		}
	}
}

// computeFacts returns the facts that the folder alone proves: from the answers, the generated files and the events. Of the
// damaged facts it takes only what has no other source.
func (c *checker) computeFacts() state.Facts {
	facts := c.facts
	if c.damaged {
		proven := state.Facts{
			Rehearsal: facts.Rehearsal, ReleaseImage: facts.ReleaseImage, ConsoleURL: facts.ConsoleURL, CurrentVersion: facts.CurrentVersion,
			SkippedChecks: facts.SkippedChecks, RouterProtocol: facts.RouterProtocol, Syn: facts.Syn,
		}
		install.ApplyEvents(c.events, &proven)
		proven.BootstrapRemoved = selectNonZero(proven.BootstrapRemoved, facts.BootstrapRemoved)
		proven.Installed = selectNonZero(proven.Installed, facts.Installed)
		proven.Destroyed = selectNonZero(c.findTeardownTime(), facts.Destroyed)
		facts = proven
	}
	facts.ClusterID, facts.Zone = c.spec.Cluster.ID, c.spec.Exoscale.Zone
	facts.OpenShiftAsked = cmp.Or(facts.OpenShiftAsked, c.spec.OpenShift.Version)
	if c.generated {
		facts.OpenShiftVersion = cmp.Or(c.version, facts.OpenShiftVersion)
		facts.InfraID, facts.RootCAHash = c.generation.InfraID, c.generation.RootCAHash
		facts.IgnitionCreated, facts.IgnitionExpires = c.generation.Created, c.generation.Expires
		if c.spec.Syn.LieutenantURL != "" {
			facts.Syn.ClusterUUID, facts.Syn.IgnitionCA = c.generation.ClusterID, string(c.generation.RootCA)
		}
	}
	install.ApplyEvents(c.events, &facts)
	if facts.BootstrapRemoved.IsZero() && c.generated && c.generation.Bootstrap == nil {
		facts.BootstrapRemoved = c.findStripTime()
	}
	return facts
}

func selectNonZero(first, second time.Time) time.Time {
	if first.IsZero() {
		return second
	}
	return first
}

// findTeardownTime returns the zero time if no teardown has completed.
func (c *checker) findTeardownTime() time.Time {
	content, _ := c.folder.Read(state.TeardownFile)
	var ended time.Time
	for line := range bytes.Lines(content) {
		e, _ := parseEvent(line)
		if e.Type == provisioner.TypeRun && e.State == provisioner.Finished && e.Result == "ok" {
			ended = e.Time.UTC().Truncate(time.Second)
		}
	}
	return ended
}

// findStripTime returns when the bootstrap's keys were removed, which is after the bootstrap's end.
func (c *checker) findStripTime() time.Time {
	info, err := os.Stat(c.folder.Path(state.InstallDir, "generation.json"))
	if err != nil {
		return time.Now().UTC().Truncate(time.Second)
	}
	return info.ModTime().UTC().Truncate(time.Second)
}

// checkKeys reports keys that are no longer needed. A run in progress removes them itself.
func (c *checker) checkKeys() error {
	if c.report.Busy {
		return nil
	}
	if !c.facts.Destroyed.IsZero() && !c.damaged {
		names, err := c.folder.ListKeys()
		for _, name := range names {
			c.add(Finding{Check: "keys", Severity: Error, File: name, Repair: fromFolder, Text: "it has keys of a destroyed cluster"})
		}
		return err
	}
	if err := c.checkMissingKeys(); err != nil || c.facts.BootstrapRemoved.IsZero() {
		return err
	}
	names, err := c.folder.ListOldGenerations()
	for _, name := range generation.ListBootstrapSecrets(c.spec) {
		if _, err := os.Lstat(c.folder.Path(name)); err == nil {
			names = append(names, name)
		}
	}
	for _, name := range names {
		c.add(Finding{Check: "keys", Severity: Error, File: name, Repair: fromFolder, Text: "it has keys that are not needed after the bootstrap"})
	}
	return err
}

// checkMissingKeys reports API keys whose secrets are nowhere: a cluster with Project Syn has them in Vault.
func (c *checker) checkMissingKeys() error {
	if !c.answered || c.spec.Syn.LieutenantURL != "" {
		return nil
	}
	seen := map[string]bool{}
	for _, entry := range c.journal.Entries {
		if entry.Kind != state.KindAPIKey || entry.Action != state.Created || seen[entry.Name] {
			continue
		}
		seen[entry.Name] = true
		file := state.FormatKeyFile(entry.Name)
		if _, err := os.Lstat(c.folder.Path(file)); errors.Is(err, fs.ErrNotExist) {
			c.add(Finding{Check: "keys", Severity: Error, File: file, Repair: FromNone,
				Text: "the secret of the API key is missing, and Exoscale shows it only once", Next: "restore the file from a backup; without one, run install again: it says how to have the key replaced"})
		} else if err != nil {
			return err
		}
	}
	return nil
}
