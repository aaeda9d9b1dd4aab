package contract_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
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
	run     string          // begins all names
	limited context.Context // ends with the time limit of a live zone
	image   string          // a link to an image that templates can be made of; "" for none
}

// account is what the zone is entered with.
type account struct{ zone, key, secret string }

// newWorld returns a world in which nothing of this run is left when the test ends.
func newWorld(t testing.TB, net network.Network, account account) *world {
	t.Helper()
	w := &world{TB: t, net: net, account: account, run: newRun(time.Now()), limited: context.WithoutCancel(t.Context())}
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

// newRun returns what begins the names of a run: the time of its start, in hex, and random letters.
func newRun(start time.Time) string {
	return fmt.Sprintf("e2e-%08x%s-", start.Unix(), strings.ToLower(rand.Text()[:4]))
}

var runPattern = regexp.MustCompile(`^e2e-([0-9a-f]{8})[a-z2-7]{4}-`)

// longestRun is after what time a run is over, whatever became of it: its limit, and what sweeping takes.
const longestRun = 2 * time.Hour

// sweepEarlier deletes what killed runs have left.
func (w *world) sweepEarlier() {
	w.Helper()
	ctx := w.ctx()
	all, err := w.cloud.ListObjects(ctx)
	w.check(err)
	boxes, err := w.buckets.ListBuckets(ctx)
	w.check(err)
	for _, o := range append(all, boxes...) {
		var start int64
		found := runPattern.FindStringSubmatch(o.Name)
		if found == nil {
			continue
		}
		if _, err := fmt.Sscanf(found[1], "%x", &start); err != nil || time.Since(time.Unix(start, 0)) < longestRun {
			continue
		}
		w.Logf("an earlier run left %s %s", o.Kind, o.Name)
		if _, err := w.delete(ctx, o); err != nil {
			w.Errorf("left behind by an earlier run: %s %s (%s): %v", o.Kind, o.Name, o.ID, err)
		}
	}
}

// ctx outlives the test, for its last act is to delete what it made.
func (w *world) ctx() context.Context { return w.limited }

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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), time.Hour) // also after the limit
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
