package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner/install"
	"exoshift/state"
)

// Repairer repairs what needs the cloud's API or the generated files.
type Repairer struct {
	Read ReadGeneration
	// Recover looks up in the cloud what is missing from the folder.
	Recover func(ctx context.Context, spec state.Spec, known state.Facts) (install.Recovered, error)
	// Strip removes from the generated files what is not needed after the bootstrap.
	Strip func(spec state.Spec) error
	Now   func() time.Time
}

// Repair checks a folder, which the caller has locked, repairs what can be repaired, and checks it again: only findings that
// are gone count as repaired. The report is valid even if an error is returned.
func (r Repairer) Repair(ctx context.Context, folder state.Folder) (Report, error) {
	before, err := check(folder, r.Read, false)
	if err != nil {
		return before.report, err
	}
	repaired := r.repair(ctx, before)
	after, err := check(folder, r.Read, false)
	if err = errors.Join(repaired, err); err != nil && len(after.report.Findings) == 0 {
		return before.report, err
	}
	left := map[Finding]bool{}
	for _, f := range after.report.Findings {
		left[f] = true
	}
	report := after.report
	for _, f := range before.report.Findings {
		if !left[f] && f.Repair != FromNone {
			f.Repaired = true
			report.Findings = append(report.Findings, f)
		}
	}
	report.Findings = append(report.Findings, before.unproven...)
	return report, err
}

func (r Repairer) repair(ctx context.Context, c *checker) error {
	if _, err := c.folder.RestoreModes(); err != nil {
		return err
	}
	suffix := r.Now().UTC().Format(".damaged-20060102T150405Z")
	if c.report.hasRepair("events", fromFolder) {
		if err := rewriteEvents(c.folder, suffix); err != nil {
			return fmt.Errorf("repair the events: %w", err)
		}
	}
	if err := r.rebuild(ctx, c, suffix); err != nil {
		return err
	}
	return r.removeKeys(c)
}

// rebuild rewrites facts and journal. Nothing is written before everything is known: incomplete facts would be worse than
// none.
func (r Repairer) rebuild(ctx context.Context, c *checker, suffix string) error {
	if !c.report.hasCloudRepair() {
		if c.report.hasRepair("facts", fromFolder) {
			return c.folder.SaveFacts(c.computeFacts())
		}
		return nil
	}
	if !c.answered {
		return fmt.Errorf("repair %s: the answers are required and cannot be read; restore %s first", c.folder.Path(), state.AnswersFile)
	}
	known := c.computeFacts()
	recovered := install.Recovered{Facts: known}
	var err error
	if known.Destroyed.IsZero() {
		recovered, err = r.Recover(ctx, c.spec, known)
	}
	if err != nil {
		return fmt.Errorf("restore the folder's data from the cloud: %w", err)
	}
	for _, u := range recovered.Unproven {
		c.unproven = append(c.unproven, Finding{Check: "facts", Severity: Error, File: state.FactsFile, Repair: FromNone,
			Text: "not proven, not adopted: " + u.Text, Next: u.Next})
	}
	if c.damaged {
		if err := saveCopy(c, state.FactsFile, suffix); err != nil {
			return err
		}
	}
	if err := c.folder.SaveFacts(recovered.Facts); err != nil {
		return err
	}
	return r.rebuildJournal(c, recovered, suffix)
}

func saveCopy(c *checker, name, suffix string) error {
	content, err := c.folder.Read(name)
	if err != nil {
		return nil //nolint:nilerr // missing or unreadable
	}
	return c.folder.Write(name+suffix, content)
}

// rebuildJournal drops damaged lines and records what exists: for intents without a result, and, where lines are missing, for
// every object that the journal lacks.
func (r Repairer) rebuildJournal(c *checker, found install.Recovered, suffix string) (err error) {
	if len(c.journal.Damage) > 0 {
		if _, err := c.folder.RewriteJournal(c.journal, suffix); err != nil {
			return err
		}
	}
	journal, err := c.folder.OpenJournal(r.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	return errors.Join(recordFound(c, journal, found.Objects), recordAbsent(c, journal, found.Existing))
}

func recordFound(c *checker, journal *state.Journal, objects []install.Change) error {
	known := map[[2]string]bool{}
	for _, entry := range c.journal.Entries {
		known[[2]string{entry.Kind, entry.Name}] = true
	}
	lost := c.report.hasErrors("journal")
	for _, object := range objects {
		claimed := lost && object.ID != "" && !known[[2]string{object.Kind, object.Name}] &&
			(object.Kind != state.KindTemplate || isCreated(c, object.ID)) // others may use an image, and a teardown deletes what the journal claims
		if claimed || journal.Open(object.Kind, object.Name) {
			if err := journal.RecordResult(object.Kind, object.Name, object.ID, state.Adopted); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordAbsent records the results of intents whose objects do not exist.
func recordAbsent(c *checker, journal *state.Journal, there []state.Object) error {
	for _, intent := range c.journal.Open() {
		if journal.Open(intent.Kind, intent.Name) && isAbsent(there, intent) {
			if err := journal.RecordResult(intent.Kind, intent.Name, "", resolveIntent(c.journal, intent)); err != nil {
				return err
			}
		}
	}
	return nil
}

// listKinds returns the kinds of objects that an installation creates and an inventory lists.
func listKinds() []string {
	return []string{
		state.KindSSHKey, state.KindSecurityGroup, state.KindAntiAffinityGroup, state.KindElasticIP, state.KindZone, state.KindTemplate,
		state.KindInstance, state.KindRole, state.KindAPIKey, state.KindBucket,
	}
}

// isAbsent reports whether the object of an intent does not exist according to a complete inventory. Objects in a bucket are
// deleted with it.
func isAbsent(there []state.Object, intent state.Entry) bool {
	kind, name := intent.Kind, intent.Name
	if bucket, _, inside := strings.Cut(name, "/"); inside && kind == "object" {
		kind, name = state.KindBucket, bucket
	}
	return len(there) > 0 && slices.Contains(listKinds(), kind) &&
		!slices.ContainsFunc(there, func(o state.Object) bool { return o.Kind == kind && (o.Name == name || o.ID == name) })
}

func resolveIntent(record state.JournalRecord, intent state.Entry) state.Action {
	made := slices.ContainsFunc(record.Entries, func(e state.Entry) bool {
		return e.Kind == intent.Kind && e.Name == intent.Name && (e.Action == state.Created || e.Action == state.Adopted)
	})
	if made {
		return state.Deleted
	}
	return state.Failed
}

func isCreated(c *checker, id string) bool {
	for _, e := range c.events {
		if e.ID == id && e.Action == string(state.Created) {
			return true
		}
	}
	return false
}

func (r Repairer) removeKeys(c *checker) error {
	switch {
	case !c.report.hasRepair("keys", fromFolder):
		return nil
	case !c.facts.Destroyed.IsZero():
		return c.folder.RemoveKeys()
	}
	return r.Strip(c.spec)
}
