package verify

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

func (c *checker) checkJournal() error {
	record, err := c.folder.ReadJournal()
	if err != nil {
		c.reportUnreadable("journal", state.JournalFile, err)
		return nil
	}
	c.journal, c.report.Entries = record, len(record.Entries)
	for _, damage := range record.Damage {
		c.add(Finding{Check: "journal", Severity: Error, File: state.JournalFile, Line: damage.Line, Repair: FromCloud,
			Text: damage.String() + "; its data about the cloud can be restored from there"})
	}
	if record.Earlier > 0 {
		c.add(Finding{Check: "journal", Severity: Note, File: state.JournalFile, Repair: FromNone,
			Text: fmt.Sprintf("%d lines have no checksum: they were written by an earlier version", record.Earlier)})
	}
	if c.report.Busy {
		return nil
	}
	for _, intent := range record.Open() {
		c.add(Finding{Check: "journal", Severity: Note, File: state.JournalFile, Repair: FromCloud,
			Text: fmt.Sprintf("the result of %s %s is not known: the run was killed, or the response was lost; the next run looks it up", intent.Kind, intent.Name)})
	}
	return nil
}

// checkEvents checks the sequence numbers, too: they start at 1 in each run.
func (c *checker) checkEvents() error {
	content, err := c.folder.Read(state.EventsFile)
	if c.reportUnreadable("events", state.EventsFile, err) {
		return nil
	}
	line, last, unread := 0, 0, 0
	for text := range bytes.Lines(content) {
		line++
		e, whole := parseEvent(text)
		if !whole {
			if text = bytes.TrimSpace(text); len(text) > 0 && !c.report.Busy {
				unread++
				c.add(Finding{Check: "events", Severity: Error, File: state.EventsFile, Line: line, Repair: fromFolder,
					Text: "this line is not an event: a run was killed while writing it, or the disk is damaged; no run depends on it"})
			}
			continue
		}
		if e.Seq != 1 && e.Seq > last+1+unread {
			c.add(Finding{Check: "events", Severity: Note, File: state.EventsFile, Line: line, Repair: FromNone,
				Text: "events are missing before this line; no run depends on them, and status and replay show the rest"})
		}
		last, unread = e.Seq, 0
		c.events = append(c.events, e)
	}
	c.report.Events = len(c.events)
	return nil
}

func parseEvent(line []byte) (provisioner.Event, bool) {
	var e provisioner.Event
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.Type != ""
}

// rewriteEvents keeps the valid lines, and a copy of the damaged file under another name.
func rewriteEvents(folder state.Folder, suffix string) error {
	content, err := folder.Read(state.EventsFile)
	if err != nil {
		return err
	}
	var whole []byte
	for line := range bytes.Lines(content) {
		if _, event := parseEvent(line); event {
			whole = append(append(whole, bytes.TrimSpace(line)...), '\n')
		}
	}
	if err := folder.Write(state.EventsFile+suffix, content); err != nil {
		return err
	}
	return folder.Write(state.EventsFile, whole)
}

func (c *checker) checkAnswers() error {
	content, err := c.folder.Read(state.AnswersFile)
	if c.reportUnreadable("answers", state.AnswersFile, err) {
		return nil
	}
	spec, faults := answersfile.Parse(c.folder.Path(state.AnswersFile), content)
	if len(faults) > 0 {
		c.add(Finding{Check: "answers", Severity: Error, File: state.AnswersFile, Line: faults[0].Line, Repair: FromNone,
			Text: "they cannot be read: " + faults[0].String(),
			Next: "restore them from a backup, or from the latest answers-N.yaml"})
		return nil
	}
	c.spec, c.answered = spec, true
	return nil
}

func (c *checker) checkCopies() error {
	sums, err := c.folder.Read(state.SumsFile)
	if unread := c.reportUnreadable("answers", state.SumsFile, err); unread && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var summed []string
	defer func() { c.checkUnsummed(summed) }()
	line := 0
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		line++
		hash, name, found := strings.Cut(lines.Text(), "  ")
		if !found || len(hash) != hex.EncodedLen(sha256.Size) {
			c.add(Finding{Check: "answers", Severity: Error, File: state.SumsFile, Line: line, Repair: FromNone,
				Text: "this line is not a checksum, so its copy cannot be verified", Next: "delete the line; no run uses it"})
			continue
		}
		summed = append(summed, name)
		content, err := c.folder.Read(name)
		sum := sha256.Sum256(content)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.add(Finding{Check: "answers", Severity: Error, File: name, Repair: FromNone,
				Text: "this copy of earlier answers is missing; the answers in force are not affected", Next: "restore it from a backup, or delete its line from " + state.SumsFile})
		case err == nil && hex.EncodeToString(sum[:]) != hash:
			c.add(Finding{Check: "answers", Severity: Error, File: name, Repair: FromNone,
				Text: "this copy of earlier answers was changed; the answers in force are not affected", Next: "restore it from a backup, or delete its line from " + state.SumsFile})
		case err != nil:
			c.reportUnreadable("answers", name, err)
		}
	}
	return nil
}

// checkContents checks the files that no other check reads: that there is a file at all where one is expected, and that what runs
// read of them can be read.
func (c *checker) checkContents() error {
	if err := c.checkTypes(); err != nil {
		return err
	}
	for _, name := range state.ListAPIKeyFiles(c.folder) {
		if content, readable := c.readContent("keys", name); readable && !isAPIKey(content) {
			c.add(Finding{Check: "keys", Severity: Error, File: name, Repair: FromNone, Text: "it holds no API key with its secret, which is nowhere else",
				Next: "restore it from a backup; or remove it, and follow what exoshift plan says about the key"})
		}
	}
	for _, machine := range c.spec.Machines(state.RoleLoadBalancer) {
		c.readContent("generation", state.FormatUserDataFile(machine.Name))
	}
	var remembered []destroy.Found
	if content, readable := c.readContent("inventory", destroy.InventoryFile); readable && json.Unmarshal(content, &remembered) != nil {
		c.add(Finding{Check: "inventory", Severity: Error, File: destroy.InventoryFile, Repair: FromNone,
			Text: "it cannot be read: without it nothing proves that volumes and load balancers of the cluster that are left are its own",
			Next: "restore it from a backup; or remove it, after which a teardown keeps and lists these objects"})
	}
	return nil
}

// readContent reports a file that is there and cannot be read.
func (c *checker) readContent(check, name string) (content []byte, readable bool) {
	content, err := c.folder.Read(name)
	return content, !c.reportUnreadable(check, name, err)
}

func isAPIKey(content []byte) bool {
	var key struct{ Key, Secret string }
	return json.Unmarshal(content, &key) == nil && key.Key != "" && key.Secret != ""
}

// checkTypes finds what is neither a file nor a folder: whoever opens a pipe waits for its other end.
func (c *checker) checkTypes() error {
	err := filepath.WalkDir(c.folder.Path(), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // a running installation has removed it, or its mode is reported
		}
		if err != nil || entry.IsDir() || entry.Type().IsRegular() || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(c.folder.Path(), path)
		c.add(Finding{Check: "contents", Severity: Error, File: name, Repair: FromNone, Text: "it cannot be read: " + fileread.CheckRegular(path, info).Error(), Next: "remove it, and put the file back from a backup"})
		return err
	})
	if err != nil {
		return fmt.Errorf("check the files in %s: %w", c.folder.Path(), err)
	}
	return nil
}

// checkUnsummed finds copies of given answers that have no checksum, so that nothing shows whether they were changed.
func (c *checker) checkUnsummed(summed []string) {
	copies, _ := fs.Glob(os.DirFS(c.folder.Path()), "answers-*.yaml") // the pattern is valid
	for _, name := range copies {
		if !slices.Contains(summed, name) && isNumbered(name) {
			c.add(Finding{Check: "answers", Severity: Note, File: name, Repair: FromNone,
				Text: "this copy of given answers has no checksum in " + state.SumsFile + ", so that it cannot be verified; no run needs it"})
		}
	}
}

func isNumbered(name string) bool {
	number := strings.TrimSuffix(strings.TrimPrefix(name, "answers-"), ".yaml")
	return number != "" && strings.Trim(number, "0123456789") == ""
}
