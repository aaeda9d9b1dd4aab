package ignition

import (
	"errors"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_2"

	"exoshift/internal/fault"
)

// Check has the library that the machines themselves use read a document that somebody else wrote. What a machine would
// refuse is a fault.Invalid; mere warnings are the writer's to answer for. The error tells nothing of the contents.
func Check(document []byte) error {
	const op = "check an Ignition document"
	_, report, err := v3_2.ParseCompatibleVersion(document)
	if report.IsFatal() {
		err = errors.New(strings.ReplaceAll(strings.TrimSpace(report.String()), "\n", "; "))
	}
	if err != nil {
		return fault.Newf(fault.Invalid, op, "Ignition refuses it: %w", err).
			WithHint("the machine would not boot from it; do not use a generation that was changed by hand")
	}
	return nil
}
