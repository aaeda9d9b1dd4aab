package lieutenant

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

// idPattern is what follows the prefix of an ID.
var idPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// checkID refuses an ID that Lieutenant would change or reject: it adds the prefix to one that lacks it, and creates a Kubernetes
// object of that name.
func checkID(op, field, id, prefix string) error {
	rest, has := strings.CutPrefix(id, prefix)
	if len(id) <= 63 && has && idPattern.MatchString(rest) {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "invalid ID").WithField(field).
		WithHint("use at most 63 lowercase letters, digits and hyphens, starting with %s, e.g. %sdemo-1234", prefix, prefix)
}
