package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// proof is what the last run in a zone has shown.
type proof struct {
	Time     time.Time `json:"time"`
	Verdicts []Verdict `json:"verdicts"`
}

// SaveProof keeps the verdicts of a run in a real zone, below the folder of the runs' records.
func SaveProof(dir, zone string, now time.Time, verdicts []Verdict) error {
	content, err := json.MarshalIndent(proof{now.UTC(), verdicts}, "", " ")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(proofPath(dir, zone), content, 0o600)
	}
	if err != nil {
		return fault.New(fault.Internal, "record the results of zone "+zone, err).WithHint("check that %s is writable", dir)
	}
	return nil
}

// LoadProof returns when the last run in a zone has shown that it keeps an assumption; false: none has.
func LoadProof(dir, zone, id string) (shown time.Time, proven bool) {
	content, err := fileread.Text(proofPath(dir, zone), fileread.Small)
	var last proof
	if err != nil || json.Unmarshal(content, &last) != nil {
		return shown, false
	}
	return last.Time, slices.ContainsFunc(last.Verdicts, func(v Verdict) bool { return v.ID == id && v.OK })
}

func proofPath(dir, zone string) string { return filepath.Join(dir, filepath.Base(zone)+".json") }
