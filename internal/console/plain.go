package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
)

// NewPlain returns a printer of one line for each change: the time, the part of the installation, a sentence. Failures are
// repeated at the end, with cause and action. It is not safe for concurrent use.
func NewPlain(w io.Writer) func(provisioner.Event) {
	p := &plainPrinter{w: w, steps: map[string]*runningStep{}, printed: map[string]string{}}
	return p.print
}

type plainPrinter struct {
	w         io.Writer
	began     time.Time
	steps     map[string]*runningStep
	printed   map[string]string // what was last printed about a node or a request
	members   []provisioner.Member
	operators operatorTracker

	applications       applicationTracker
	journal            []provisioner.Event // the newest lines, printed only if something fails
	bootstrapReachable bool                // a probe of the bootstrap machine has succeeded
	unreached          int                 // steps
	installed          bool                // the cluster was, before this run
	accessible         bool                // in sentences, see NewSentencePrinter
}

type runningStep struct {
	title string
	began time.Time
	found int // existing objects
}

func (p *plainPrinter) print(e provisioner.Event) {
	if p.began.IsZero() {
		p.began = e.Time
	}
	if e.Type != provisioner.TypeOperator {
		p.printOperatorCount(e)
	}
	switch e.Type {
	case provisioner.TypeRun:
		p.printRun(e)
	case provisioner.TypeStep:
		p.printStep(e)
	case provisioner.TypeWait:
		p.printLine(e, "..", p.formatWait(e))
	case provisioner.TypeBootstrap:
		p.printLine(e, "bootstrap", text.Join(": ", "reached "+e.Phase, e.Text))
	case provisioner.TypeEtcd:
		p.printEtcd(e)
	case provisioner.TypeNode:
		p.printNode(e)
	case provisioner.TypeCSR:
		p.printOnce(e, "csr", e.Name, text.Join(": ", fmt.Sprintf("%s %s of %s", e.Decision, e.Name, e.Node), e.Reason))
	case provisioner.TypeObject:
		p.printObject(e)
	case provisioner.TypeCertificates:
		if e.Until != nil {
			p.printLine(e, "certificates", "the first ones end at "+formatMinute(*e.Until)+": the bootstrap must be complete by then")
		}
	default:
		p.printObserved(e)
	}
}

func (p *plainPrinter) printLine(e provisioner.Event, column, sentence string) {
	if p.accessible {
		p.printSentence(e, column, sentence)
		return
	}
	fmt.Fprintf(p.w, "%s %-14s %s\n", e.Time.Format(time.TimeOnly), SanitizeLine(column), SanitizeLine(sentence))
}

// printOnce suppresses a repetition of the last line about the same name.
func (p *plainPrinter) printOnce(e provisioner.Event, column, name, sentence string) {
	if p.printed[column+"/"+name] != sentence {
		p.printed[column+"/"+name] = sentence
		p.printLine(e, column, sentence)
	}
}

// printNode leaves out the nodes of an installed cluster that are as they have to be, until they have not been.
func (p *plainPrinter) printNode(e provisioner.Event) {
	sentence := fmt.Sprintf("%s: %s", text.Join(" ", e.Name, wrapParens(e.Role)), text.Join(", ", e.State, e.Reason))
	if p.installed && e.State == provisioner.NodeReady && p.printed["node/"+e.Name] == "" {
		return
	}
	p.printOnce(e, "node", e.Name, sentence)
}

func (p *plainPrinter) printPool(e provisioner.Event) {
	if e.State == provisioner.PoolUpdated && p.printed["pool/"+e.Name] == "" {
		return
	}
	p.printOnce(e, "pool", e.Name, text.Join(", ", e.Name+": "+e.Text, e.Reason))
}

func (p *plainPrinter) printRun(e provisioner.Event) {
	if e.State != provisioner.Finished {
		p.began, p.installed = e.Time, e.Verb != ""
		p.printLine(e, "run", text.Join(": ", e.State, e.Text))
		return
	}
	if e.Result == "failed" {
		p.printJournal(e, "")
	}
	sentence := fmt.Sprintf("finished: %s after %s", e.Result, text.FormatDuration(e.Time.Sub(p.began)))
	if e.ExitCode != nil {
		sentence += fmt.Sprintf(", exit code %d", *e.ExitCode)
	}
	if p.unreached > 0 {
		sentence += fmt.Sprintf("; steps not reached: %d", p.unreached)
	}
	p.printLine(e, "run", sentence)
}

func (p *plainPrinter) printStep(e provisioner.Event) {
	switch e.State {
	case provisioner.Started:
		p.steps[e.Step] = &runningStep{title: e.Text, began: e.Time}
		p.printLine(e, e.Phase, e.Text)
	case provisioner.Progress:
		p.printLine(e, e.Phase, text.Join(": ", p.getTitle(e), e.Text))
		for _, line := range sanitizeLines(e.Hint) { // one by one, to be copied
			p.printLine(e, e.Phase, "  "+line)
		}
	case provisioner.Done:
		p.printLine(e, e.Phase, p.getTitle(e)+": "+p.formatEnd(e, "done"))
	case provisioner.Skipped:
		if e.Reason == provisioner.Unreached {
			p.unreached++ // reported once, at the end
			return
		}
		p.printLine(e, e.Phase, text.Join(", ", p.getTitle(e)+": skipped", e.Text))
	case provisioner.Failed:
		if e.Text == provisioner.Stopped {
			p.printLine(e, e.Phase, p.getTitle(e)+": "+p.formatEnd(e, "stopped"))
			return
		}
		p.printLine(e, e.Phase, text.Join(": ", p.getTitle(e)+": "+p.formatEnd(e, "FAILED"), e.Text))
	}
}

func (p *plainPrinter) getTitle(e provisioner.Event) string {
	if step := p.steps[e.Step]; step != nil && step.title != "" {
		return step.title
	}
	return e.Step
}

func (p *plainPrinter) formatEnd(e provisioner.Event, how string) string {
	step := p.steps[e.Step]
	if step == nil {
		return how
	}
	sentence := how + " after " + text.FormatDuration(e.Time.Sub(step.began))
	if step.found > 0 {
		sentence += fmt.Sprintf(", %d up to date", step.found)
	}
	return sentence
}

func (p *plainPrinter) formatWait(e provisioner.Event) string {
	what := "waiting: " + e.What
	if rest, isWait := strings.CutPrefix(e.What, "Wait "); isWait {
		what = "waiting " + rest
	}
	words := []string{what}
	if e.Since != nil && e.Time.Sub(*e.Since) >= time.Second {
		words = append(words, text.FormatDuration(e.Time.Sub(*e.Since)))
	}
	if e.Usual > 0 {
		words = append(words, "usually "+formatSeconds(e.Usual))
	}
	if e.Limit > 0 {
		words = append(words, "limit "+formatSeconds(e.Limit))
	}
	if e.Last != "" {
		words = append(words, "last: "+e.Last)
	}
	return strings.Join(words, ", ")
}

// printEtcd prints members that were added, removed or changed.
func (p *plainPrinter) printEtcd(e provisioner.Event) {
	var changes []string
	for _, member := range e.Members {
		if !slices.ContainsFunc(p.members, matchMember(member)) {
			changes = append(changes, fmt.Sprintf("member %s: %s", member.Name, member.State))
		}
	}
	for _, before := range p.members {
		if !slices.ContainsFunc(e.Members, func(m provisioner.Member) bool { return m.Name == before.Name }) {
			changes = append(changes, fmt.Sprintf("member %s: removed", before.Name))
		}
	}
	p.members = e.Members
	if len(changes) > 0 {
		p.printLine(e, "etcd", fmt.Sprintf("%s (%s)", strings.Join(changes, ", "), text.Plural(len(e.Members), "member")))
	}
}

// matchMember ignores the revision, which changes all the time.
func matchMember(member provisioner.Member) func(provisioner.Member) bool {
	return func(m provisioner.Member) bool { return m.Name == member.Name && m.State == member.State }
}

// printObject prints changes; unchanged objects are counted for the end of the step.
func (p *plainPrinter) printObject(e provisioner.Event) {
	if e.Action == "found" {
		if step := p.steps[e.Step]; step != nil {
			step.found++
		}
		return
	}
	p.printLine(e, "object", text.Join(" ", e.Action, e.Kind, e.Name, wrapParens(e.ID)))
}

func wrapParens(word string) string {
	if word == "" {
		return ""
	}
	return "(" + word + ")"
}
