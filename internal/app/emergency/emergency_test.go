package emergency

import (
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
)

func TestToUsageError_KeepsHint(t *testing.T) {
	t.Parallel()
	err := toUsageError(fault.Newf(fault.Invalid, "load it", "it is not a kubeconfig").WithHint("fetch it"))
	if exit.Code(err) != exit.Usage || fault.HintOf(err) != "fetch it" {
		t.Errorf("exit code %d, hint %q", exit.Code(err), fault.HintOf(err))
	}
	if err := toUsageError(fault.Newf(fault.Denied, "verify it", "refused")); exit.Code(err) != exit.Denied {
		t.Errorf("a refusal: exit code %d", exit.Code(err))
	}
}
