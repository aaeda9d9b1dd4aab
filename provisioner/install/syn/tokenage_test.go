package syn

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// offering is a Lieutenant that offers the token of a registered cluster.
type offering struct {
	Lieutenant
	urlError error
}

func (offering) SignIn(context.Context, Show) error { return nil }

func (offering) GetCluster(_ context.Context, id string) (state.SynCluster, error) {
	return state.SynCluster{
		ID: id, Tenant: "t-1", Catalog: state.GitRepo{URL: "ssh://git@git.example.net/c-1.git"},
		InstallURL: "https://lieutenant.example.net/install/steward.json?token=secret",
	}, nil
}

func (o offering) CheckInstallURL(string) error { return o.urlError }

func TestCheckToken_StopsBeforeTheFirstMachineUnlessItsAgeIsKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age            time.Duration // since the registration; 0: unknown
		started, trust bool
		said           string // "": it stops
	}{
		"young":                     {age: time.Hour, said: "valid for about 23h"},
		"a day old":                 {age: 24 * time.Hour},
		"of unknown age":            {},
		"a day old, trusted":        {age: 25 * time.Hour, trust: true, said: "as requested,"},
		"of unknown age, trusted":   {trust: true, said: "as requested,"},
		"a day old, machines run":   {age: 25 * time.Hour, started: true, said: "may have expired:"},
		"unknown age, machines run": {started: true, said: "may have expired:"},
	} {
		connection := connectedTo(t, &Clients{Lieutenant: offering{}}, Deps{TrustToken: c.trust, Started: func(context.Context) (bool, error) { return c.started, nil }})
		err := connection.Facts.Update(func(facts *state.Facts) {
			if c.age > 0 {
				facts.Syn.Created = time.Now().Add(-c.age)
			}
			if c.started {
				facts.IgnitionCreated = time.Now()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for where, check := range map[string]func(context.Context, provisioner.Report) error{"preflight": askAbout(connection), "before the first machine": connection.registration.checkTokenAgain} {
			var text string
			err := check(t.Context(), func(e provisioner.Event) { text += e.Text })
			switch {
			case c.said == "" && (!fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "--trust-bootstrap-token") || strings.Contains(text, "valid")):
				t.Errorf("%s, %s: %v, said %q", name, where, err, text)
			case c.said == "" && strings.Contains(err.Error(), "its age is not known") != (c.age == 0):
				t.Errorf("%s, %s: the reason is %v", name, where, err)
			case c.said != "" && (err != nil || !strings.Contains(text, c.said)):
				t.Errorf("%s, %s: %v, said %q", name, where, err, text)
			}
		}
	}
}

func TestCheckToken_RefusesAnInstallURLThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	refused := errors.New("the install URL is of another host than Lieutenant")
	connection := connectedTo(t, &Clients{Lieutenant: offering{urlError: refused}}, Deps{TrustToken: true})
	if err := askAbout(connection)(t.Context(), unheard); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}
