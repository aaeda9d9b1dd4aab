package fault_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud"
)

// report counts what the matrix tried and found.
type report struct{ tried, doubled, leftover atomic.Int64 }

// undisturbed is what an installation does and leaves when nothing goes wrong.
type undisturbed struct {
	calls         []string
	before, after []string // pictures
}

func TestInstall_FaultAtEveryCall(t *testing.T) {
	var want undisturbed
	synctest.Test(t, func(t *testing.T) { want = observe(t) })
	if len(want.calls) < 80 {
		t.Fatalf("an installation makes %d calls that change something: %v", len(want.calls), want.calls)
	}
	t.Logf("%d calls that change something, %d objects", len(want.calls), len(want.after)-len(want.before))
	var counts report
	t.Run("calls", func(t *testing.T) {
		for n, call := range sampled(want.calls) {
			for _, with := range chooseBlows(n, testing.Short()) {
				t.Run(fmt.Sprintf("%03d %s", n, with), func(t *testing.T) {
					t.Parallel()
					dir := fastDir(t)
					synctest.Test(t, func(t *testing.T) { interrupt(t, dir, call, with, want, &counts) })
				})
			}
		}
	})
	t.Logf("calls %d, faults tried %d, duplicates %d, leftovers %d",
		len(want.calls), counts.tried.Load(), counts.doubled.Load(), counts.leftover.Load())
}

// observe runs an installation that nothing disturbs.
func observe(t *testing.T) undisturbed {
	l := openLab(t, filepath.Join(fastDir(t), "cluster"), simcloud.Options{}, newStriker("", ""))
	defer l.close()
	l.inside = withoutCluster
	var seen undisturbed
	seen.before = l.picture()
	l.must(l.install())
	seen.calls = l.strike.told()
	seen.after = l.picture()
	if pending := l.pending(); len(pending) > 0 {
		t.Fatalf("a plan of a finished cluster: %+v", pending)
	}
	l.must(l.destroy())
	l.same("after destroy", seen.before, l.picture())
	return seen
}

// interrupt strikes one call, runs the installation again, and looks whether it ends like one that nothing disturbed.
func interrupt(t *testing.T, dir, call string, with blow, want undisturbed, counts *report) {
	l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{}, newStriker(call, with))
	defer l.close()
	l.inside = withoutCluster
	first := l.install()
	if !l.strike.struck {
		t.Fatalf("it never came to this: %s\n%v", call, first)
	}
	counts.tried.Add(1)
	if first == nil && (with == killedBefore || with == killedAfter) {
		t.Error("a killed run ended well")
	}
	if err := l.install(); err != nil {
		t.Fatalf("%s: the rerun: %v", call, err)
	}
	l.checkEnd(call, want, counts)
}

// checkEnd fails unless the zone is as if nothing had disturbed the installation, and empty after the cluster's destruction.
func (l *lab) checkEnd(call string, want undisturbed, counts *report) {
	l.Helper()
	l.settle()
	got := l.picture()
	counts.doubled.Add(int64(max(0, len(got)-len(want.after))))
	l.same(call+": after the rerun", want.after, got)
	if pending := l.pending(); len(pending) > 0 {
		l.Errorf("%s: another run would change %+v", call, pending)
	}
	l.must(l.destroy())
	got = l.picture()
	counts.leftover.Add(int64(max(0, len(got)-len(want.before))))
	l.same(call+": after destroy", want.before, got)
}
