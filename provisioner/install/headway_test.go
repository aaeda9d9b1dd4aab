package install

import (
	"errors"
	"testing"
	"time"

	"exoshift/state"
)

// stopped is a clock that shows what it is told.
type stopped struct {
	impatient
	now time.Time
}

func (s *stopped) Now() time.Time { return s.now }

func TestOnlyWhatComesFurtherThanEverIsHeadway(t *testing.T) {
	clock := &stopped{now: time.Unix(0, 0)}
	i := &Installation{world: World{Clock: clock}}
	members := func(voters ...string) state.Observation {
		seen := state.Observation{At: clock.now}
		for _, name := range voters {
			seen.Etcd.Members = append(seen.Etcd.Members, state.EtcdMember{Name: name, State: "voter"})
		}
		return seen
	}
	lacking := errors.New("3 of 4 members")
	i.headway.note(members("a", "b"))
	for range 10 { // a member that comes and goes
		clock.now = clock.now.Add(time.Minute)
		i.headway.note(members("a"))
		clock.now = clock.now.Add(time.Minute)
		i.headway.note(members("a", "b"))
	}
	if got := i.patiently(lacking); got != lacking { //nolint:errorlint // the very same error is what an impatient wait returns
		t.Error("what goes back and forth counts as headway")
	}
	i.headway.note(members("a", "b", "c"))
	if got := i.patiently(lacking); got == lacking { //nolint:errorlint // see above
		t.Error("a third voter is no headway")
	}
	if i.patiently(nil) != nil {
		t.Error("what lacks nothing lacks something")
	}
}

func TestARolloutWithoutEndIsNoHeadway(t *testing.T) {
	clock := &stopped{now: time.Unix(0, 0)}
	i := &Installation{world: World{Clock: clock}}
	for revision := range 100 {
		clock.now = clock.now.Add(5 * time.Minute)
		i.headway.note(state.Observation{At: clock.now, Etcd: state.EtcdStatus{
			Revision: revision, Members: []state.EtcdMember{{Name: "a", State: "voter", Revision: revision}},
		}})
	}
	lacking := errors.New("an operator that changes its mind")
	if got := i.patiently(lacking); got != lacking { //nolint:errorlint // see above
		t.Error("one revision after the other makes a wait endless")
	}
}
