package fault

// FormatHint returns the hint of an error behind a semicolon, as the end of a sentence, or "".
func FormatHint(err error) string {
	if hint := HintOf(err); hint != "" {
		return "; " + hint
	}
	return ""
}
