package catalog

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

const (
	maxReason   = 2000 // bytes
	reasonLines = 12
)

// controlPattern matches what colours a terminal or moves its cursor.
var controlPattern = regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// sectionPattern marks the beginning and the end of parts of a job's text at GitLab.
var sectionPattern = regexp.MustCompile(`section_(start|end):\d+:[^\r\n]*\r?`)

// stampPattern is what GitLab writes before each line of a job's text: the time, and which stream of which step it came by.
var stampPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[0-9:.]+Z \d\d[A-Z]\+? ?`)

// errorPattern matches lines in which a compiler says what is wrong.
var errorPattern = regexp.MustCompile(`(?i)\b(error|fatal|failed|not found|cannot|could not|exception|missing|invalid)\b|lookup error|does not exist`)

// listFactPatterns matches those that name a fact which the configuration uses.
func listFactPatterns() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?:^|[^_\w])facts[:.]([A-Za-z0-9][A-Za-z0-9_-]*)`),
		regexp.MustCompile(`(?i)\bfacts?\b[ '"“:]+([A-Za-z0-9][A-Za-z0-9_-]*)['"”]? (?:is|was|does|not|missing)`),
		regexp.MustCompile(`(?i)missing (?:required )?facts?:? ['"“]?([A-Za-z0-9][A-Za-z0-9_-]*)`),
	}
}

// extractReason cuts out of a compiler's text why it failed: its last lines that tell of an error.
func extractReason(text []byte) string {
	clean := controlPattern.ReplaceAllString(sectionPattern.ReplaceAllString(strings.ToValidUTF8(string(text), ""), ""), "")
	var lines, told []string
	for line := range strings.FieldsFuncSeq(clean, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(stampPattern.ReplaceAllString(sanitize(strings.ReplaceAll(line, "\t", " ")), ""))
		if line == "" || strings.HasPrefix(line, "ERROR: Job failed") || strings.HasPrefix(line, "Cleaning up") {
			continue
		}
		lines = append(lines, line)
		if errorPattern.MatchString(line) {
			told = append(told, line)
		}
	}
	if len(told) == 0 {
		told = lines
	}
	told = told[max(0, len(told)-reasonLines):]
	for len(told) > 1 && len(strings.Join(told, "\n")) > maxReason {
		told = told[1:]
	}
	return truncateText(strings.Join(told, "\n"), maxReason)
}

// newCompileError is that a configuration cannot be compiled. A fact that it lacks is named.
func newCompileError(reason, where string) error {
	if reason == "" {
		return fault.Newf(fault.Invalid, compileOp, "the compiler failed without a word").WithHint("%s", where)
	}
	if fact := findMissingFact(reason); fact != "" {
		return fault.Newf(fault.Invalid, compileOp, "the configuration needs the fact %s of the cluster: %s", fact, reason).
			WithField("syn.facts").WithHint("give the cluster the fact %[1]s, by --set syn.facts.%[1]s=VALUE or under syn.facts of the answers, then run again", fact)
	}
	return fault.Newf(fault.Invalid, compileOp, "%s", reason).WithHint("%s", where)
}

// findMissingFact finds the fact that the last line which names one is about.
func findMissingFact(reason string) (fact string) {
	patterns := listFactPatterns()
	for line := range strings.Lines(reason) {
		for _, pattern := range patterns {
			if found := pattern.FindStringSubmatch(line); found != nil && errorPattern.MatchString(line) {
				fact = found[1]
				break
			}
		}
	}
	return fact
}
