package text

import "strings"

// SanitizeDiff makes the output of diff -u safe for the terminal, and keeps its lines and their indentation.
func SanitizeDiff(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		rest := strings.TrimLeft(line, " +-")
		lines = append(lines, line[:len(line)-len(rest)]+Sanitize(rest))
	}
	return strings.Join(lines, "\n")
}
