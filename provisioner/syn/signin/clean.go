package signin

import "exoshift/internal/fault"

const maxWords = 300

// clean is how errors repeat what a server said.
func clean(words string) string { return fault.Said(words, maxWords) }
