package inside

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"exoshift/state"
)

// entry is one entry of a service's record, as bootstrap-service-record.sh writes it.
type entry struct {
	Timestamp    time.Time `json:"timestamp"`
	Phase        string    `json:"phase"`
	Stage        string    `json:"stage"`
	Result       string    `json:"result"`
	ErrorLine    string    `json:"errorLine"`
	ErrorMessage string    `json:"errorMessage"`
	PreCommand   string    `json:"preCommand"`
	PostCommand  string    `json:"postCommand"`
}

// Bounds of what is believed: the machine has half a dozen such services, of at most thirty stages each.
const (
	mostServices = 32
	mostStages   = 100
)

// parseRecords reads what tail prints: "==> PATH <==" before each file, an empty line after it. A file that is just being
// written, and so is not whole, is left out.
func parseRecords(printed []byte) []state.ServiceRecord {
	var records []state.ServiceRecord
	var name string
	var content bytes.Buffer
	take := func() {
		var entries []entry
		if name != "" && len(records) < mostServices && json.Unmarshal(content.Bytes(), &entries) == nil {
			records = append(records, sum(name, entries))
		}
		content.Reset()
	}
	for line := range bytes.Lines(printed) {
		if next, header := fileName(string(line)); header {
			take()
			name = next
			continue
		}
		content.Write(line)
	}
	take()
	slices.SortFunc(records, func(a, b state.ServiceRecord) int { return strings.Compare(a.Service, b.Service) })
	return records
}

// fileName returns the name of a service if a line is the header of its file. No line of JSON begins like one.
func fileName(line string) (string, bool) {
	file, ok := strings.CutPrefix(strings.TrimSpace(line), "==> ")
	if !ok {
		return "", false
	}
	file, ok = strings.CutSuffix(file, " <==")
	return oneLine(strings.TrimSuffix(path.Base(file), ".json")), ok
}

// sum puts a service's record together. Stages that have ended well stay so when the service is started again: it does
// not repeat them.
func sum(service string, entries []entry) state.ServiceRecord {
	record := state.ServiceRecord{Service: service}
	for _, e := range entries {
		switch e.Phase {
		case "service start":
			record.Starts++
			record.Stage, record.Failure, record.Done, record.Since = "", "", false, e.Timestamp
		case "stage start":
			record.Stage, record.Since = oneLine(e.Stage), e.Timestamp
		case "stage end", "service end", "pre-command end", "post-command end":
			e.end(&record)
		}
	}
	return record
}

// end notes that something is over.
func (e entry) end(record *state.ServiceRecord) {
	failed := e.Result == "failure"
	switch {
	case failed:
		record.Failure = e.failure(record.Failure)
	case e.Phase == "stage end" && len(record.Finished) < mostStages && !slices.Contains(record.Finished, oneLine(e.Stage)):
		record.Finished = append(record.Finished, oneLine(e.Stage))
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

// failure says what went wrong in one line. The end of a service that says nothing repeats what its stage said.
func (e entry) failure(before string) string {
	message := oneLine(cmp.Or(e.ErrorMessage, e.ErrorLine))
	where := oneLine(cmp.Or(e.Stage, e.PreCommand, e.PostCommand))
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
