package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
)

// NewPlain returns a printer of one line for each change: the time, the part of the installation, a sentence. What
// failed is told again at the end, with its cause and the next thing to do. It must be called by one goroutine at a
// time.
func NewPlain(w io.Writer) func(provisioner.Event) {
	p := &plain{w: w, steps: map[string]*running{}, told: map[string]string{}}
	return p.print
}

type plain struct {
	w         io.Writer
	began     time.Time
	steps     map[string]*running
	told      map[string]string // what was last printed about a node or a request
	members   []provisioner.Member
	operators operators

	applications applications
	journal      []provisioner.Event // the newest lines, told only when something fails
	inside       bool                // the bootstrap machine can be reached
	unreached    int                 // steps
	spoken       bool                // in sentences, see NewSpoken
}

// running is a step while it runs.
type running struct {
	title string
	began time.Time
	found int // objects that were there already
}

func (p *plain) print(e provisioner.Event) {
	if p.began.IsZero() {
		p.began = e.Time
	}
	if e.Type != provisioner.TypeOperator {
		p.countOperators(e)
	}
	switch e.Type {
	case provisioner.TypeRun:
		p.run(e)
	case provisioner.TypeStep:
		p.step(e)
	case provisioner.TypeWait:
		p.line(e, "..", p.wait(e))
	case provisioner.TypeBootstrap:
		p.line(e, "bootstrap", parts(": ", "reached "+e.Phase, e.Text))
	case provisioner.TypeEtcd:
		p.etcd(e)
	case provisioner.TypeNode:
		p.once(e, "node", e.Name, fmt.Sprintf("%s: %s", parts(" ", e.Name, parenthesized(e.Role)), parts(", ", e.State, e.Reason)))
	case provisioner.TypeCSR:
		p.once(e, "csr", e.Name, parts(": ", fmt.Sprintf("%s %s of %s", e.Decision, e.Name, e.Node), e.Reason))
	case provisioner.TypeObject:
		p.object(e)
	case provisioner.TypeCertificates:
		if e.Until != nil {
			p.line(e, "certificates", "the first ones end at "+minute(*e.Until)+": the bootstrap has to be complete by then")
		}
	default:
		p.observed(e)
	}
}

// line prints one line; column names the part of the installation.
func (p *plain) line(e provisioner.Event, column, sentence string) {
	if p.spoken {
		p.speak(e, column, sentence)
		return
	}
	fmt.Fprintf(p.w, "%s %-14s %s\n", e.Time.Format(time.TimeOnly), Clean(column), Clean(sentence))
}

// once prints a line unless it says what the last one about the same thing said.
func (p *plain) once(e provisioner.Event, column, name, sentence string) {
	if p.told[column+"/"+name] != sentence {
		p.told[column+"/"+name] = sentence
		p.line(e, column, sentence)
	}
}

func (p *plain) run(e provisioner.Event) {
	if e.State != provisioner.Finished {
		p.began = e.Time
		p.line(e, "run", parts(": ", e.State, e.Text))
		return
	}
	if e.Result == "failed" {
		p.tellJournal(e, "")
	}
	sentence := fmt.Sprintf("finished: %s after %s", e.Result, lasting(e.Time.Sub(p.began)))
	if e.ExitCode != nil {
		sentence += fmt.Sprintf(", exit code %d", *e.ExitCode)
	}
	if p.unreached > 0 {
		sentence += fmt.Sprintf("; steps not reached: %d", p.unreached)
	}
	p.line(e, "run", sentence)
}

func (p *plain) step(e provisioner.Event) {
	switch e.State {
	case provisioner.Started:
		p.steps[e.Step] = &running{title: e.Text, began: e.Time}
		p.line(e, e.Phase, e.Text)
	case provisioner.Progress:
		p.line(e, e.Phase, parts(": ", p.title(e), e.Text))
		for _, line := range cleanLines(e.Hint) { // each for itself, to be copied
			p.line(e, e.Phase, "  "+line)
		}
	case provisioner.Done:
		p.line(e, e.Phase, p.title(e)+": "+p.ended(e, "done"))
	case provisioner.Skipped:
		if e.Reason == provisioner.Unreached {
			p.unreached++ // told once, at the end
			return
		}
		p.line(e, e.Phase, parts(", ", p.title(e)+": skipped", e.Text))
	case provisioner.Failed:
		if e.Text == provisioner.Stopped {
			p.line(e, e.Phase, p.title(e)+": "+p.ended(e, "stopped"))
			return
		}
		p.line(e, e.Phase, parts(": ", p.title(e)+": "+p.ended(e, "FAILED"), e.Text))
	}
}

// title returns what the step is called, by its ID if it never started.
func (p *plain) title(e provisioner.Event) string {
	if step := p.steps[e.Step]; step != nil && step.title != "" {
		return step.title
	}
	return e.Step
}

// ended says how a step ended, after how long, and how much of it was there already.
func (p *plain) ended(e provisioner.Event, how string) string {
	step := p.steps[e.Step]
	if step == nil {
		return how
	}
	sentence := how + " after " + lasting(e.Time.Sub(step.began))
	if step.found > 0 {
		sentence += fmt.Sprintf(", %d found as wanted", step.found)
	}
	return sentence
}

func (p *plain) wait(e provisioner.Event) string {
	what := "waiting: " + e.What
	if rest, isWait := strings.CutPrefix(e.What, "Wait "); isWait {
		what = "waiting " + rest
	}
	words := []string{what}
	if e.Since != nil && e.Time.Sub(*e.Since) >= time.Second {
		words = append(words, lasting(e.Time.Sub(*e.Since)))
	}
	if e.Usual > 0 {
		words = append(words, "usually "+inSeconds(e.Usual))
	}
	if e.Limit > 0 {
		words = append(words, "limit "+inSeconds(e.Limit))
	}
	if e.Last != "" {
		words = append(words, "last: "+e.Last)
	}
	return strings.Join(words, ", ")
}

// etcd tells which members came, went or changed.
func (p *plain) etcd(e provisioner.Event) {
	var changes []string
	for _, member := range e.Members {
		if !slices.ContainsFunc(p.members, same(member)) {
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
		p.line(e, "etcd", fmt.Sprintf("%s (%s)", strings.Join(changes, ", "), count(len(e.Members), "member")))
	}
}

// same tells whether a member is there in the same state; its revision alone is no news.
func same(member provisioner.Member) func(provisioner.Member) bool {
	return func(m provisioner.Member) bool { return m.Name == member.Name && m.State == member.State }
}

// object tells of changes; what was found as wanted is counted for the end of the step.
func (p *plain) object(e provisioner.Event) {
	if e.Action == "found" {
		if step := p.steps[e.Step]; step != nil {
			step.found++
		}
		return
	}
	p.line(e, "object", parts(" ", e.Action, e.Kind, e.Name, parenthesized(e.ID)))
}

func parenthesized(word string) string {
	if word == "" {
		return ""
	}
	return "(" + word + ")"
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
