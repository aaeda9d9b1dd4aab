package install

import (
	"context"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// spent is a Lieutenant whose token for the cluster is gone.
type spent struct{ Lieutenant }

func (spent) SignIn(context.Context, Show) error { return nil }

func (spent) Cluster(_ context.Context, id string) (state.SynCluster, error) {
	return state.SynCluster{ID: id, Tenant: "t-1", Catalog: state.GitRepo{URL: "ssh://git@git.example.net/c-1.git"}}, nil
}

// zoneWith is a zone with these machines.
type zoneWith struct {
	Cloud
	machines []state.Instance
}

func (z zoneWith) Instances(context.Context, map[string]string) ([]state.Instance, error) {
	return z.machines, nil
}

func TestWithoutATokenNoMachineIsStartedAndNoneThatRunsIsLeftAlone(t *testing.T) {
	t.Parallel()
	i := connectedTo(t, &SynWorld{Lieutenant: spent{}}, Options{})
	i.world.Cloud = zoneWith{}
	for name, check := range map[string]func(context.Context, provisioner.Report) error{"preflight": i.askAbout, "before the first machine": i.checkTokenAgain} {
		if err := check(t.Context(), unheard); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "reset the bootstrap token of "+i.spec.Cluster.ID) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := i.remember(func(facts *state.Facts) { facts.IgnitionCreated = time.Now() }); err != nil {
		t.Fatal(err)
	}
	if err := i.checkTokenAgain(t.Context(), unheard); !fault.Is(err, fault.Conflict) {
		t.Errorf("the documents are made, and no machine: %v", err)
	}
	i.world.Cloud = zoneWith{machines: []state.Instance{{Name: "bootstrap"}}}
	var told string
	hear := func(e provisioner.Event) { told += e.Text }
	for _, check := range []func(context.Context, provisioner.Report) error{i.askAbout, i.checkTokenAgain} {
		if err := check(t.Context(), hear); err != nil {
			t.Error(err)
		}
	}
	if strings.Count(told, "have those who run Lieutenant reset it") != 2 {
		t.Errorf("told: %s", told)
	}
}

// askAbout is what the preflight does about a cluster that is registered.
func (i *Installation) askAbout(ctx context.Context, report provisioner.Report) error {
	found, err := i.world.Syn.Lieutenant.Cluster(ctx, i.spec.Cluster.ID)
	if err != nil {
		return err
	}
	return i.checkToken(report, found)
}

func TestTheRemainingLifeOfATokenIsNeverNegative(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		23*time.Hour + 10*time.Second: " for about 23h",
		time.Hour:                     "the installation may take longer",
		-time.Hour:                    "may end at any time",
	} {
		if got := remaining(left); !strings.Contains(got, want) || strings.Contains(got, "-") {
			t.Errorf("%s: %q", left, got)
		}
	}
}
