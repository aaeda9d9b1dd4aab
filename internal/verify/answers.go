package verify

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
)

func (c *checker) checkAnswers() error {
	content, err := c.folder.Read(state.AnswersFile)
	if c.reportUnreadable("answers", state.AnswersFile, err) {
		return nil
	}
	spec, faults := wizard.Parse(c.folder.Path(state.AnswersFile), content)
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
