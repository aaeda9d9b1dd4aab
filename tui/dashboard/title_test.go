package dashboard

import (
	"strings"
	"testing"
	"time"
)

func TestTitle_EstimateLeavesRoomForTheID(t *testing.T) {
	plan := demoPlan()
	for i := range plan {
		plan[i].Usual = 20 * time.Minute
	}
	for width, shown := range map[int]bool{60: false, 80: true, 120: true} {
		d := newTestDashboard(middle(), width, 24, func(o *Options) { o.Plan, o.Speed = plan, 120 })
		line := strings.Split(d.View(), "\n")[0]
		if !strings.Contains(line, "c-demo-1 ") || strings.Contains(line, "about ") != shown {
			t.Errorf("%d columns: %q", width, line)
		}
	}
}
