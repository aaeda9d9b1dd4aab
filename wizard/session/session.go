// Package session is the interview as a headless state machine: the answers, what is wrong with them, what services know
// about them, and how they are kept. Renderers draw a Session and hand it input; there is neither a terminal nor a network in it.
//
// A Session is confined to one goroutine. Whatever may block is a Work, which a renderer runs in any other.
package session

import (
	"slices"
	"strings"
	"time"

	"exoshift/state"
	"exoshift/wizard"
)

// Suggested is the origin of a recommended answer that was shown to the operator.
const Suggested = "suggested"

// Session is the state of an interview.
type Session struct {
	Interview *wizard.Interview // its functions and settings; the answers are the session's until Close
	Local     *LocalCheck
	Lookups   *Lookups
	Estimates *Estimates
	Saves     *Saves
	Checks    *CheckRuns
	Plan      *ReviewRun

	answers      *wizard.Answers
	index        fieldIndex
	answerErrors []wizard.Problem     // of the answers themselves
	rejections   map[string]rejection // by key
	touched      map[string]bool      // fields that were left once: missing answers are shown, too
	requested    map[string]bool      // fields that are asked in spite of Interview.Only
	visited      map[wizard.Screen]bool
	validation   *validation // nil once anything has changed
}

// rejection is a text that is no valid answer; it stays in its field.
type rejection struct {
	text     string
	problems []wizard.Problem
}

// New returns a session about the answers of an interview. now is the clock for ages.
func New(i *wizard.Interview, now func() time.Time) *Session {
	s := &Session{
		Interview: i, answers: i.Answers.Copy(), rejections: map[string]rejection{}, touched: map[string]bool{}, requested: map[string]bool{},
		visited: map[wizard.Screen]bool{}, Estimates: &Estimates{estimate: i.Estimate},
	}
	s.Local = &LocalCheck{interview: i, onChange: s.invalidate}
	s.Lookups = newLookups(i, now, s.invalidate)
	s.Saves = &Saves{interview: i, now: now, answers: func() *wizard.Answers { return s.answers.Copy() }, secrets: map[string]secretState{}}
	s.Checks, s.Plan = newCheckRuns(s, now), newReviewRun(s, now)
	s.checkAnswers()
	s.Lookups.schedule(s, 0)
	return s
}

// Close cancels what runs in the background, saves what is not saved, and hands the answers to the interview.
func (s *Session) Close() error {
	s.Local.run.stop()
	s.Lookups.reset()
	s.Checks.Stop()
	s.Plan.Stop()
	err := s.Saves.close()
	*s.Interview.Answers = *s.answers.Copy()
	return err
}

// Spec returns the answers.
func (s *Session) Spec() state.Spec { return s.answers.Spec }

// Answers returns the answers with their origins. They are changed by Set, Clear and Edit only.
func (s *Session) Answers() *wizard.Answers { return s.answers }

// Fields returns the fields that a screen asks for, in the order of the questions. An interview that is limited to some keys also
// asks for what was requested.
func (s *Session) Fields(screen wizard.Screen) []wizard.Field {
	if s.Interview.Only == nil {
		return s.index.screens[screen]
	}
	return slices.DeleteFunc(slices.Clone(s.index.screens[screen]), func(f wizard.Field) bool {
		named := slices.ContainsFunc(s.Interview.Only, func(key string) bool { return HasPrefix(f.Key, key) })
		return !named && !s.requested[f.Key]
	})
}

// Request has a field asked, even if the interview is limited to others.
func (s *Session) Request(key string) { s.requested[key] = true }

// IsFolded reports whether a field has a good default and is hidden at first. A limited interview hides none.
func (s *Session) IsFolded(field wizard.Field) bool { return field.Advanced && s.Interview.Only == nil }

// FindField returns the field of a key, or of the key that contains it.
func (s *Session) FindField(path string) (wizard.Field, bool) { return s.index.find(path) }

// Text returns the text that was given last, even if it was rejected.
func (s *Session) Text(field wizard.Field) string {
	if r, rejected := s.rejections[field.Key]; rejected {
		return r.text
	}
	return field.Get(s.Spec())
}

// Set stores a typed answer. A rejected text stays in its field, and the answer does not change.
func (s *Session) Set(key, text string) error { return s.SetFrom(key, text, wizard.Typed) }

// SetFrom is Set for an answer of another origin.
func (s *Session) SetFrom(key, text, origin string) error {
	s.touched[key] = true
	if err := s.answers.Set(key, text, origin); err != nil {
		if field, _ := s.FindField(key); isSecretText(field, text) {
			text = "" // it is neither shown nor kept
		}
		s.rejections[key] = rejection{text, SplitProblems(key, err)}
		s.invalidate()
		return err
	}
	delete(s.rejections, key)
	s.handleChange()
	for screen := range s.visited {
		s.ApplySuggestions(screen)
	}
	return nil
}

// Clear restores the default of an answer.
func (s *Session) Clear(key string) error {
	if err := s.answers.Clear(key); err != nil {
		return err
	}
	delete(s.rejections, key)
	s.handleChange()
	return nil
}

// Edit changes several answers at once that have no common field, such as a group of machines. key is the path of the change.
func (s *Session) Edit(key string, edit func(*state.Spec)) {
	edit(&s.answers.Spec)
	s.answers.Origins[key] = wizard.Typed
	s.handleChange()
}

func (s *Session) handleChange() {
	s.Saves.dirty = true
	s.checkAnswers()
	s.Lookups.schedule(s, LookupDelay)
}

// invalidate has everything validated anew.
func (s *Session) invalidate() {
	s.validation = nil
	s.Estimates.kept = nil
}

// Refresh repeats all lookups, and reads the files and variables again that the answers refer to. If lookups are running, it stops
// them: the operator has waited long enough.
func (s *Session) Refresh() {
	if s.Lookups.IsRunning() {
		s.Lookups.Stop(ErrStopped)
		return
	}
	s.Lookups.Repeat(func(Lookup) bool { return true })
	s.Local.schedule(s.Spec())
}

// SaveSecret saves a secret that was typed; the reference to its file becomes the answer.
func (s *Session) SaveSecret(key, secret string) {
	s.Saves.SaveSecret(key, secret, func(reference string) error { return s.Set(key, reference) })
}

// Touch notes that a field was left: from now on a missing answer is an error.
func (s *Session) Touch(key string) { s.touched[key] = true }

// ApplySuggestions fills in the recommended answers of a screen where there is none. They follow the answers that they depend on
// until another one is typed.
func (s *Session) ApplySuggestions(screen wizard.Screen) {
	s.visited[screen] = true
	changed := false
	for _, field := range s.Fields(screen) {
		origin, value := s.answers.Origin(field.Key), field.Get(s.Spec())
		if origin != Suggested && (origin != wizard.ByDefault || value != "") {
			continue
		}
		suggestion := field.Suggestion(s.Spec())
		switch suggestion {
		case value:
		case "":
			changed = s.answers.Clear(field.Key) == nil || changed
		default:
			changed = s.answers.Set(field.Key, suggestion, Suggested) == nil || changed
		}
	}
	if changed {
		s.handleChange()
	}
}

// HasPrefix reports whether a path is that of a key or of a part of it.
func HasPrefix(path, key string) bool {
	rest, below := strings.CutPrefix(path, key)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// parent returns the path that contains a path, or "".
func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }
