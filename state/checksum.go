package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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

// DamageError reports an unreliable file of the folder. Its text includes the fix.
type DamageError struct {
	Dir, File string
	Err       error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s in %s is damaged: %v; see what can be rebuilt: exoshift verify --dir %s, and rebuild it: add --repair", e.File, e.Dir, e.Err, e.Dir)
}

func (e *DamageError) Unwrap() error { return e.Err }
