package main

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func TestWithoutAFileTheEmergencyAccessAsksForOne(t *testing.T) {
	t.Parallel()
	err := emergency{}.run(t.Context(), streams{})
	if exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--kubeconfig FILE") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
}

func TestAWrongFileIsAWrongCommandAndKeepsItsHint(t *testing.T) {
	t.Parallel()
	err := misused(fault.Newf(fault.Invalid, "load it", "it is no kubeconfig").WithHint("fetch it"))
	if exitCode(err) != exitUsage || fault.HintOf(err) != "fetch it" {
		t.Errorf("exit code %d, hint %q", exitCode(err), fault.HintOf(err))
	}
	if err := misused(fault.Newf(fault.Denied, "verify it", "refused")); exitCode(err) != exitDenied {
		t.Errorf("a refusal: exit code %d", exitCode(err))
	}
}
