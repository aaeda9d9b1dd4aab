package syn

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

func TestWithoutATokenNoMachineIsStartedAndNoneThatRunsIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := connectedTo(t, &World{Lieutenant: spent{}}, Installation{})
	started := false
	c.Started = func(context.Context) (bool, error) { return started, nil }
	for name, check := range map[string]func(context.Context, provisioner.Report) error{"preflight": c.askAbout, "before the first machine": c.checkTokenAgain} {
		if err := check(t.Context(), unheard); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "reset the bootstrap token of "+c.Spec.Cluster.ID) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Remember(func(facts *state.Facts) { facts.IgnitionCreated = time.Now() }); err != nil {
		t.Fatal(err)
	}
	if err := c.checkTokenAgain(t.Context(), unheard); !fault.Is(err, fault.Conflict) {
		t.Errorf("the documents are made, and no machine: %v", err)
	}
	started = true
	var told string
	hear := func(e provisioner.Event) { told += e.Text }
	for _, check := range []func(context.Context, provisioner.Report) error{c.askAbout, c.checkTokenAgain} {
		if err := check(t.Context(), hear); err != nil {
			t.Error(err)
		}
	}
	if strings.Count(told, "have those who run Lieutenant reset it") != 2 {
		t.Errorf("told: %s", told)
	}
}

// askAbout is what the preflight does about a cluster that is registered.
func (c *Connection) askAbout(ctx context.Context, report provisioner.Report) error {
	found, err := c.world.Lieutenant.Cluster(ctx, c.Spec.Cluster.ID)
	if err != nil {
		return err
	}
	return c.checkToken(report, found)
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

func TestTheLifeOfATokenIsToldAsPeopleSayIt(t *testing.T) {
	for life, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 72*time.Minute + 10*time.Second: "1h12m", 10 * time.Minute: "10m", 10*time.Hour + 10*time.Minute: "10h10m",
	} {
		if got := minutes(life); got != want {
			t.Errorf("%s is told as %s", life, got)
		}
	}
	if got := hours(tokenLife); got != "24 hours" {
		t.Error(got)
	}
}
