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

// spent is a Lieutenant whose token for the cluster was used.
type spent struct{ Lieutenant }

func (spent) SignIn(context.Context, Show) error { return nil }

func (spent) GetCluster(_ context.Context, id string) (state.SynCluster, error) {
	return state.SynCluster{ID: id, Tenant: "t-1", Catalog: state.GitRepo{URL: "ssh://git@git.example.net/c-1.git"}}, nil
}

func TestToken_MissingStartsNoMachine(t *testing.T) {
	t.Parallel()
	c := connectedTo(t, &Clients{Lieutenant: spent{}}, Deps{})
	started := false
	c.registration.started = func(context.Context) (bool, error) { return started, nil }
	for name, check := range map[string]func(context.Context, provisioner.Report) error{"preflight": askAbout(c), "before the first machine": c.registration.checkTokenAgain} {
		if err := check(t.Context(), unheard); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "reset the bootstrap token of "+c.Spec.Cluster.ID) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Facts.Update(func(facts *state.Facts) { facts.IgnitionCreated = time.Now() }); err != nil {
		t.Fatal(err)
	}
	if err := c.registration.checkTokenAgain(t.Context(), unheard); !fault.Is(err, fault.Conflict) {
		t.Errorf("the documents are made, and no machine: %v", err)
	}
	started = true
	var text string
	receive := func(e provisioner.Event) { text += e.Text }
	for _, check := range []func(context.Context, provisioner.Report) error{askAbout(c), c.registration.checkTokenAgain} {
		if err := check(t.Context(), receive); err != nil {
			t.Error(err)
		}
	}
	if strings.Count(text, "ask the operator of Lieutenant to reset it") != 2 {
		t.Errorf("told: %s", text)
	}
}

// askAbout returns the check of a registered cluster in the preflight.
func askAbout(c *Connection) func(context.Context, provisioner.Report) error {
	return func(ctx context.Context, report provisioner.Report) error {
		found, err := c.clients.Lieutenant.GetCluster(ctx, c.Spec.Cluster.ID)
		if err != nil {
			return err
		}
		return c.registration.checkToken(report, found, !c.Facts.Get().IgnitionCreated.IsZero())
	}
}

func TestFormatRemaining_IsNotNegative(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		23*time.Hour + 10*time.Second: " for about 23h",
		time.Hour:                     "the installation may take longer",
	} {
		if got := formatRemaining(left); !strings.Contains(got, want) || strings.Contains(got, "-") {
			t.Errorf("%s: %q", left, got)
		}
	}
}

func TestFormatHours_ReadableLifetime(t *testing.T) {
	for life, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 72*time.Minute + 10*time.Second: "1h12m", 10 * time.Minute: "10m", 10*time.Hour + 10*time.Minute: "10h10m",
	} {
		if got := formatMinutes(life); got != want {
			t.Errorf("%s is told as %s", life, got)
		}
	}
	if got := formatHours(tokenLife); got != "24 hours" {
		t.Error(got)
	}
}

// found is a Lieutenant that has the cluster already when it is registered: the answer to the first attempt was lost.
type found struct{ Lieutenant }

func (found) SignIn(context.Context, Show) error { return nil }

func (found) EnsureCluster(_ context.Context, wanted state.SynCluster) (state.SynCluster, state.Action, error) {
	wanted.Catalog.URL, wanted.InstallURL = "ssh://git@git.example.net/c-1.git", "https://lieutenant.example.net/install/steward.json?token=secret"
	return wanted, state.Found, nil
}

func (found) CheckInstallURL(string) error { return nil }

func (found) EnsureDynamicFacts(context.Context, string, map[string]any) (state.Action, error) {
	return state.Found, nil
}

func TestRegistration_TokenExpiryAfterLostReply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seen state.SynCluster // by the checks
		told string
	}{
		"it was free":               {state.SynCluster{ID: "c-1"}, "valid for about 24h"},
		"it was there a while":      {state.SynCluster{ID: "c-1", Catalog: state.GitRepo{URL: "ssh://git@git.example.net/c-1.git"}}, ""},
		"the checks did not see it": {state.SynCluster{}, ""},
	} {
		connection := connectedTo(t, &Clients{Lieutenant: found{}}, Deps{})
		if err := connection.Facts.Update(func(facts *state.Facts) { facts.OpenShiftVersion = "4.21.3" }); err != nil {
			t.Fatal(err)
		}
		connection.registration.cluster = c.seen
		var text string
		err := connection.registration.ensure(t.Context(), func(e provisioner.Event) { text += e.Text + "\n" })
		if c.told == "" && (!fault.Is(err, fault.Conflict) || strings.Contains(text, "valid")) || c.told != "" && (err != nil || !strings.Contains(text, c.told)) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
