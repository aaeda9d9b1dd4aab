package vault

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

// segmentPattern is one part of a path; "." and ".." would lead elsewhere. How long it may be is not said here: counting makes an
// expression so large that each start of the program would take notice.
var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9_.~@+=:-]+$`)

const maxSegment = 255 // bytes

func checkPath(op, path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." || len(part) > maxSegment || !segmentPattern.MatchString(part) {
			return fault.Newf(fault.Invalid, op, "%q is not the path of a secret, like t-demo/c-demo/registry", sanitize(path))
		}
	}
	return nil
}
