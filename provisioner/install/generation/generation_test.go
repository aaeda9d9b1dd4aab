package generation

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestCheckGeneration_RefusesMixedCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		before, now    string
		renew, refused bool
	}{
		"the first":             {"", "ab", false, false},
		"the same":              {"ab", "ab", false, false},
		"another one":           {"ab", "cd", false, true},
		"another one, as asked": {"ab", "cd", true, false},
	} {
		g := &Generator{
			renewal: &Renewal{requested: c.renew}, facts: state.NewFactsStore(state.Facts{RootCAHash: c.before}, nil), ignition: state.Ignition{RootCAHash: c.now},
		}
		if err := g.checkGeneration(); fault.Is(err, fault.Conflict) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckAge_RefusesExpiredCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		age, lifetime time.Duration
		reached       []string
		refused       bool
	}{
		"fresh":                  {time.Minute, 24 * time.Hour, nil, false},
		"about to end":           {23 * time.Hour, 24 * time.Hour, nil, false},
		"ended":                  {25 * time.Hour, 24 * time.Hour, nil, true},
		"short-lived":            {3 * time.Hour, 2 * time.Hour, nil, true},
		"too old, says the rule": {25 * time.Hour, 48 * time.Hour, nil, true},
		"ended, but it runs":     {25 * time.Hour, 24 * time.Hour, []string{state.PhaseTemporaryAPI}, false},
	} {
		created := time.Now().Add(-c.age)
		generated := state.Ignition{Created: created, Expires: created.Add(c.lifetime)}
		err := CheckAge(t.Context(), generated, silent{reached: c.reached}, impatient{})
		if fault.Is(err, fault.Invalid) != c.refused || c.refused && !strings.Contains(fault.HintOf(err), "--renew-certificates") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// silent is a cluster that does not answer, or one at a given phase of the bootstrap.
type silent struct {
	reached []string
}

func (s silent) Poll(context.Context, netip.Addr, []state.ExpectedNode) (seen state.Snapshot, err error) {
	if s.reached == nil {
		return seen, errors.New("nobody answers")
	}
	seen.Bootstrap.Reached = s.reached
	return seen, nil
}

// impatient is a clock that never waits.
type impatient struct{}

func (impatient) Now() time.Time { return time.Now() }

func (impatient) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
