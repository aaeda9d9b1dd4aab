package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestWithoutAFileTheEmergencyAccessAsksForOne(t *testing.T) {
	t.Parallel()
	err := emergencyFlags{}.run(t.Context(), streams{})
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--kubeconfig FILE") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
}

func TestAWrongFileIsAWrongCommandAndKeepsItsHint(t *testing.T) {
	t.Parallel()
	err := toUsageError(fault.Newf(fault.Invalid, "load it", "it is no kubeconfig").WithHint("fetch it"))
	if exitCode(err) != exitUsage || fault.HintOf(err) != "fetch it" {
		t.Errorf("exit code %d, hint %q", exitCode(err), fault.HintOf(err))
	}
	if err := toUsageError(fault.Newf(fault.Denied, "verify it", "refused")); exitCode(err) != exitDenied {
		t.Errorf("a refusal: exit code %d", exitCode(err))
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
		if exitCode(err) != exitUsage || strings.Contains(out.String(), "Run the installation again first") != c.told {
			t.Errorf("on call since %v: %v\n%s", c.onCall, err, out.String())
		}
	}
}
