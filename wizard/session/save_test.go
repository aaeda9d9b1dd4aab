package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/wizard"
)

// At the end the running job is waited for; queued ones run in their order.
func TestSaves_RunOnceInOrder(t *testing.T) {
	var done, applied []string
	named := func(name string) job {
		return func() func() {
			done = append(done, name)
			return func() { applied = append(applied, name) }
		}
	}
	q := &Saves{
		interview: &wizard.Interview{Save: func(*wizard.Answers) error { done = append(done, "save"); return nil }},
		answers:   wizard.NewAnswers, now: time.Now, dirty: true, jobs: []job{named("first"), named("second")},
	}
	first := q.Start()
	if q.Start() != nil {
		t.Error("two jobs run at once")
	}
	first()
	q.Flush()
	if strings.Join(done, " ") != "first second save" || !slices.Equal(applied, []string{"first", "second"}) {
		t.Errorf("done %v, applied %v", done, applied)
	}
	if at, err := q.LastSaved(); at.IsZero() || err != nil {
		t.Errorf("saved at %v, %v", at, err)
	}
}

func TestSaves_PanicIsAnError(t *testing.T) {
	q := &Saves{
		interview: &wizard.Interview{Save: func(*wizard.Answers) error { panic("the disk is broken") }},
		answers:   wizard.NewAnswers, now: time.Now, dirty: true,
	}
	q.Flush()
	if _, err := q.LastSaved(); err == nil || !strings.Contains(err.Error(), "the disk is broken") {
		t.Errorf("saving ended with %v", err)
	}
}
