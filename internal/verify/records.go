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
	"strings"

	"exoshift/provisioner"
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
			Text: damage.String() + "; what it says about the cloud can be looked up there"})
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
			Text: fmt.Sprintf("it is not known what came of %s %s: the run was killed, or the answer got lost; the next run looks it up", intent.Kind, intent.Name)})
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
				c.add(Finding{Check: "events", Severity: Error, File: state.EventsFile, Line: line, Repair: FromFolder,
					Text: "this line is no event: a run was killed while it wrote it, or the disk is damaged; no run depends on it"})
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
			Next: "put them back from a backup, or from the latest answers-N.yaml, which holds what was given"})
		return nil
	}
	c.spec, c.answered = spec, true
	return nil
}

func (c *checker) checkCopies() error {
	sums, err := c.folder.Read(state.SumsFile)
	if c.reportUnreadable("answers", state.SumsFile, err) {
		return nil
	}
	line := 0
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		line++
		hash, name, found := strings.Cut(lines.Text(), "  ")
		if !found || len(hash) != hex.EncodedLen(sha256.Size) {
			c.add(Finding{Check: "answers", Severity: Error, File: state.SumsFile, Line: line, Repair: FromNone,
				Text: "this line is no checksum, so the copy that it is of cannot be verified", Next: "delete the line; no run needs it"})
			continue
		}
		content, err := c.folder.Read(name)
		sum := sha256.Sum256(content)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.add(Finding{Check: "answers", Severity: Error, File: name, Repair: FromNone,
				Text: "this copy of given answers is gone; the answers in force are not affected", Next: "put it back from a backup, or delete its line from " + state.SumsFile})
		case err == nil && hex.EncodeToString(sum[:]) != hash:
			c.add(Finding{Check: "answers", Severity: Error, File: name, Repair: FromNone,
				Text: "this copy of given answers was changed since; the answers in force are not affected", Next: "put it back from a backup, or delete its line from " + state.SumsFile})
		case err != nil:
			c.reportUnreadable("answers", name, err)
		}
	}
	return nil
}
