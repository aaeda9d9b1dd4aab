package syn

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/state"
)

// windowless is a cluster whose catalog has no UpgradeConfig.
type windowless struct{ GitOps }

func (windowless) EnsureMaintenance(context.Context, string) (state.Action, error) {
	return "", fault.Newf(fault.Transient, "schedule", "the UpgradeConfig does not exist yet")
}

func TestFirstMaintenance_NamesMissingWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectedTo(t, &Clients{Cluster: windowless{}}, Deps{})
		c.registration.cluster.Facts = map[string]string{"maintenance_window": "tusday-1000"}
		if err := c.operations.runFirstMaintenance(t.Context(), unheard); !strings.Contains(fault.HintOf(err), "has the UpgradeConfig tusday-1000, which the fact maintenance_window names") {
			t.Errorf("%v\n%s", err, fault.HintOf(err))
		}
		c.registration.cluster.Facts["maintenance_window"] = "custom"
		if err := c.operations.runFirstMaintenance(t.Context(), unheard); err == nil || err.Error() != "its maintenance window is custom, and its name is not known" {
			t.Errorf("a custom window: %v", err)
		}
	})
}
