package vault

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

// segmentPattern is one part of a path; "." and ".." would refer to other paths. It does not limit the length: a counted
// repetition would make compiling the expression noticeable at each start of the program.
var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9_.~@+=:-]+$`)

const maxSegment = 255 // bytes

func checkPath(op, path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." || len(part) > maxSegment || !segmentPattern.MatchString(part) {
			return fault.Newf(fault.Invalid, op, "%q is not a path of a secret, e.g. t-demo/c-demo/registry", sanitize(path))
		}
	}
	return nil
}
