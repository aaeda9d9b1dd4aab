package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/state"
)

func TestWithoutAFileTheEmergencyAccessAsksForOne(t *testing.T) {
	t.Parallel()
	err := emergencyFlags{}.run(t.Context(), streams{})
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "--kubeconfig FILE") {
		t.Errorf("exit code %d: %v", exit.Code(err), err)
	}
}

func TestAWrongFileIsAWrongCommandAndKeepsItsHint(t *testing.T) {
	t.Parallel()
	err := toUsageError(fault.Newf(fault.Invalid, "load it", "it is no kubeconfig").WithHint("fetch it"))
	if exit.Code(err) != exit.Usage || fault.HintOf(err) != "fetch it" {
		t.Errorf("exit code %d, hint %q", exit.Code(err), fault.HintOf(err))
	}
	if err := toUsageError(fault.Newf(fault.Denied, "verify it", "refused")); exit.Code(err) != exit.Denied {
		t.Errorf("a refusal: exit code %d", exit.Code(err))
	}
}

// An installation needs its kubeconfig to enable the routing of alerts.
func TestWhoInvalidatesTooEarlyIsTold(t *testing.T) {
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
		err := emergencyFlags{}.invalidateKubeconfig(t.Context(), streams{out: &out}, folder, nil, nil)
		if exit.Code(err) != exit.Usage || strings.Contains(out.String(), "Run the installation again first") != c.told {
			t.Errorf("on call since %v: %v\n%s", c.onCall, err, out.String())
		}
	}
}
