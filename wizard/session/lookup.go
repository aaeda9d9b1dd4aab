package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/local"
)

// LookupDelay is the time from the last change of an answer to the lookups that depend on it.
const LookupDelay = 400 * time.Millisecond

// ErrStopped is the error of a lookup that the operator cancelled.
var ErrStopped = errors.New("stopped")

// LookupState is where a lookup is between two changes of its answers.
type LookupState int

// The states of a lookup.
const (
	Idle    LookupState = iota // an answer is missing or wrong
	Due                        // to be started after Delay
	Running                    //
	Known                      // Result or Err is about the present answers
)

// Lookup is a lookup of the interview and its state.
type Lookup struct {
	wizard.Lookup
	State        LookupState
	Generation   int           // changes with every reset: a delay that began before is void
	Delay        time.Duration // while it is due
	Result       wizard.LookupResult
	Err          error
	Began, Ended time.Time

	subject string // the answers that it depends on, joined into one text
	ready   bool   // all of them are present and valid
	run     run
}

// DescribeError returns why the lookup failed, in one line also where several things did.
func (q *Lookup) DescribeError() string {
	return strings.ReplaceAll(q.Err.Error(), "\n", "; ")
}

// reset drops the result, also a pending one. Choices and limits are kept: they rarely change, and must not be bypassed while the
// lookup runs again.
func (q *Lookup) reset() {
	q.run.stop()
	q.Generation++
	q.State, q.Err = Idle, nil
	q.Result = wizard.LookupResult{Choices: q.Result.Choices, Quotas: q.Result.Quotas}
}

func (q *Lookup) schedule(delay time.Duration) {
	q.reset()
	q.State, q.Delay = Due, delay
}

// Lookups are the lookups of an interview.
type Lookups struct {
	all       []*Lookup
	spec      state.Spec // the answers
	lookupEnv func(string) (string, bool)
	now       func() time.Time
	onChange  func()
}

func newLookups(i *wizard.Interview, now func() time.Time, onChange func()) *Lookups {
	l := &Lookups{lookupEnv: i.LookupEnv, now: now, onChange: onChange}
	for _, one := range i.Lookups {
		l.all = append(l.all, &Lookup{Lookup: one})
	}
	return l
}

// List returns the lookups that are relevant for the answers.
func (l *Lookups) List() []Lookup {
	var relevant []Lookup
	for _, q := range l.all {
		if q.IsRelevant(l.spec) {
			relevant = append(relevant, *q)
		}
	}
	return relevant
}

// schedule schedules the lookups whose answers have changed, after a pause in which more may change.
func (l *Lookups) schedule(s *Session, delay time.Duration) {
	l.spec = s.Spec()
	for _, q := range l.all {
		var values strings.Builder
		q.ready = q.IsRelevant(l.spec)
		for _, key := range q.Keys {
			value, valid := s.Answer(key)
			q.ready = q.ready && valid
			values.WriteString(key + "=" + value + "\n")
		}
		for _, key := range q.Optional {
			value, _ := s.Answer(key)
			values.WriteString(key + "=" + value + "\n")
		}
		subject := values.String()
		if subject == q.subject && (q.State != Idle || !q.ready) {
			continue
		}
		q.reset()
		if q.subject = subject; q.ready {
			q.schedule(delay)
		}
	}
	l.onChange()
}

// Start starts a lookup that is due since that generation; nil if it is no longer.
func (l *Lookups) Start(id string, generation int) Work {
	i := slices.IndexFunc(l.all, func(q *Lookup) bool { return q.ID == id && q.Generation == generation && q.State == Due })
	if i < 0 {
		return nil
	}
	q, spec := l.all[i], l.spec
	q.State, q.Began = Running, l.now()
	return q.run.start(func(ctx context.Context, post func(func())) {
		secrets, _ := local.ResolveSecrets(spec, l.lookupEnv)
		result, err := q.Run(ctx, spec, secrets)
		post(func() { l.finish(q, result, err) })
	})
}

func (l *Lookups) finish(q *Lookup, result wizard.LookupResult, err error) {
	q.State, q.Ended, q.Err = Known, l.now(), err
	if err == nil {
		q.Result = sanitizeResult(result)
	}
	l.onChange()
}

// IsRunning reports whether a lookup is running.
func (l *Lookups) IsRunning() bool {
	return slices.ContainsFunc(l.all, func(q *Lookup) bool { return q.State == Running })
}

// Stop ends the running lookups with an error, which blocks nothing.
func (l *Lookups) Stop(err error) {
	for _, q := range l.all {
		if q.State == Running {
			q.reset()
			l.finish(q, wizard.LookupResult{}, err)
			q.Began = time.Time{}
		}
	}
}

// Repeat has the lookups repeated that are selected, as far as their answers are there.
func (l *Lookups) Repeat(selected func(Lookup) bool) {
	for _, q := range l.all {
		if q.ready && selected(*q) {
			q.schedule(0)
		}
	}
	l.onChange()
}

func (l *Lookups) reset() {
	for _, q := range l.all {
		q.reset()
	}
}

// ProblemsElsewhere returns the problems that the lookups of a screen found with answers of other screens.
func (l *Lookups) ProblemsElsewhere(screen wizard.Screen) []wizard.Problem {
	var found []wizard.Problem
	for _, q := range l.all {
		for _, problem := range q.Result.Problems {
			if on := wizard.ScreenOf(problem.Field); q.Screen == screen && on != screen && on != "" {
				found = append(found, problem)
			}
		}
	}
	return found
}

// Quotas returns the limits of the organization. After a failed lookup, earlier limits are not applied.
func (l *Lookups) Quotas() []wizard.Quota {
	var all []wizard.Quota
	for _, q := range l.all {
		if q.Err == nil {
			all = append(all, q.Result.Quotas...)
		}
	}
	return all
}

// Choices returns the choices of a field: those that lookups found, or else its own.
func (l *Lookups) Choices(field wizard.Field) []wizard.Choice {
	if found := l.Found(field); len(found) > 0 {
		return found
	}
	choices := slices.Clone(field.Offered)
	for _, value := range field.Choices {
		choices = append(choices, wizard.Choice{Value: value})
	}
	if len(choices) == 0 && strings.HasSuffix(field.Key, ".type") {
		for _, offer := range instancetype.List() {
			choices = append(choices, wizard.Choice{Value: offer.Name, Note: fmt.Sprintf("%d CPUs, %g GiB", offer.CPUs, offer.Memory)})
		}
	}
	return choices
}

// Found returns the choices that lookups found. Additional groups have those of the workers.
func (l *Lookups) Found(field wizard.Field) []wizard.Choice {
	keys := []string{field.Key}
	if strings.Contains(field.Key, "[") {
		keys = append(keys, "sizing.workers"+field.Key[strings.LastIndex(field.Key, "."):])
	}
	for _, key := range keys {
		for _, q := range l.all {
			if choices := q.Result.Choices[key]; len(choices) > 0 {
				return choices
			}
		}
	}
	return nil
}

// sanitizeResult makes the texts of services safe to show.
func sanitizeResult(r wizard.LookupResult) wizard.LookupResult {
	r.Summary = text.Sanitize(r.Summary)
	r.Problems, r.Warnings = sanitizeProblems(r.Problems), sanitizeProblems(r.Warnings)
	choices := map[string][]wizard.Choice{}
	for key, offered := range r.Choices {
		for _, choice := range offered {
			choices[key] = append(choices[key], wizard.Choice{Value: text.Sanitize(choice.Value), Note: text.Sanitize(choice.Note)})
		}
	}
	r.Choices, r.Quotas = choices, slices.Clone(r.Quotas)
	for i := range r.Quotas {
		r.Quotas[i].Resource = text.Sanitize(r.Quotas[i].Resource)
	}
	return r
}

func sanitizeProblems(problems []wizard.Problem) []wizard.Problem {
	sanitized := slices.Clone(problems)
	for i := range sanitized {
		p := &sanitized[i]
		for _, part := range []*string{&p.Field, &p.Message, &p.Allowed, &p.Suggestion, &p.Hint} {
			*part = text.Sanitize(*part)
		}
	}
	return sanitized
}
