package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/emergency"
	"exoshift/internal/app/exit"
	"exoshift/state"
)

func TestEmergencyAccess_RequiresFile(t *testing.T) {
	t.Parallel()
	err := emergencyFlags{}.run(t.Context(), cli.Streams{})
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--kubeconfig FILE") {
		t.Errorf("exit code %d: %v", exit.Code(err), err)
	}
}

// An installation needs its kubeconfig to enable the routing of alerts.
func TestInvalidateKubeconfig_RefusesEarly(t *testing.T) {
	t.Parallel()
	folder, err := state.Create(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		onCall time.Time
		told   bool
	}{{time.Time{}, true}, {time.Now(), false}} {
		if err := folder.SaveFacts(state.Facts{Syn: state.SynFacts{OnCall: c.onCall}}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := emergencyFlags{}.invalidateKubeconfig(t.Context(), cli.Streams{Out: &out}, emergency.Access{Folder: folder})
		if exit.Code(err) != exit.Usage || strings.Contains(out.String(), "Run the installation again first") != c.told {
			t.Errorf("on call since %v: %v\n%s", c.onCall, err, out.String())
		}
	}
}
