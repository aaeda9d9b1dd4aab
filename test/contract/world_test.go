package contract_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// world is an organization in a zone, as the recipe's adapters see it. Which zone it is, nothing in here knows.
type world struct {
	testing.TB
	cloud   *exoscale.Client
	buckets *objects.Client
	net     network.Network
	account account
	run     string // begins all names
	image   string // a link to an image that templates can be made of; "" for none
}

// account is what the zone is entered with.
type account struct{ zone, key, secret string }

// newWorld returns a world in which nothing of this run is left when the test ends.
func newWorld(t testing.TB, net network.Network, account account) *world {
	t.Helper()
	w := &world{TB: t, net: net, account: account, run: "e2e-" + strings.ToLower(rand.Text()[:10]) + "-"}
	notes := &journal{}
	var err error
	w.cloud, err = exoscale.New(net, account.zone, account.key, account.secret, notes)
	w.check(err)
	t.Cleanup(w.cloud.Close)
	w.buckets, err = objects.New(net, account.zone, account.key, account.secret, notes)
	w.check(err)
	t.Cleanup(w.buckets.Close)
	t.Cleanup(w.sweep)
	return w
}

// ctx outlives the test, for its last act is to delete what it made.
func (w *world) ctx() context.Context { return context.WithoutCancel(w.Context()) }

func (w *world) name(of string) string { return w.run + of }

func (w *world) labels() map[string]string { return map[string]string{"exoshift-cluster": w.run} }

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// named returns the objects of this run; of a kind and name, unless these are "".
func (w *world) named(ctx context.Context, kind, name string) []state.Object {
	w.Helper()
	all, err := w.cloud.ListObjects(ctx)
	w.check(err)
	boxes, err := w.buckets.ListBuckets(ctx)
	w.check(err)
	var found []state.Object
	for _, o := range append(all, boxes...) {
		if strings.HasPrefix(o.Name, w.run) && (kind == "" || o.Kind == kind && o.Name == name) {
			found = append(found, o)
		}
	}
	return found
}

// sweep deletes whatever this run has left.
func (w *world) sweep() {
	ctx, cancel := context.WithTimeout(w.ctx(), time.Hour)
	defer cancel()
	for _, o := range w.named(ctx, "", "") {
		if _, err := w.delete(ctx, o); err != nil {
			w.Errorf("left behind: %s %s (%s): %v", o.Kind, o.Name, o.ID, err)
		}
	}
}

func (w *world) delete(ctx context.Context, o state.Object) (state.Action, error) {
	if o.Kind == state.KindBucket {
		return w.buckets.DeleteBucket(ctx, o.Name)
	}
	return w.cloud.Delete(ctx, o)
}

// things counts and deletes the objects of a kind and name.
type things struct {
	*world
	kind, name string
	known      []state.Object // were there once
}

func (t *things) count(ctx context.Context) int { return len(t.named(ctx, t.kind, t.name)) }

// remove also deletes what is known to be gone, or something that never was.
func (t *things) remove(ctx context.Context) (state.Action, error) {
	known := t.named(ctx, t.kind, t.name)
	if len(known) == 0 {
		known = t.known
	}
	if len(known) == 0 {
		known = []state.Object{{Kind: t.kind, Name: t.name, ID: t.never()}}
	}
	t.known = known
	result := state.Found
	for _, o := range known {
		action, err := t.delete(ctx, o)
		if err != nil {
			return action, err
		}
		if action != state.Found {
			result = action
		}
	}
	return result, nil
}

// never is an ID that nothing has.
func (t *things) never() string {
	switch t.kind {
	case state.KindSSHKey, state.KindAPIKey, state.KindBucket:
		return t.name
	}
	return "0e2e0e2e-0e2e-4e2e-8e2e-0e2e0e2e0e2e"
}

// journal remembers the open intents.
type journal struct{ open sync.Map }

func (j *journal) RecordIntent(kind, name string) error {
	j.open.Store([2]string{kind, name}, true)
	return nil
}

func (j *journal) RecordResult(kind, name, _ string, _ state.Action) error {
	j.open.Delete([2]string{kind, name})
	return nil
}

func (j *journal) Open(kind, name string) bool {
	_, open := j.open.Load([2]string{kind, name})
	return open
}

// ensureTemplate is what the recipe does: find, then register.
func (w *world) ensureTemplate(ctx context.Context, wanted state.Template) (state.Action, error) {
	_, err := w.cloud.FindTemplate(ctx, wanted.Name)
	if !fault.Is(err, fault.NotFound) {
		return state.Found, err
	}
	made, err := w.cloud.RegisterTemplate(ctx, wanted)
	if err == nil && made.ID == "" {
		err = errors.New("the template has no ID")
	}
	return state.Created, err
}
