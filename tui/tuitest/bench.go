package tuitest

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ThreadTime returns the CPU time of the calling thread.
func ThreadTime(b *testing.B) time.Duration {
	b.Helper()
	var clock unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &clock); err != nil {
		b.Fatal(err)
	}
	return time.Duration(clock.Nano())
}
