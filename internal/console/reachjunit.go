package console

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"
)

// Elements of a JUnit report that Jenkins and GitLab read. There is no official schema: these are in all variants.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"` // seconds
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"` // seconds, of the slowest: they run concurrently
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`

		slowest int64
	}
	junitCase struct {
		Name       string          `xml:"name,attr"`
		Class      string          `xml:"classname,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Failure    *junitText      `xml:"failure"`
		Skipped    *junitText      `xml:"skipped"`
		Output     string          `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

func (all *junitSuites) ensureSuite(name string, started time.Time) *junitSuite {
	i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == name })
	if i < 0 {
		i = len(all.Suites)
		all.Suites = append(all.Suites, junitSuite{Name: name, Timestamp: started.UTC().Format("2006-01-02T15:04:05")})
	}
	return &all.Suites[i]
}

func (s *junitSuite) add(r reach.Result, one junitCase) {
	s.Tests++
	s.Cases = append(s.Cases, one)
	s.slowest = max(s.slowest, parseMillis(r))
	s.Time = formatJUnitSeconds(s.slowest)
	if one.Failure != nil {
		s.Failures++
	}
	if one.Skipped != nil {
		s.Skipped++
	}
}

func newJUnitCase(v ConnectivityReport, r reach.Result) junitCase {
	one := junitCase{
		Name: text.Join(" ", SanitizeLine(r.ID), SanitizeLine(r.Target)), Class: SanitizeLine(r.Source) + "." + SanitizeLine(r.Group), Time: formatJUnitSeconds(parseMillis(r)),
		Properties: []junitProperty{{"severity", SanitizeLine(string(r.Severity))}, {"owner", SanitizeLine(r.Owner)}, {"layers", r.Layers.FormatLine()}},
	}
	for _, key := range slices.Sorted(maps.Keys(r.Evidence)) {
		one.Properties = append(one.Properties, junitProperty{SanitizeLine(key), SanitizeLine(r.Evidence[key])})
	}
	switch r.Verdict {
	case reach.Fail:
		one.Failure = &junitText{Message: SanitizeLine(r.Describe()), Type: SanitizeLine(string(r.Class)), Text: formatJUnitDetails(v, r)}
	case reach.Skipped:
		one.Skipped = &junitText{Message: SanitizeLine(r.Describe())}
	case reach.Warn:
		one.Output = "warning: " + SanitizeLine(r.Describe()) + "\n" + formatJUnitDetails(v, r)
	}
	return one
}

func formatJUnitDetails(v ConnectivityReport, r reach.Result) string {
	details := []string{"layers: " + r.Layers.FormatLine()}
	for _, row := range []struct{ name, text string }{{"fix: ", r.Hint}, {"reproduce: ", command.Build(v.findCheck(r.ID), r)}} {
		if text := SanitizeLine(row.text); text != "" {
			details = append(details, row.name+text)
		}
	}
	return strings.Join(details, "\n")
}

func parseMillis(r reach.Result) int64 {
	ms, err := strconv.ParseInt(r.Evidence[reach.EvidenceTime], 10, 64)
	if err != nil || ms < 0 {
		return 0
	}
	return ms
}

func formatJUnitSeconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }
