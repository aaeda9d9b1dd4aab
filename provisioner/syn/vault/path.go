package vault

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

// segment is one part of a path; "." and ".." would lead elsewhere.
var segment = regexp.MustCompile(`^[A-Za-z0-9_.~@+=:-]{1,255}$`)

func checkPath(op, path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." || !segment.MatchString(part) {
			return fault.Newf(fault.Invalid, op, "%q is not the path of a secret, like t-demo/c-demo/registry", clean(path))
		}
	}
	return nil
}
