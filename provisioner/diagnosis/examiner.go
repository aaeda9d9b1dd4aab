package diagnosis

import (
	"cmp"
	"slices"
	"time"
)

// linger is how long a finding stays when its signs are gone: what comes and goes would only confuse.
const linger = 30 * time.Second

// Examiner applies the rules to one moment after the other. Its findings depend on nothing but the signs that it was
// given, in their order.
type Examiner struct {
	rules    []Rule
	cases    map[string]*suspicion
	movement movement
}

// suspicion is a rule whose signature holds, or did a moment ago.
type suspicion struct {
	finding Finding
	told    bool
	last    time.Time // when the signature held
}

// New returns an examiner that has seen nothing yet.
func New() *Examiner { return &Examiner{rules: Rules(), cases: map[string]*suspicion{}} }

// Examine returns what is wrong by these signs and those before, the surest first, and of equally sure findings the
// oldest.
func (e *Examiner) Examine(s Signs) []Finding {
	m := newMoment(s)
	e.movement.note(m)
	for _, rule := range e.rules {
		if rule.Blind || s.Failure == nil {
			e.apply(rule, m)
		}
	}
	findings := e.explained()
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(rank(a.Confidence)-rank(b.Confidence), a.Since.Compare(b.Since))
	})
	return findings
}

// apply looks whether the signature of a rule holds.
func (e *Examiner) apply(rule Rule, m *moment) {
	found := rule.signature(m)
	known := e.cases[rule.ID]
	if len(found.evidence) == 0 {
		if known != nil && (!known.told || m.Now.Sub(known.last) >= linger) {
			delete(e.cases, rule.ID)
		}
		return
	}
	if known == nil {
		known = &suspicion{finding: Finding{Rule: rule.ID, Since: m.Now}}
		e.cases[rule.ID] = known
	}
	known.last = m.Now
	known.told = known.told || m.Now.Sub(known.finding.Since) >= rule.Patience
	known.finding.Cause = m.fill(cmp.Or(found.cause, rule.Cause), found.subject)
	known.finding.Fix = m.fill(cmp.Or(found.fix, rule.Fix), found.subject)
	known.finding.Evidence = fewLines(found.evidence)
	for n, line := range known.finding.Evidence {
		known.finding.Evidence[n] = short(line)
	}
	known.finding.Confidence = rule.Confidence
	if found.sure {
		known.finding.Confidence = High
	}
}

// explained returns the findings that are not explained by others.
func (e *Examiner) explained() []Finding {
	silent, specific := map[string]bool{}, false
	for _, rule := range e.rules {
		if known := e.cases[rule.ID]; known != nil && known.told {
			specific = specific || !rule.General
			for _, explained := range rule.Explains {
				silent[explained] = true
			}
		}
	}
	var findings []Finding
	for _, rule := range e.rules {
		known := e.cases[rule.ID]
		if known != nil && known.told && !silent[rule.ID] && (!rule.General || !specific) {
			findings = append(findings, known.finding)
		}
	}
	return findings
}

func rank(confidence string) int {
	return slices.Index([]string{High, Medium, Low}, confidence)
}
