package fault_test

import (
	"os"
	"testing"
	"time"

	"exoshift/internal/simcloud/installer"
)

// installerVerb makes the test's own program the openshift-install of the simulated mirror.
const installerVerb = "simulated-openshift-install"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == installerVerb {
		os.Exit(installer.Main(os.Args[2:], time.Time{}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
