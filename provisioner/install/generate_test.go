package install

import (
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestTwoGenerationsOfCertificatesAreNotMixed(t *testing.T) {
	for name, c := range map[string]struct {
		before, now string
		refused     bool
	}{
		"the first":   {"", "ab", false},
		"the same":    {"ab", "ab", false},
		"another one": {"ab", "cd", true},
	} {
		i := &Installation{facts: state.Facts{RootCAHash: c.before}, ignition: state.Ignition{RootCAHash: c.now}}
		if err := i.checkGeneration(); fault.Is(err, fault.Conflict) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestABootstrapMachineIsNotStartedFromExpiredCertificates(t *testing.T) {
	for age, refused := range map[time.Duration]bool{time.Minute: false, 23 * time.Hour: false, 25 * time.Hour: true} {
		i := &Installation{ignition: state.Ignition{Created: time.Now().Add(-age)}}
		if err := i.checkAge(); fault.Is(err, fault.Invalid) != refused {
			t.Errorf("%s old: %v", age, err)
		}
	}
}
