package reach

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// In bytes.
const maxReport = 16 << 20

// WriteReport writes a report as JSON, indented, in the form that ReadReport reads.
func WriteReport(w io.Writer, report Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(report.complete()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// In a complete report nothing is null.
func (r Report) complete() Report {
	r.V = Version
	r.Results = slices.Clone(r.Results)
	if r.Results == nil {
		r.Results = []Result{}
	}
	for i, result := range r.Results {
		r.Results[i].Evidence, r.Results[i].Layers = withEvidence(result.Evidence, "", ""), result.Layers.normalize()
	}
	return r
}

// ReadReport reads a report of WriteReport, up to 16 MiB. Unknown fields are ignored, so that reports of later programs
// can be read, as long as their version is the same.
func ReadReport(in io.Reader) (Report, error) {
	content, err := io.ReadAll(io.LimitReader(in, maxReport+1))
	switch {
	case err != nil:
		return Report{}, fmt.Errorf("read the report: %w", err)
	case len(content) > maxReport:
		return Report{}, errors.New("read the report: larger than 16 MiB; use a report written by exoshift check --output json")
	}
	var newer struct {
		V int `json:"v"`
	}
	if json.Unmarshal(content, &newer) == nil && newer.V > Version { // whose other fields may have other types
		return Report{}, fmt.Errorf("read the report: %w", Report{V: newer.V}.validate())
	}
	var report Report
	if err := json.Unmarshal(content, &report); err != nil {
		return Report{}, fmt.Errorf("read the report: not a JSON report of exoshift check (%w); write one with --output json", withOffset(err))
	}
	if err := report.validate(); err != nil {
		return Report{}, fmt.Errorf("read the report: %w", err)
	}
	return report.complete(), nil
}

func withOffset(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w, at byte %d", err, syntax.Offset)
	}
	return err
}

func (r Report) validate() error {
	switch {
	case r.V > Version:
		return fmt.Errorf("unsupported version %d (this program supports %d); use the exoshift version that wrote it", r.V, Version)
	case r.V != Version:
		return errors.New("no version; write a report with exoshift check --output json")
	}
	for i, result := range r.Results {
		if err := result.validate(); err != nil {
			return fmt.Errorf("result %d: %w", i+1, err)
		}
	}
	return nil
}

func (r Result) validate() error {
	if r.ID == "" {
		return errors.New("it has no id")
	}
	if !slices.Contains([]Verdict{OK, Warn, Fail, Skipped}, r.Verdict) {
		return fmt.Errorf("%s: invalid verdict %q (one of ok, warn, fail, skipped)", r.ID, r.Verdict)
	}
	for _, layer := range r.Layers.list() {
		if layer.state != "" && !slices.Contains([]Layer{LayerOK, LayerFail, LayerNone}, layer.state) {
			return fmt.Errorf("%s: invalid result %[3]q of layer %[2]s (one of ok, fail, none)", r.ID, layer.name, layer.state)
		}
	}
	return nil
}

// MergeReports merges the reports of several sources, in their order. If only the nodes need a service and they reach it,
// a failure from this workstation becomes a warning.
func MergeReports(checks []Check, parts ...Report) Report {
	spared := map[string]bool{}
	for _, check := range checks {
		spared[check.ID] = !slices.Contains(check.From, "installer")
	}
	well := map[string]bool{}
	var whole Report
	for _, part := range parts {
		if whole.Started.IsZero() {
			whole.V, whole.Started = part.V, part.Started
		}
		whole.TookMS += part.TookMS
		for _, r := range part.Results {
			well[r.ID] = well[r.ID] || r.Source == Zone && (r.Verdict == OK || r.Verdict == Warn)
			whole.Results = append(whole.Results, r)
		}
	}
	for i, r := range whole.Results {
		if r.Source == Workstation && r.Verdict == Fail && spared[r.ID] && well[r.ID] {
			whole.Results[i].Verdict = Warn
		}
	}
	return whole
}
