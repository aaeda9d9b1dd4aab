package catalog

import (
	"regexp"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const (
	maxReason   = 2000 // bytes
	reasonLines = 12
)

// controlPattern matches terminal escape sequences.
var controlPattern = regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// sectionPattern matches GitLab's section markers in a job's log.
var sectionPattern = regexp.MustCompile(`section_(start|end):\d+:[^\r\n]*\r?`)

// stampPattern matches what GitLab writes before each line of a job's log: the time, and the step and stream.
var stampPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[0-9:.]+Z \d\d[A-Z]\+? ?`)

var errorPattern = regexp.MustCompile(`(?i)\b(error|fatal|failed|not found|cannot|could not|exception|missing|invalid)\b|lookup error|does not exist`)

// listFactPatterns match error messages that name a fact used by the configuration.
func listFactPatterns() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?:^|[^_\w])facts[:.]([A-Za-z0-9][A-Za-z0-9_-]*)`),
		regexp.MustCompile(`(?i)\bfacts?\b[ '"“:]+([A-Za-z0-9][A-Za-z0-9_-]*)['"”]? (?:is|was|does|not|missing)`),
		regexp.MustCompile(`(?i)missing (?:required )?facts?:? ['"“]?([A-Za-z0-9][A-Za-z0-9_-]*)`),
	}
}

// extractReason returns the last lines with an error in a compiler's output.
func extractReason(output []byte) string {
	clean := controlPattern.ReplaceAllString(sectionPattern.ReplaceAllString(strings.ToValidUTF8(string(output), ""), ""), "")
	var lines, texts []string
	for line := range strings.FieldsFuncSeq(clean, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(stampPattern.ReplaceAllString(text.Sanitize(strings.ReplaceAll(line, "\t", " ")), ""))
		if line == "" || strings.HasPrefix(line, "ERROR: Job failed") || strings.HasPrefix(line, "Cleaning up") {
			continue
		}
		lines = append(lines, line)
		if errorPattern.MatchString(line) {
			texts = append(texts, line)
		}
	}
	if len(texts) == 0 {
		texts = lines
	}
	texts = texts[max(0, len(texts)-reasonLines):]
	for len(texts) > 1 && len(strings.Join(texts, "\n")) > maxReason {
		texts = texts[1:]
	}
	return truncateText(strings.Join(texts, "\n"), maxReason)
}

// newCompileError names a missing fact.
func newCompileError(reason, where string) error {
	if reason == "" {
		return fault.Newf(fault.Invalid, compileOp, "the compiler failed without a message").WithHint("%s", where)
	}
	if fact := findMissingFact(reason); fact != "" {
		return fault.Newf(fault.Invalid, compileOp, "the configuration requires the fact %s of the cluster: %s", fact, reason).
			WithField("syn.facts").WithHint("set the fact %[1]s, with --set syn.facts.%[1]s=VALUE or under syn.facts in the answers, then run again", fact)
	}
	return fault.Newf(fault.Invalid, compileOp, "%s", reason).WithHint("%s", where)
}

// findMissingFact takes the last line that names a fact.
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
