package fault

import (
	"errors"
	"fmt"
)

// TooLargeError reports input that exceeds its limit. Nothing of the input is used.
type TooLargeError struct {
	What  string // "" is "it"
	Limit int64  // bytes
}

func (e TooLargeError) Error() string {
	what := e.What
	if what == "" {
		what = "it"
	}
	switch {
	case e.Limit >= 1<<20:
		return fmt.Sprintf("%s is larger than %d MiB", what, e.Limit>>20)
	case e.Limit >= 1<<10:
		return fmt.Sprintf("%s is larger than %d KiB", what, e.Limit>>10)
	}
	return fmt.Sprintf("%s is larger than %d bytes", what, e.Limit)
}

// IsTooLarge reports whether the cause is a size above the limit.
func IsTooLarge(err error) bool {
	var large TooLargeError
	return errors.As(err, &large)
}
