package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/wizard/reach"
)

// DescribeKept sums up the report of the newest connectivity checks of an installation, and what did not pass of them.
func DescribeKept(folder state.Folder) string {
	content, err := folder.Read(state.ChecksFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "  none in this folder\n"
	}
	var report reach.Report
	if err == nil {
		report, err = reach.ReadReport(bytes.NewReader(content))
	}
	if err != nil {
		return fmt.Sprintf("  %s: %s\n", state.ChecksFile, console.SanitizeLine(err.Error()))
	}
	counts := map[reach.Verdict]int{}
	var lines strings.Builder
	for _, result := range report.Results {
		counts[result.Verdict]++
		if result.Verdict == reach.Fail || result.Verdict == reach.Warn {
			fmt.Fprintf(&lines, "  %s %s\n", result.Verdict, console.SanitizeLine(text.Join(": ", result.ID+" "+result.Target, result.Describe())))
		}
	}
	return fmt.Sprintf("  %s, at %s: %d ok, %d warn, %d fail, %d skipped\n%s", state.ChecksFile, report.Started.UTC().Format(time.RFC3339),
		counts[reach.OK], counts[reach.Warn], counts[reach.Fail], counts[reach.Skipped], lines.String())
}
