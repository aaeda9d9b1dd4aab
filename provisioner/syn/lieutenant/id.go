package lieutenant

import (
	"regexp"

	"exoshift/internal/fault"
)

// checkID refuses an ID that Lieutenant would not take as it is: it puts the prefix before one that lacks it, and makes
// an object of Kubernetes of that name.
func checkID(op, field, id, prefix string) error {
	if len(id) <= 63 && regexp.MustCompile(`^`+prefix+`[a-z0-9]([a-z0-9-]*[a-z0-9])?$`).MatchString(id) {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "the ID has the wrong form").WithField(field).
		WithHint("give an ID of at most 63 lower-case letters, digits and hyphens that starts with %s, as in %sdemo-1234", prefix, prefix)
}
