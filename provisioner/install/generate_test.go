package install

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

func TestTwoGenerationsOfCertificatesAreNotMixed(t *testing.T) {
	for name, c := range map[string]struct {
		before, now    string
		renew, refused bool
	}{
		"the first":             {"", "ab", false, false},
		"the same":              {"ab", "ab", false, false},
		"another one":           {"ab", "cd", false, true},
		"another one, as asked": {"ab", "cd", true, false},
	} {
		i := &Installation{
			options: Options{Renew: c.renew}, facts: state.NewFactsStore(state.Facts{RootCAHash: c.before}, nil), ignition: state.Ignition{RootCAHash: c.now},
		}
		if err := i.checkGeneration(); fault.Is(err, fault.Conflict) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMachinesOfAnotherGenerationAreRefusedBeforeAnythingIsMade(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef"
	machine := func(name, role, mark string) state.Object {
		return state.Object{Kind: state.KindInstance, Name: name, Labels: map[string]string{
			state.LabelCluster: "c-1", state.LabelRole: role, state.LabelRootCA: mark,
		}}
	}
	balancer, own := machine("lb-0", "lb", ""), machine("master-0", "master", hash[:16])
	old, unknown := machine("master-1", "master", "fedcba9876543210"), machine("worker-0", "worker", "")
	for name, c := range map[string]struct {
		facts state.Facts
		renew bool
		there []state.Object
		want  string // "" for none
	}{
		"our own":                      {state.Facts{RootCAHash: hash}, false, []state.Object{balancer, own}, ""},
		"of before":                    {state.Facts{RootCAHash: hash}, false, []state.Object{balancer, own, old}, "master-1"},
		"without a mark":               {state.Facts{RootCAHash: hash}, false, []state.Object{unknown}, "worker-0"},
		"to be renewed":                {state.Facts{RootCAHash: hash}, true, []state.Object{own, old}, ""},
		"of a cluster that stands":     {state.Facts{RootCAHash: hash, BootstrapRemoved: time.Now()}, true, []state.Object{old}, "master-1"},
		"and nothing is in the folder": {state.Facts{}, true, []state.Object{own, unknown}, "does not hold their certificates"},
		"only balancers":               {state.Facts{}, false, []state.Object{balancer}, ""},
	} {
		i := &Installation{options: Options{Renew: c.renew}, facts: state.NewFactsStore(c.facts, nil), existing: c.there}
		i.spec.Cluster.ID = "c-1"
		err := i.checkForeignObjects()
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "lb-0")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// silent is a cluster that does not answer, or one at a given phase of the bootstrap.
type silent struct {
	Cluster
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

func TestABootstrapMachineIsNotStartedFromExpiredCertificates(t *testing.T) {
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
		i := &Installation{
			ignition: state.Ignition{Created: created, Expires: created.Add(c.lifetime)}, clients: Clients{Cluster: silent{reached: c.reached}, Clock: impatient{}},
		}
		err := i.checkAge(t.Context())
		if fault.Is(err, fault.Invalid) != c.refused || c.refused && !strings.Contains(fault.HintOf(err), "--renew-certificates") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATemplateThatNodesCouldNotBootFromIsFoundOut(t *testing.T) {
	i := &Installation{facts: &state.FactsStore{}}
	boot := state.BootImage{Build: "9.6.1", SHA256: "aa"}
	want := i.newTemplate(boot)
	for name, c := range map[string]struct {
		spoil func(*state.Template)
		noted string
		says  string // "" for no message
	}{
		"ours":           {func(*state.Template) {}, "", ""},
		"ours, as noted": {func(found *state.Template) { found.MD5 = "m" }, "m", ""},
		"another build":  {func(found *state.Template) { found.Build = "9.4.7" }, "", "build"},
		"legacy boot":    {func(found *state.Template) { found.BootMode = "legacy" }, "", "boot mode"},
		"another user":   {func(found *state.Template) { found.DefaultUser = "ubuntu" }, "", "default user"},
		"not patched":    {func(found *state.Template) { found.Description = "RHCOS" }, "", "description"},
		"another download": {func(found *state.Template) {
			found.Description = i.newTemplate(state.BootImage{SHA256: "bb"}).Description
		}, "", "description"},
		"another image": {func(found *state.Template) { found.MD5 = "n" }, "m", "checksum"},
	} {
		found := want
		found.ID = "id-1"
		c.spoil(&found)
		err := checkTemplate(found, want, c.noted)
		if c.says == "" && err != nil || c.says != "" && (!fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
