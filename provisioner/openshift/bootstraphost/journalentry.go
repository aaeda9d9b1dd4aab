package bootstraphost

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"exoshift/state"
)

type journalEntry struct {
	Cursor   string          `json:"__CURSOR"`
	Realtime string          `json:"__REALTIME_TIMESTAMP"` // microseconds since 1970
	Unit     string          `json:"_SYSTEMD_UNIT"`
	Message  json.RawMessage `json:"MESSAGE"` // a string, an array of bytes if it is not text, or null if it is too long
}

func parseEntry(line []byte) (journalEntry, bool) {
	var read journalEntry
	err := json.Unmarshal(line, &read)
	return read, err == nil && read.Cursor != ""
}

// klogInfo matches klog's lines of severity "info", which the healthy kubelet writes in great numbers.
var klogInfo = regexp.MustCompile(`^I\d{4} \d\d:\d\d:\d\d`)

// toLine returns false for entries that are not worth showing.
func (e journalEntry) toLine() (state.JournalLine, bool) {
	text := sanitizeLine(e.decodeMessage())
	microseconds, _ := strconv.ParseInt(e.Realtime, 10, 64)
	line := state.JournalLine{At: time.UnixMicro(microseconds).UTC(), Unit: sanitizeLine(e.Unit), Text: text}
	return line, text != "" && (e.Unit != "kubelet.service" || !klogInfo.MatchString(text))
}

func (e journalEntry) decodeMessage() string {
	var text string
	if json.Unmarshal(e.Message, &text) == nil {
		return text
	}
	var numbers []uint16
	if json.Unmarshal(e.Message, &numbers) != nil {
		return ""
	}
	raw := make([]byte, len(numbers))
	for n, number := range numbers {
		raw[n] = byte(number)
	}
	return string(raw)
}
