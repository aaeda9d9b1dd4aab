package simcloud

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestClock_IsMonotonic(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		latest := time.Now()
		for _, life := range []struct {
			speed float64
			pause time.Duration // before it
		}{{0, 0}, {60, 0}, {0, 0}, {60, 0}, {0, 3 * time.Hour}, {600, 0}, {1, 0}} {
			time.Sleep(life.pause)
			o := open(t, Options{Dir: dir, Speed: life.speed})
			if began := o.clock.Now(); began.Before(latest) {
				t.Errorf("speed %g after %s began %s before the end of the one before", life.speed, life.pause, latest.Sub(began))
			}
			time.Sleep(time.Minute)
			latest = o.clock.Now()
			o.close()
		}
	})
}

func TestClock_WallSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Dir: t.TempDir()})
		defer o.close()
		time.Sleep(time.Hour)
		if now := o.clock.Now(); !now.Equal(time.Now()) {
			t.Errorf("it is %s, not %s", now, time.Now())
		}
	})
}

// Timeouts of connections count in wall-clock time: the clock of a zone at real speed must not fall behind it.
func TestClock_WallSpeedAfterRestart(t *testing.T) {
	for name, end := range map[string]func(o *operator, dir string) (next string){
		"closed": func(o *operator, dir string) string { o.close(); return dir },
		"killed": func(o *operator, dir string) string {
			defer o.close()
			left := o.t.TempDir()
			o.must(os.CopyFS(left, os.DirFS(dir)))
			return left
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Dir: dir})
				time.Sleep(tick + time.Second)
				next := end(o, dir)
				before := time.Now()
				again := open(t, Options{Dir: next})
				defer again.close()
				if waited := time.Since(before); waited > tick {
					t.Errorf("it waited for %s", waited)
				}
				time.Sleep(time.Hour)
				if now := again.clock.Now(); !now.Equal(time.Now()) {
					t.Errorf("it is %s, not %s", now, time.Now())
				}
			})
		})
	}
}
