package clusterdir

import (
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/state"
)

func TestCreateFor_RequiresHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	_, creating := CreateFor("", state.Spec{})
	_, looking := Find("")
	for what, err := range map[string]error{"install": creating, "status": looking} {
		if exit.Code(err) != exit.Usage {
			t.Errorf("%s: %v has exit code %d, want %d", what, err, exit.Code(err), exit.Usage)
		}
	}
}
