package install

import (
	"slices"

	"exoshift/internal/fault"
)

// Answers that failures of the preflight are about.
const (
	apiKeyField  = "exoscale.apiKey"
	zoneField    = "exoscale.zone"
	versionField = "openshift.version"
)

// blame names the answer that has to change in a failure of one of these kinds, unless it names one itself.
func blame(err error, field string, kinds ...fault.Kind) error {
	failure, plain := err.(*fault.Error) //nolint:errorlint // what is wrapped keeps its words
	if !plain || fault.FieldOf(err) != "" || !slices.Contains(kinds, failure.Kind) {
		return err
	}
	return failure.About(field)
}
