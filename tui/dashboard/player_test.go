package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// recorder records the calls.
type recorder struct{ asked []string }

func (r *recorder) Pause()        { r.asked = append(r.asked, "pause") }
func (r *recorder) Faster()       { r.asked = append(r.asked, "faster") }
func (r *recorder) Slower()       { r.asked = append(r.asked, "slower") }
func (r *recorder) Speed() string { return fmt.Sprintf("pace %d\x1b[2J", len(r.asked)) }

func TestPlayer_Keys(t *testing.T) {
	player := &recorder{}
	d := newTestDashboard(middle(), 80, 24, func(o *Options) { o.Player, o.Stop = player, nil })
	press(d, " ", "+", "-")
	if got := strings.Join(player.asked, " "); got != "pause faster slower" {
		t.Errorf("asked for %q", got)
	}
	if view := d.View(); !strings.Contains(view, "pace 3") || strings.Contains(view, "\x1b") {
		t.Errorf("the pace is not shown:\n%s", view)
	}
	press(d, "/", "+", "-")
	if len(player.asked) != 3 {
		t.Error("what is typed into a filter is a key of the recording")
	}
	if press(d, "esc", "?"); !strings.Contains(d.View(), "pause") {
		t.Errorf("the help does not explain the keys:\n%s", d.View())
	}
}

func TestPlayer_KeysNeedRecording(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	if press(d, "?"); strings.Contains(d.View(), "recording") {
		t.Error("the help explains keys that do nothing")
	}
}
