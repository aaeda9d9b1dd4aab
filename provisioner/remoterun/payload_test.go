package remoterun

import (
	"testing"

	"exoshift/internal/fault"
)

func TestPayload_RequiresLinuxProgram(t *testing.T) {
	for system, architecture := range map[string]string{"darwin": "amd64", "linux": "arm64", "windows": "amd64"} {
		_, err := newProgramFor(system, architecture, nil)
		if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%s on %s: %v", system, architecture, err)
		}
	}
	if program, err := newProgramFor("linux", "amd64", []string{"probe"}); err != nil || len(program.Args) != 1 {
		t.Errorf("%+v, %v", program, err)
	}
}
