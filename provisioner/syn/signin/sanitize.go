package signin

import "exoshift/internal/text"

const maxMessage = 300

func sanitize(words string) string { return text.Sanitize(words, text.WithLimit(maxMessage)) }
