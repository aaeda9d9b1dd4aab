package console

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
)

func (p *plainPrinter) printObserved(e provisioner.Event) {
	switch e.Type {
	case provisioner.TypeProbe:
		p.printProbe(e)
	case provisioner.TypeStage:
		p.printStage(e)
	case provisioner.TypeJournal:
		p.journal = append(p.journal, e)[max(0, len(p.journal)+1-journalLength):]
	case provisioner.TypeVersion:
		p.printVersion(e)
	case provisioner.TypeOperator:
		p.printOperator(e)
	case provisioner.TypeTarget:
		p.printLine(e, "target", text.Join(", ", e.Name+": "+e.Text, e.Reason))
	case provisioner.TypePool:
		p.printPool(e)
	case provisioner.TypeCeph:
		p.printLine(e, "ceph", text.Join(": ", e.State, e.Text))
	case provisioner.TypeApplication:
		p.printApplication(e)
	case provisioner.TypeDiagnosis:
		p.printDiagnosis(e)
	case provisioner.TypeRepair:
		p.printLine(e, "repair", text.Join(": ", e.Text, e.Reason))
	case provisioner.TypeDecision:
		p.printDecision(e)
	case provisioner.TypeOutage:
		p.printLine(e, "zone", text.Join(": ", e.Text, e.Reason))
	default:
		p.printLine(e, string(e.Type), text.Join(": ", e.Text, getFailureReason(e)))
	}
}

func getFailureReason(e provisioner.Event) string {
	if e.State == provisioner.Failed {
		return e.Reason
	}
	return ""
}

// printProbe prints an unreachable endpoint only after another one of the bootstrap machine was reached: in most networks none
// of them can be reached from here.
func (p *plainPrinter) printProbe(e provisioner.Event) {
	if e.Name != "api" && e.State == provisioner.Reached {
		p.bootstrapReachable = true
	}
	if e.Name == "api" || p.bootstrapReachable {
		what := fmt.Sprintf("%s: %s", text.Join(" ", e.Name, wrapParens(e.Text)), e.State)
		p.printOnce(e, "probe", e.Name, text.Join(", ", what, e.Reason))
	}
}

// printStage adds the service's latest journal lines if it failed.
func (p *plainPrinter) printStage(e provisioner.Event) {
	what := e.Name + ":"
	if e.Text != "" {
		what += " stage " + e.Text
	}
	if e.State == provisioner.Done {
		what = e.Name + ":"
	}
	p.printLine(e, "bootstrap", text.Join(": ", what+" "+e.State, e.Reason))
	if e.State == provisioner.Failed {
		p.printJournal(e, e.Name)
	}
}

// journalLength is the number of journal lines printed on a failure.
const journalLength = 10

// printJournal prints the newest lines of a service, or of all, that were not printed yet.
func (p *plainPrinter) printJournal(e provisioner.Event, service string) {
	var others []provisioner.Event
	for _, line := range p.journal {
		if service != "" && service != trimUnit(line.Name) {
			others = append(others, line)
			continue
		}
		p.printLine(e, "journal", fmt.Sprintf("%s %s: %s", line.Time.Format("15:04:05"), trimUnit(line.Name), line.Text))
	}
	p.journal = others
}

func trimUnit(name string) string { return strings.TrimSuffix(name, ".service") }

// printVersion prints changes of the state, and every tenth part of the release.
func (p *plainPrinter) printVersion(e provisioner.Event) {
	share, tenth := "", 0
	if e.Percent != nil {
		share, tenth = fmt.Sprintf(" %d%%", *e.Percent), *e.Percent/10
	}
	if now := fmt.Sprint(e.State, tenth); p.printed["version"] != now {
		p.printed["version"] = now
		p.printLine(e, "version", text.Join(": ", e.State+share, e.Text))
	}
}

type operatorTracker struct {
	states  map[string]string
	printed string
}

// printOperator prints only operators that become degraded or recover.
func (p *plainPrinter) printOperator(e provisioner.Event) {
	if p.operators.states == nil {
		p.operators.states = map[string]string{}
	}
	before := p.operators.states[e.Name]
	p.operators.states[e.Name] = e.State
	if e.State != before && (isDegraded(e.State) || isDegraded(before)) {
		p.printLine(e, "operator", text.Join(", ", fmt.Sprintf("%s: %s", e.Name, e.State), e.Reason))
	}
}

func isDegraded(operatorState string) bool {
	return operatorState == "degraded" || operatorState == "flapping"
}

func (p *plainPrinter) printOperatorCount(e provisioner.Event) {
	stable := 0
	for _, operatorState := range p.operators.states {
		if operatorState == "stable" {
			stable++
		}
	}
	now := fmt.Sprintf("%d of %s stable", stable, text.Plural(len(p.operators.states), "operator"))
	if len(p.operators.states) > 0 && p.operators.printed != now {
		p.operators.printed = now
		p.printLine(e, "operators", now)
	}
}

// printDecision prints a question with its answers, or what was decided.
func (p *plainPrinter) printDecision(e provisioner.Event) {
	p.printLine(e, "decide", text.Join(" ", e.Text, wrapParens(e.Reason)))
	if e.State == provisioner.Asked {
		p.printLine(e, "decide", fmt.Sprintf("type %s or %s, and Enter", e.Decision, provisioner.ReplyWait))
	}
}

// printDiagnosis prints the cause, the evidence and the fix, each on its own line.
func (p *plainPrinter) printDiagnosis(e provisioner.Event) {
	if e.State != provisioner.Present {
		delete(p.printed, "!/"+e.Name)
		p.printLine(e, "!", text.Join(": ", "no longer "+e.Name, e.Text))
		return
	}
	content := fmt.Sprint(e.Text, e.Hint, e.Confidence)
	if p.printed["!/"+e.Name] == content {
		return
	}
	p.printed["!/"+e.Name] = content
	p.printLine(e, "!", text.Join(": ", text.Join(" ", e.Name, wrapParens(e.Confidence)), e.Text))
	for _, evidence := range e.Evidence {
		p.printLine(e, "!", "because: "+evidence)
	}
	for i, line := range sanitizeLines(e.Hint) {
		line = "  " + line // to be copied, as a whole
		if i == 0 {
			line = "fix:" + line[1:]
		}
		p.printLine(e, "!", line)
	}
	if more := formatExplanation(e.Name); more != "" {
		p.printLine(e, "!", "more: "+more)
	}
}

// printApplication prints each state of an application once: some alternate for a while.
func (p *plainPrinter) printApplication(e provisioner.Event) {
	a := &p.applications
	if a.printed == nil {
		a.printed = map[string]bool{}
	}
	at := slices.IndexFunc(a.newest, func(other provisioner.Event) bool { return other.Name == e.Name })
	if at < 0 {
		a.newest = append(a.newest, e)
	} else {
		a.newest[at] = e
	}
	key := fmt.Sprintf("%q %q %q", e.Name, e.State, e.Sync)
	if a.printed[key] {
		return
	}
	a.printed[key] = true
	sentence := handover.ToApplicationStatus(e).String()
	if counted := formatApplicationCounts(a.newest); handover.ToApplicationStatus(e).IsHealthy() && counted != "" {
		sentence += "; " + counted
	}
	p.printLine(e, "application", sentence)
}
