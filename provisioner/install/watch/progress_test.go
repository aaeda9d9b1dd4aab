package watch

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/state"
)

// impatient is a clock that never waits.
type impatient struct{}

func (impatient) Now() time.Time { return time.Now() }

func (impatient) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// stopped is a clock with a given time.
type stopped struct {
	impatient
	now time.Time
}

func (s *stopped) Now() time.Time { return s.now }

func TestProgress_CountsNewMaximumOnly(t *testing.T) {
	clock := &stopped{now: time.Unix(0, 0)}
	w := &Watcher{Deps: Deps{Clock: clock}}
	members := func(voters ...string) state.Snapshot {
		seen := state.Snapshot{At: clock.now}
		for _, name := range voters {
			seen.Etcd.Members = append(seen.Etcd.Members, state.EtcdMember{Name: name, State: "voter"})
		}
		return seen
	}
	lacking := errors.New("3 of 4 members")
	w.progress.track(members("a", "b"))
	for range 10 { // a member that appears and disappears
		clock.now = clock.now.Add(time.Minute)
		w.progress.track(members("a"))
		clock.now = clock.now.Add(time.Minute)
		w.progress.track(members("a", "b"))
	}
	if got := w.extendDeadline(lacking); got != lacking { //nolint:errorlint // the very same error is what an impatient wait returns
		t.Error("what goes back and forth counts as headway")
	}
	w.progress.track(members("a", "b", "c"))
	if got := w.extendDeadline(lacking); got == lacking { //nolint:errorlint // see above
		t.Error("a third voter is no headway")
	}
	if w.extendDeadline(nil) != nil {
		t.Error("what lacks nothing lacks something")
	}
}

func TestProgress_IgnoresEndlessRollout(t *testing.T) {
	clock := &stopped{now: time.Unix(0, 0)}
	w := &Watcher{Deps: Deps{Clock: clock}}
	for revision := range 100 {
		clock.now = clock.now.Add(5 * time.Minute)
		w.progress.track(state.Snapshot{At: clock.now, Etcd: state.EtcdStatus{
			Revision: revision, Members: []state.EtcdMember{{Name: "a", State: "voter", Revision: revision}},
		}})
	}
	lacking := errors.New("an operator that changes its mind")
	if got := w.extendDeadline(lacking); got != lacking { //nolint:errorlint // see above
		t.Error("one revision after the other makes a wait endless")
	}
}
