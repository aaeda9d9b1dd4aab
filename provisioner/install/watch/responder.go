package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
)

// Response is what a person decides about findings.
type Response struct {
	NoRepair      bool // findings are never repaired
	WaitOnFailure bool // what nothing can mend does not stop the run
}

// Times of a responder, by the run's clock.
const (
	stopDelay   = time.Minute     // a finding that stops a run has to be reported for this long
	repairDelay = 2 * time.Minute // between two repairs of the same finding
	maxRepairs  = 3               // of one finding
)

// responder repairs what is found, or stops the run for what nothing can mend.
type responder struct {
	Deps
	attended func() bool // somebody can be asked; nil: nobody

	reported map[string]time.Time // findings that stop the run or have to be asked about: since when, by rule
	repaired map[string]*repair   // by rule

	question *diagnosis.Finding // that a person was asked about; nil: none
	stopped  chan struct{}      // closed once there is a verdict

	mu      sync.Mutex                   // guards the fields below; nothing is emitted while it is held
	answers map[string]provisioner.Reply // by rule
	verdict error                        // why the run stops; nil: it goes on
}

// repair is what was repaired for one rule.
type repair struct {
	count   int
	last    time.Time
	objects []string // all that were restored
	given   bool     // that no further repair follows was emitted
}

func newResponder(of Deps) *responder {
	return &responder{Deps: of, reported: map[string]time.Time{}, repaired: map[string]*repair{}, answers: map[string]provisioner.Reply{}, stopped: make(chan struct{})}
}

// respond acts on the findings of a poll. It returns true if something was repaired.
func (r *responder) respond(ctx context.Context, report provisioner.Report, findings []diagnosis.Finding) bool {
	r.forgetGone(report, findings)
	repaired := false
	for _, finding := range findings {
		switch finding.Disposition {
		case diagnosis.Repair:
			repaired = r.respondToRepairable(ctx, report, finding) || repaired
		case diagnosis.Stop:
			if !r.Response.WaitOnFailure && r.decide(report, finding, provisioner.ReplyStop) == provisioner.ReplyStop {
				r.stop(report, finding, "a person decided") // before being asked, from elsewhere
			}
		}
	}
	return repaired
}

func (r *responder) forgetGone(report provisioner.Report, findings []diagnosis.Finding) {
	for rule := range r.reported {
		if !hasFinding(findings, rule) {
			delete(r.reported, rule)
		}
	}
	if r.question != nil && !hasFinding(findings, r.question.Rule) {
		report(provisioner.Event{Type: provisioner.TypeDecision, Name: r.question.Rule, State: provisioner.Gone, Text: "no decision needed any more: " + r.question.Cause})
		r.question = nil
	}
}

// What somebody has changed is repaired only if a person agrees, as is what somebody has removed again after a repair, if there is
// a person.
func (r *responder) respondToRepairable(ctx context.Context, report provisioner.Report, finding diagnosis.Finding) bool {
	if r.Response.NoRepair {
		return false
	}
	past := r.repaired[finding.Rule]
	if past != nil && r.Clock.Now().Sub(past.last) < repairDelay {
		return false // what was restored is not read again, or has no effect yet
	}
	if finding.Changed || past.hasRestored(finding.Objects) && r.isAttended() {
		if r.decide(report, finding, provisioner.ReplyRepair) != provisioner.ReplyRepair {
			return false
		}
		r.forgetAnswer(finding.Rule)
	}
	return r.repair(ctx, report, finding)
}

func (p *repair) hasRestored(objects []string) bool {
	return p != nil && slices.ContainsFunc(objects, func(object string) bool { return slices.Contains(p.objects, object) })
}

// repair calls the functions that created the objects. A failure is repeated, and never ends the run.
func (r *responder) repair(ctx context.Context, report provisioner.Report, finding diagnosis.Finding) bool {
	done := r.repaired[finding.Rule]
	if done == nil {
		done = &repair{}
		r.repaired[finding.Rule] = done
	}
	event := provisioner.Event{Type: provisioner.TypeRepair, Name: finding.Rule, Evidence: finding.Objects}
	if done.count >= maxRepairs {
		if !done.given {
			done.given = true
			event.State, event.Text, event.Reason = provisioner.Failed, "not repaired again: "+finding.Cause, fmt.Sprintf("%d repairs did not last", maxRepairs)
			report(event)
		}
		return false
	}
	done.count++
	event.State, event.Text = provisioner.Started, "repairing "+string(finding.Restores)+": "+finding.Cause
	report(event)
	err := r.restore(ctx, report, finding)
	done.last = r.Clock.Now()
	if err != nil {
		event.State, event.Text, event.Reason = provisioner.Failed, "not repaired: "+finding.Cause, err.Error()
		report(event)
		return false
	}
	done.objects = append(done.objects, finding.Objects...)
	event.State, event.Text = provisioner.Done, "repaired "+string(finding.Restores)+": "+strings.Join(finding.Objects, ", ")
	report(event)
	return true
}

func (r *responder) restore(ctx context.Context, report provisioner.Report, finding diagnosis.Finding) error {
	switch finding.Restores {
	case diagnosis.RuleParts:
		return r.SecurityGroups.Ensure(ctx, report)
	case diagnosis.RecordParts:
		return r.restoreRecords(ctx, report, finding)
	case diagnosis.AttachmentParts:
		return r.Machines.RestoreAttachments(ctx, report)
	case diagnosis.MachineParts:
		return r.Machines.StartStopped(ctx, report, finding.Objects)
	case diagnosis.RouterParts:
		return r.RestoreRouters(ctx, report)
	}
	return fault.Newf(fault.Internal, "repair "+finding.Rule, "there is nothing to restore")
}

// The names of the applications are an alias of the ingress's name.
func (r *responder) restoreRecords(ctx context.Context, report provisioner.Report, finding diagnosis.Finding) error {
	apps, domain := r.Spec.AppsDomain(), r.Spec.Domain()
	isWanted := func(name string) bool {
		return slices.ContainsFunc(finding.Objects, func(object string) bool {
			ofApps := strings.HasSuffix(object, "."+apps)
			return name == object || ofApps && (name == "*."+apps || name == "ingress."+domain)
		})
	}
	if err := r.DNS.Restore(ctx, report, isWanted, finding.Changed); err != nil {
		return err
	}
	return r.Machines.RestoreRecords(ctx, report, r.Facts.Get().IsBootstrapped())
}

// decide returns what is to be done about a finding that has lasted, "" while that is not known. otherwise is what a person is
// asked about; without a person the run stops.
func (r *responder) decide(report provisioner.Report, finding diagnosis.Finding, otherwise provisioner.Reply) provisioner.Reply {
	now := r.Clock.Now()
	since, known := r.reported[finding.Rule]
	if !known {
		since = now
		r.reported[finding.Rule] = now
	}
	if answer := r.getAnswer(finding.Rule); answer != "" {
		return answer
	}
	isAttended := r.isAttended()
	switch {
	case isAttended && r.question == nil:
		r.question = &finding
		report(newQuestion(finding, otherwise))
	case !isAttended && r.Response.WaitOnFailure:
		return provisioner.ReplyWait
	case !isAttended && now.Sub(since) >= stopDelay:
		r.stop(report, finding, "there is no terminal to ask on")
	}
	return ""
}

func (r *responder) isAttended() bool { return r.attended != nil && r.attended() }

func newQuestion(finding diagnosis.Finding, otherwise provisioner.Reply) provisioner.Event {
	event := provisioner.Event{
		Type: provisioner.TypeDecision, Name: finding.Rule, State: provisioner.Asked, Decision: string(otherwise),
		Evidence: finding.Evidence, Hint: finding.Fix, Text: finding.Cause + " This run cannot fix it. Stop the run?",
	}
	if otherwise == provisioner.ReplyRepair {
		event.Text = finding.Cause + " It was changed since it was created. Repair it?"
	}
	return event
}

// stop ends all waits with an error.
func (r *responder) stop(report provisioner.Report, finding diagnosis.Finding, reason string) {
	if r.getVerdict() != nil {
		return
	}
	report(provisioner.Event{
		Type: provisioner.TypeDecision, Name: finding.Rule, State: provisioner.Decided, Decision: string(provisioner.ReplyStop),
		Text: "the run stops: " + finding.Cause, Reason: reason,
	})
	why := "this run cannot fix it"
	if finding.Changed {
		why = "it was changed since it was created, and there is no terminal to ask whether to repair it"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(r.stopped)
	failure := fault.Newf(fault.Conflict, "wait for the cluster", "the run stops, as %s: %s", why, finding.Cause).WithHint("%s", finding.Fix)
	r.verdict = &provisioner.PhaseError{Phase: string(finding.Blocks), Err: failure}
}

// answer records what a person decided about a finding. The next poll acts on it.
func (r *responder) answer(rule string, reply provisioner.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[rule] = reply
}

func (r *responder) getAnswer(rule string) provisioner.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers[rule]
}

// applyAnswer acts on a person's decision about the pending question.
func (r *responder) applyAnswer(report provisioner.Report) {
	if r.question == nil || r.getAnswer(r.question.Rule) == "" {
		return
	}
	finding, reply := *r.question, r.getAnswer(r.question.Rule)
	r.question = nil
	if reply == provisioner.ReplyStop {
		r.stop(report, finding, "a person decided")
		return
	}
	text := "the run continues despite: " + finding.Cause
	if reply == provisioner.ReplyRepair {
		text = "repairing: " + finding.Cause
	}
	report(provisioner.Event{Type: provisioner.TypeDecision, Name: finding.Rule, State: provisioner.Decided, Decision: string(reply), Text: text, Reason: "a person decided"})
}

func (r *responder) forgetAnswer(rule string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.answers, rule)
}

// EndByVerdict returns steps that end with the verdict once the run stops for a finding.
func (w *Watcher) EndByVerdict(steps provisioner.Plan) provisioner.Plan {
	ending := slices.Clone(steps)
	for n, step := range steps {
		ending[n].Do = w.responder.endByVerdict(step.Do)
	}
	return ending
}

func (r *responder) endByVerdict(do provisioner.StepFunc) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		go func() {
			select {
			case <-r.stopped:
				stop(r.getVerdict())
			case <-ctx.Done():
			}
		}()
		err := do(ctx, report)
		if verdict := r.getVerdict(); err != nil && verdict != nil && !provisioner.IsSkip(err) {
			return verdict // in the place of a call that it interrupted
		}
		return err
	}
}

// getVerdict returns why the run stops, nil if it goes on.
func (r *responder) getVerdict() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.verdict
}
