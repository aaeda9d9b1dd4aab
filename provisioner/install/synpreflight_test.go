package install

import (
	"testing"
	"time"
)

func TestTheLifeOfATokenIsToldAsPeopleSayIt(t *testing.T) {
	for life, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 72*time.Minute + 10*time.Second: "1h12m", 10 * time.Minute: "10m", 10*time.Hour + 10*time.Minute: "10h10m",
	} {
		if got := minutes(life); got != want {
			t.Errorf("%s is told as %s", life, got)
		}
	}
	if got := hours(tokenLife); got != "24 hours" {
		t.Error(got)
	}
}
