package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var errChecksum = errors.New("its content does not match its checksum")

// A JSON object whose last field is the checksum of everything before it.
var checksumPattern = regexp.MustCompile(`(?s)^(.*),\s*"sum":\s*"([0-9a-f]{16})"\s*}\s*$`)

func appendChecksum(object []byte, separator, end string) []byte {
	body := bytes.TrimSuffix(object, []byte(end))
	return fmt.Appendf(nil, `%s,%s"sum":%s"%s"%s`, body, separator, formatPadding(separator), computeChecksum(body), end)
}

func formatPadding(separator string) string {
	if separator == "" {
		return ""
	}
	return " "
}

// HasChecksum reports whether a file that holds a JSON object has its own checksum; those of earlier versions have none.
func HasChecksum(object []byte) bool {
	has, _ := verifyChecksum(object)
	return has
}

func verifyChecksum(object []byte) (bool, error) {
	var field struct {
		Sum *string `json:"sum"`
	}
	if err := json.Unmarshal(object, &field); err != nil {
		return false, err
	}
	if field.Sum == nil {
		return false, nil
	}
	match := checksumPattern.FindSubmatch(object)
	if match == nil || computeChecksum(match[1]) != string(match[2]) {
		return true, errChecksum
	}
	return true, nil
}

// The checksum is short: it detects damage, not forgery.
func computeChecksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// RestoreChecksums returns a copy of a record with the checksums of its new content. Values in it were replaced since before: a JSON
// object, or one in each line. What did not match its checksum before does not match afterwards either.
func RestoreChecksums(before, after []byte) []byte {
	if restored, ok := restoreChecksum(before, after); ok {
		return restored
	}
	old, lines := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	if len(old) != len(lines) {
		return after
	}
	for i := range lines {
		lines[i], _ = restoreChecksum(old[i], lines[i])
	}
	return bytes.Join(lines, []byte("\n"))
}

// restoreChecksum returns after as it is, and false, if there is no checksum to restore.
func restoreChecksum(before, after []byte) ([]byte, bool) {
	if has, err := verifyChecksum(before); !has || err != nil {
		return after, false
	}
	match := checksumPattern.FindSubmatchIndex(after)
	if match == nil {
		return after, false
	}
	return slices.Concat(after[:match[4]], []byte(computeChecksum(after[match[2]:match[3]])), after[match[5]:]), true
}

// DamageError reports an unreliable file of the folder. Its text includes the fix.
type DamageError struct {
	Dir, File string
	Err       error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s in %s is damaged: %v; to see what can be rebuilt: exoshift verify --dir %s; to rebuild it, add --repair", e.File, e.Dir, e.Err, e.Dir)
}

func (e *DamageError) Unwrap() error { return e.Err }
