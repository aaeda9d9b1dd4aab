package diagnosis

import (
	"cmp"
	"slices"
	"time"

	"exoshift/internal/stable"
)

// A finding stays this long after its signature ceased to hold, so that it does not flap.
const clearDelay = 30 * time.Second

// Evaluator applies the rules to successive inputs. Its findings depend on nothing but these inputs, in their order.
type Evaluator struct {
	rules      []Rule
	candidates map[string]*candidate
	progress   progressTracker
}

type candidate struct {
	finding  Finding
	reported bool
	last     time.Time // when the signature held
}

// New returns an Evaluator without any input yet.
func New() *Evaluator { return &Evaluator{rules: Rules(), candidates: map[string]*candidate{}} }

// Evaluate returns what is wrong by this input and the earlier ones: first what blocks the earliest phase, and the earliest part of
// it, of these the surest, and of equally sure findings the oldest.
func (e *Evaluator) Evaluate(s Input) []Finding {
	m := newInputIndex(s)
	e.progress.track(m)
	m.isSlow = e.isReported(slow)
	for _, rule := range e.rules {
		if rule.WithoutAPI || s.APIError == nil {
			e.evalRule(rule, m)
		}
	}
	findings := e.listUnexplained()
	stable.Sort(findings, compareFindings)
	return findings
}

func compareFindings(a, b Finding) int {
	return cmp.Or(a.Blocks.rank()-b.Blocks.rank(), a.Order-b.Order, rankConfidence(a.Confidence)-rankConfidence(b.Confidence), a.Since.Compare(b.Since))
}

func (e *Evaluator) evalRule(rule Rule, m *inputIndex) {
	found := rule.detect(m)
	known := e.candidates[rule.ID]
	if len(found.evidence) == 0 {
		if known != nil && (!known.reported || m.Now.Sub(known.last) >= clearDelay) {
			delete(e.candidates, rule.ID)
		}
		return
	}
	if known == nil {
		known = &candidate{finding: Finding{Rule: rule.ID, Since: m.Now}}
		e.candidates[rule.ID] = known
	}
	known.last = m.Now
	known.reported = known.reported || m.Now.Sub(known.finding.Since) >= rule.getHoldTime(found)
	known.finding.Cause = m.expand(cmp.Or(found.cause, rule.Cause), found.subject)
	known.finding.Fix = m.expand(cmp.Or(found.fix, rule.Fix), found.subject)
	known.finding.Evidence = limitLines(found.evidence)
	for n, line := range known.finding.Evidence {
		known.finding.Evidence[n] = truncateLine(line)
	}
	known.finding.Confidence = rule.Confidence
	if found.sure {
		known.finding.Confidence = High
	}
	known.finding.Blocks = cmp.Or(found.blocks, rule.Blocks)
	known.finding.Order = rule.getOrder(known.finding.Blocks)
	known.finding.Disposition, known.finding.Restores = Wait, ""
	known.finding.Objects, known.finding.Changed = found.objects, found.changed
	if known.finding.Confidence == High {
		known.finding.Disposition, known.finding.Restores = rule.Disposition, rule.Restores
	}
}

func (e *Evaluator) isReported(rule string) bool {
	known := e.candidates[rule]
	return known != nil && known.reported
}

// listUnexplained returns the findings that no other one makes needless.
func (e *Evaluator) listUnexplained() []Finding {
	var reported []result
	for _, rule := range e.rules {
		if e.isReported(rule.ID) {
			reported = append(reported, result{rule, e.candidates[rule.ID].finding})
		}
	}
	var findings []Finding
	for _, other := range reported {
		if !slices.ContainsFunc(reported, func(r result) bool { return r.explains(other) }) {
			findings = append(findings, other.finding)
		}
	}
	return findings
}

// result is a finding with its rule.
type result struct {
	rule    Rule
	finding Finding
}

// explains reports whether another finding adds nothing to this one. What blocks a later phase is never the reason for what blocks an
// earlier one, with the exception of the reasons of general rules, of which only those that block nodes other than masters are none
// for what the control plane lacks.
func (r result) explains(other result) bool {
	later := r.finding.Blocks.rank() - other.finding.Blocks.rank()
	switch {
	case slices.Contains(r.rule.Explains, other.rule.ID):
		return later <= 0
	case !other.rule.General || r.rule.General:
		return false
	case later < 0:
		return true
	}
	others := r.finding.Blocks == Nodes && other.finding.Blocks.rank() < Nodes.rank()
	return slices.Contains(other.rule.Reasons, r.rule.ID) && !others
}

func rankConfidence(confidence string) int {
	return slices.Index([]string{High, Medium, Low}, confidence)
}
