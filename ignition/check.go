package ignition

import (
	"errors"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_2"

	"exoshift/internal/fault"
)

// Check parses a foreign document by Ignition's own library. What a machine would refuse is a fault.Invalid; warnings are
// ignored, since the document is not ours. The error does not quote the document.
func Check(document []byte) error {
	const op = "check an Ignition document"
	_, report, err := v3_2.ParseCompatibleVersion(document)
	if report.IsFatal() {
		err = errors.New(strings.ReplaceAll(strings.TrimSpace(report.String()), "\n", "; "))
	}
	if err != nil {
		return fault.Newf(fault.Invalid, op, "Ignition rejects it: %w", err).
			WithHint("the machine would not boot with it; do not modify the generated files")
	}
	return nil
}
