package diagnosis

import (
	"cmp"
	"slices"
	"time"
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
	for _, rule := range e.rules {
		if rule.WithoutAPI || s.APIError == nil {
			e.evalRule(rule, m)
		}
	}
	findings := e.listUnexplained()
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(a.Blocks.rank()-b.Blocks.rank(), a.Order-b.Order, rankConfidence(a.Confidence)-rankConfidence(b.Confidence), a.Since.Compare(b.Since))
	})
	return findings
}

func (e *Evaluator) evalRule(rule Rule, m *inputIndex) {
	found := rule.detect(m)
	known := e.candidates[rule.ID]
	if len(found.evidence) == 0 {
		if known != nil && (!known.reported || m.Now.Sub(known.last) >= max(clearDelay, rule.StayFor)) {
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
	known.finding.Order = 0
	if known.finding.Blocks == ControlPlane {
		known.finding.Order = int(cmp.Or(rule.Within, growingEtcd))
	}
	known.finding.Disposition, known.finding.Restores = Wait, ""
	known.finding.Objects, known.finding.Changed = found.objects, found.changed
	if known.finding.Confidence == High {
		known.finding.Disposition, known.finding.Restores = rule.Disposition, rule.Restores
	}
}

func (e *Evaluator) listUnexplained() []Finding {
	silent, reasons := map[string]bool{}, []Finding{}
	for _, rule := range e.rules {
		if known := e.candidates[rule.ID]; known != nil && known.reported {
			if !rule.General {
				reasons = append(reasons, known.finding)
			}
			for _, explained := range rule.Explains {
				silent[explained] = true
			}
		}
	}
	var findings []Finding
	for _, rule := range e.rules {
		known := e.candidates[rule.ID]
		if known == nil || !known.reported || silent[rule.ID] {
			continue
		}
		isExplained := slices.ContainsFunc(reasons, func(reason Finding) bool {
			// Nodes other than masters are no reason for what the control plane lacks.
			others := reason.Blocks == Nodes && known.finding.Blocks.rank() < Nodes.rank()
			return reason.Blocks.rank() < known.finding.Blocks.rank() || slices.Contains(rule.Reasons, reason.Rule) && !others
		})
		if !rule.General || !isExplained {
			findings = append(findings, known.finding)
		}
	}
	return findings
}

func rankConfidence(confidence string) int {
	return slices.Index([]string{High, Medium, Low}, confidence)
}
