package zoneimage

import (
	"encoding/hex"
	"encoding/json"
	"errors"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// task is the input of the machine. Its links are secrets: whoever has them can write these objects for an hour.
type task struct {
	Image       state.BootImage   `json:"image"`
	PartSize    int               `json:"partSize"` // bytes
	Parts       objects.PartLinks `json:"parts"`
	Progress    string            `json:"progress"` // link to write a progressLine by
	Proxy       proxySettings     `json:"proxy,omitzero"`
	Authorities string            `json:"authorities,omitempty"` // PEM, beside those that the machine trusts
}

type proxySettings struct {
	HTTP    string `json:"http,omitempty"`
	HTTPS   string `json:"https,omitempty"`
	NoProxy string `json:"noProxy,omitempty"`
}

// report is the output of the machine.
type report struct {
	MD5     string         `json:"md5,omitempty"` // of the whole, hex
	Parts   []objects.Part `json:"parts,omitempty"`
	Failure *failure       `json:"failure,omitempty"`
}

// failure is a fault.Error on its way; both programs are of one build, so a kind means the same in both.
type failure struct {
	Kind fault.Kind `json:"kind"`
	Text string     `json:"text"`
	Hint string     `json:"hint,omitempty"`
}

type progressLine struct {
	Text string `json:"text"`
}

const (
	maxProgress     = 4 << 10 // bytes of a progressLine
	maxProgressText = 300     // characters
	maxFailureText  = 1000
)

func newFailure(err error) *failure {
	return &failure{Kind: fault.KindOf(err), Text: err.Error(), Hint: fault.HintOf(err)}
}

// toError is never Cancelled, which is what happened to this program, and not there.
func (f failure) toError() error {
	kind := f.Kind
	if kind < fault.Internal || kind >= fault.Cancelled {
		kind = fault.Internal
	}
	return fault.New(kind, "copy the image in the zone", errors.New(text.Sanitize(f.Text, text.WithLimit(maxFailureText)))).
		WithHint("%s", text.Sanitize(f.Hint, text.WithLimit(maxFailureText)))
}

// parseReport returns what the machine did, or the error of its report.
func parseReport(content []byte, most int) (done report, err error) {
	const op = "read the report of the machine that copies the image"
	if err := json.Unmarshal(content, &done); err != nil {
		return report{}, fault.New(fault.Internal, op, err).WithHint("run again, or omit --image-from zone")
	}
	if done.Failure != nil {
		return report{}, done.Failure.toError()
	}
	sum, err := hex.DecodeString(done.MD5)
	if err != nil || len(sum) != 16 || len(done.Parts) == 0 || len(done.Parts) > most {
		return report{}, fault.Newf(fault.Internal, op, "it has no checksum, or %d parts", len(done.Parts)).
			WithHint("run again, or omit --image-from zone")
	}
	return done, nil
}
