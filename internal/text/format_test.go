package text

import (
	"testing"
	"time"
)

func TestFormatDuration_Readable(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 900 * time.Millisecond: "0s", 42 * time.Second: "42s", 2 * time.Minute: "2m",
		118 * time.Second: "1m58s", 125*time.Minute + time.Second: "2h05m",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("Short(%d) = %q, want %q", d, got, want)
		}
	}
	if got := FormatClock(31*time.Hour + 62*time.Second); got != "31:01:02" {
		t.Errorf("Clock = %q", got)
	}
}
