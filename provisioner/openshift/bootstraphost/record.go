package bootstraphost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/state"
)

type recordEntry struct {
	Timestamp    time.Time `json:"timestamp"`
	Phase        string    `json:"phase"`
	Stage        string    `json:"stage"`
	Result       string    `json:"result"`
	ErrorLine    string    `json:"errorLine"`
	ErrorMessage string    `json:"errorMessage"`
	PreCommand   string    `json:"preCommand"`
	PostCommand  string    `json:"postCommand"`
}

// Limits of parsing: the machine has half a dozen such services, of at most thirty stages each.
const (
	maxServices = 32
	maxStages   = 100
)

// parseRecords parses the output of tail: "==> PATH <==" before each file, an empty line after it. It skips a file that is being
// written and therefore incomplete.
func parseRecords(printed []byte) []state.ServiceRecord {
	var records []state.ServiceRecord
	var name string
	var content bytes.Buffer
	take := func() {
		var entries []recordEntry
		if name != "" && len(records) < maxServices && json.Unmarshal(content.Bytes(), &entries) == nil {
			records = append(records, buildRecord(name, entries))
		}
		content.Reset()
	}
	for line := range bytes.Lines(printed) {
		if next, header := parseFileHeader(string(line)); header {
			take()
			name = next
			continue
		}
		content.Write(line)
	}
	take()
	stable.Sort(records, func(a, b state.ServiceRecord) int { return strings.Compare(a.Service, b.Service) })
	return records
}

// parseFileHeader is unambiguous: no line of JSON begins like a header.
func parseFileHeader(line string) (string, bool) {
	file, ok := strings.CutPrefix(strings.TrimSpace(line), "==> ")
	if !ok {
		return "", false
	}
	file, ok = strings.CutSuffix(file, " <==")
	return sanitizeLine(strings.TrimSuffix(path.Base(file), ".json")), ok
}

// buildRecord keeps stages as ended that succeeded before the service was restarted: it does not repeat them.
func buildRecord(service string, entries []recordEntry) state.ServiceRecord {
	record := state.ServiceRecord{Service: service}
	for _, e := range entries {
		switch e.Phase {
		case "service start":
			record.Starts++
			record.Stage, record.Failure, record.Done, record.Since = "", "", false, e.Timestamp
		case "stage start":
			record.Stage, record.Since = sanitizeLine(e.Stage), e.Timestamp
		case "stage end", "service end", "pre-command end", "post-command end":
			e.applyEnd(&record)
		}
	}
	return record
}

func (e recordEntry) applyEnd(record *state.ServiceRecord) {
	failed := e.Result == "failure"
	switch {
	case failed:
		record.Failure = e.describeFailure(record.Failure)
	case e.Phase == "stage end" && len(record.Finished) < maxStages && !slices.Contains(record.Finished, sanitizeLine(e.Stage)):
		record.Finished = append(record.Finished, sanitizeLine(e.Stage))
	}
	switch e.Phase {
	case "stage end":
		record.Stage = ""
		if !failed {
			record.Failure = ""
		}
	case "service end":
		record.Stage, record.Since, record.Done = "", e.Timestamp, !failed
	}
}

func (e recordEntry) describeFailure(before string) string {
	message := sanitizeLine(cmp.Or(e.ErrorMessage, e.ErrorLine))
	where := sanitizeLine(cmp.Or(e.Stage, e.PreCommand, e.PostCommand))
	switch {
	case message == "" && before != "":
		return before
	case message == "":
		message = "it failed"
	}
	if where != "" {
		return where + ": " + message
	}
	return message
}
