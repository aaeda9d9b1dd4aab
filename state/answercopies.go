package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// SumsFile lists the copies of given answers with their SHA-256, as sha256sum -c reads it.
const SumsFile = "answers.sha256"

// KeepAnswers keeps a numbered copy of answers under the next free name (answers-1.yaml, ...), unless they equal the last
// copy.
func (f Folder) KeepAnswers(given []byte) error {
	sums, err := f.Read(SumsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep the answers: %w", err)
	}
	sum := sha256.Sum256(given)
	hash := hex.EncodeToString(sum[:])
	lines := strings.Fields(string(sums)) // <hash> <name> <hash> <name> ...
	if last := len(lines) - 2; last >= 0 && lines[last] == hash {
		return nil
	}
	name, err := f.findFreeCopy()
	if err != nil {
		return fmt.Errorf("keep the answers: %w", err)
	}
	if err := f.Write(name, given); err != nil {
		return err
	}
	return f.Write(SumsFile, append(bytes.TrimSpace(sums), []byte(newLine(sums)+hash+"  "+name+"\n")...))
}

func newLine(before []byte) string {
	if len(bytes.TrimSpace(before)) == 0 {
		return ""
	}
	return "\n"
}

// A copy that a killed process left without its line in SumsFile is not overwritten.
func (f Folder) findFreeCopy() (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("answers-%d.yaml", n)
		if _, err := os.Lstat(f.Path(name)); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		} else if err != nil {
			return "", err
		}
	}
}

// HasChanges reports whether a run may have changed cloud objects: the journal has an intent.
func (f Folder) HasChanges() (bool, error) {
	entries, err := f.ListEntries()
	return len(entries) > 0, err
}
