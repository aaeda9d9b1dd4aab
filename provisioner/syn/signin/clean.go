package signin

import "exoshift/internal/text"

const maxWords = 300

// clean is how errors repeat what a server said.
func clean(words string) string { return text.Sanitize(words, text.Limit(maxWords)) }
