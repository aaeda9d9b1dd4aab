// Package contract_test holds the adapters and a zone, simulated or live, to what the recipe relies on for every kind
// of thing that it makes: ensured twice there is one, several are a conflict, deleted twice is fine.
package contract_test

import (
	"context"
	"errors"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

// subject is one kind of thing that the recipe makes.
type subject struct {
	// ensure makes the thing, or finds it.
	ensure func(ctx context.Context) (state.Action, error)
	// count returns how many of them there are.
	count func(ctx context.Context) int
	// remove deletes all of them.
	remove func(ctx context.Context) (state.Action, error)

	// double makes another one without asking whether there is one; nil where no call of the API could.
	double func(ctx context.Context) error
	// unique says that the API refuses doubles.
	unique bool
	// several is what ensuring reports about two; "" means that it is a conflict.
	several state.Action
}

// kinds are the subjects by their kind. A subject makes what it needs first.
func kinds() map[string]func(context.Context, *world) subject {
	return map[string]func(context.Context, *world) subject{
		"ssh key":             sshKey,
		"anti-affinity group": antiAffinityGroup,
		"instance":            instance,
		"template":            template,
		"security group":      securityGroup,
		"security group rule": securityGroupRule,
		"temporary rule":      temporaryRule,
		"elastic ip":          elasticIP,
		"attachment":          attachment,
		"private network":     privateNetwork,
		"dns zone":            dnsZone,
		"dns record":          dnsRecord,
		"iam role":            role,
		"api key":             apiKey,
		"bucket":              bucket,
		"object":              object,
	}
}

// suite runs the contract for every kind, each in a world that open makes.
func suite(t *testing.T, open func(t *testing.T, use func(w *world))) {
	t.Helper()
	for kind, of := range kinds() {
		t.Run(kind, func(t *testing.T) {
			open(t, func(w *world) { holds(w, of(w.ctx(), w)) })
		})
	}
}

// holds goes through the life of one thing.
func holds(w *world, s subject) {
	w.Helper()
	ctx := w.ctx()
	w.want("deleting what never was", state.Found)(s.remove(ctx))
	w.wantCount(s, 0)
	w.want("ensuring", state.Created)(s.ensure(ctx))
	w.wantCount(s, 1)
	w.want("ensuring again", state.Found)(s.ensure(ctx))
	w.wantCount(s, 1)
	if s.double != nil {
		w.twice(ctx, s)
	}
	w.want("deleting", state.Deleted)(s.remove(ctx))
	w.wantCount(s, 0)
	w.want("deleting again", state.Found)(s.remove(ctx))
}

// twice makes a double behind the back of the adapter. Whether the live API allows it is not recorded for every kind.
func (w *world) twice(ctx context.Context, s subject) {
	w.Helper()
	err := s.double(ctx)
	switch refused := new(refusal); {
	case errors.As(err, &refused):
		w.Logf("the API refuses a double: %v", err)
		w.wantCount(s, 1)
		return
	case err != nil:
		w.Fatal(err)
	case s.unique:
		w.Error("the API allowed a double")
	}
	action, err := s.ensure(ctx)
	if s.several == "" {
		if !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "" {
			w.Errorf("two of them: %q, %v; want a conflict that tells what to do", action, err)
		}
		return
	}
	w.want("ensuring one of two", s.several)(action, err)
}

func (w *world) want(what string, want state.Action) func(state.Action, error) {
	return func(got state.Action, err error) {
		w.Helper()
		if err != nil || got != want {
			w.Fatalf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
}

func (w *world) wantCount(s subject, want int) {
	w.Helper()
	if n := s.count(w.ctx()); n != want {
		w.Fatalf("there are %d, want %d", n, want)
	}
}
