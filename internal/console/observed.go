package console

import (
	"fmt"
	"strings"

	"exoshift/provisioner"
)

// observed tells what was seen of the cluster and of its bootstrap machine.
func (p *plain) observed(e provisioner.Event) {
	switch e.Type {
	case provisioner.TypeProbe:
		p.probe(e)
	case provisioner.TypeStage:
		p.stage(e)
	case provisioner.TypeJournal:
		p.journal = append(p.journal, e)[max(0, len(p.journal)+1-journalLength):]
	case provisioner.TypeVersion:
		p.version(e)
	case provisioner.TypeOperator:
		p.operator(e)
	case provisioner.TypeApplication:
		p.application(e)
	case provisioner.TypeDiagnosis:
		p.diagnosis(e)
	default:
		p.line(e, string(e.Type), parts(": ", e.Text, failure(e)))
	}
}

// failure is why something failed, where the sentence about it does not say so.
func failure(e provisioner.Event) string {
	if e.State == provisioner.Failed {
		return e.Reason
	}
	return ""
}

// probe tells what does not answer on the bootstrap machine only if something of it did: in most networks nothing of it
// can be reached from here.
func (p *plain) probe(e provisioner.Event) {
	if e.Name != "api" && e.State == provisioner.Reached {
		p.inside = true
	}
	if e.Name == "api" || p.inside {
		what := fmt.Sprintf("%s: %s", parts(" ", e.Name, parenthesized(e.Text)), e.State)
		p.once(e, "probe", e.Name, parts(", ", what, e.Reason))
	}
}

// stage tells where a service of the bootstrap machine is, and when it failed also what it wrote before.
func (p *plain) stage(e provisioner.Event) {
	what := e.Name + ":"
	if e.Text != "" {
		what += " stage " + e.Text
	}
	if e.State == provisioner.Done {
		what = e.Name + ":"
	}
	p.line(e, "bootstrap", parts(": ", what+" "+e.State, e.Reason))
	if e.State == provisioner.Failed {
		p.tellJournal(e, e.Name)
	}
}

// journalLength is how many lines of the journal are told when something fails.
const journalLength = 10

// tellJournal prints the newest lines of a service, or of all, that were not printed yet.
func (p *plain) tellJournal(e provisioner.Event, service string) {
	var others []provisioner.Event
	for _, line := range p.journal {
		if service != "" && service != unit(line.Name) {
			others = append(others, line)
			continue
		}
		p.line(e, "journal", fmt.Sprintf("%s %s: %s", line.Time.Format("15:04:05"), unit(line.Name), line.Text))
	}
	p.journal = others
}

func unit(name string) string { return strings.TrimSuffix(name, ".service") }

// version tells changes of the state, and every tenth part of the release.
func (p *plain) version(e provisioner.Event) {
	share, tenth := "", 0
	if e.Percent != nil {
		share, tenth = fmt.Sprintf(" %d%%", *e.Percent), *e.Percent/10
	}
	if now := fmt.Sprint(e.State, tenth); p.told["version"] != now {
		p.told["version"] = now
		p.line(e, "version", parts(": ", e.State+share, e.Text))
	}
}

// operators counts the cluster operators, so that one line tells what many events did.
type operators struct {
	states map[string]string
	told   string
}

// operator tells only who gets into trouble, and who got out of it.
func (p *plain) operator(e provisioner.Event) {
	if p.operators.states == nil {
		p.operators.states = map[string]string{}
	}
	before := p.operators.states[e.Name]
	p.operators.states[e.Name] = e.State
	if e.State != before && (troubled(e.State) || troubled(before)) {
		p.line(e, "operator", parts(", ", fmt.Sprintf("%s: %s", e.Name, e.State), e.Reason))
	}
}

// troubled tells whether an operator in that state needs somebody's attention.
func troubled(operatorState string) bool {
	return operatorState == "degraded" || operatorState == "flapping"
}

// countOperators tells how many are stable, when that has changed.
func (p *plain) countOperators(e provisioner.Event) {
	stable := 0
	for _, operatorState := range p.operators.states {
		if operatorState == "stable" {
			stable++
		}
	}
	now := fmt.Sprintf("%d of %s stable", stable, count(len(p.operators.states), "operator"))
	if len(p.operators.states) > 0 && p.operators.told != now {
		p.operators.told = now
		p.line(e, "operators", now)
	}
}

// diagnosis tells what is wrong: the cause, the evidence, and what to do, each line for itself.
func (p *plain) diagnosis(e provisioner.Event) {
	if e.State != provisioner.Present {
		delete(p.told, "!/"+e.Name)
		p.line(e, "!", parts(": ", "no longer "+e.Name, e.Text))
		return
	}
	said := fmt.Sprint(e.Text, e.Hint, e.Confidence)
	if p.told["!/"+e.Name] == said {
		return
	}
	p.told["!/"+e.Name] = said
	p.line(e, "!", parts(": ", parts(" ", e.Name, parenthesized(e.Confidence)), e.Text))
	for _, evidence := range e.Evidence {
		p.line(e, "!", "because: "+evidence)
	}
	for i, line := range cleanLines(e.Hint) {
		line = "  " + line // to be copied, as a whole
		if i == 0 {
			line = "fix:" + line[1:]
		}
		p.line(e, "!", line)
	}
}
