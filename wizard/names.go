package wizard

import (
	"fmt"
	"strings"
	"unicode"

	"exoshift/state"
	"exoshift/wizard/label"
	"exoshift/wizard/recognize"
)

// The longest bucket name, <id>-image-registry, may have 63 characters.
const maxID = 48

func validateLabel(length int) rule {
	allowed := fmt.Sprintf("lowercase letters, digits and hyphens; starts and ends with a letter or digit; at most %d characters", length)
	return func(value string) []Problem {
		if label.IsDNS(value) && len(value) <= length {
			return nil
		}
		return NewProblem(Quote(value)+" is not a valid DNS label"+checkLength(value, length), allowed, toLabel(value, length))
	}
}

func checkLength(value string, length int) string {
	if len(value) <= length {
		return ""
	}
	return fmt.Sprintf(" (%d characters)", len(value))
}

func toLabel(value string, length int) string {
	mended := strings.NewReplacer("_", "-", ".", "-", " ", "-").Replace(strings.ToLower(value))
	if mended == value || !label.IsDNS(mended) || len(mended) > length {
		return ""
	}
	return mended
}

func validateClusterLabel(item string) []Problem {
	if problem, allowed := label.Check(item); problem != "" {
		return NewProblem(problem, allowed, "")
	}
	return nil
}

func validateDomain(value string) []Problem {
	if label.IsDomain(value) {
		return nil
	}
	return NewProblem(Quote(value)+" is not a valid domain", "DNS labels separated by dots, lowercase, without a trailing dot", recognize.Domain(value, label.IsDomain))
}

// ValidatePrintable refuses control characters.
func ValidatePrintable(value string) []Problem {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return NewProblem("contains control characters", "one line of text", "")
	}
	return nil
}

func checkClusterDomain(spec state.Spec) []Problem {
	if n := len(spec.Domain()); n > label.MaxDomain && label.IsDomain(spec.Cluster.BaseDomain) {
		return WithField("cluster.baseDomain", NewProblem(fmt.Sprintf("the cluster domain <id>.<baseDomain> has %d characters", n),
			fmt.Sprintf("at most %d characters", label.MaxDomain), ""))
	}
	return nil
}
