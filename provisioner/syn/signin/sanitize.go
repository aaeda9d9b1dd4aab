package signin

import "exoshift/internal/text"

const maxMessage = 300

// sanitize is how errors repeat what a server said.
func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxMessage)) }
