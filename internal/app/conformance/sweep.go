package conformance

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

// A run's name is part of every name that it gives, or stands in the label of its cluster: prefix, the time of its start and random
// digits, both in hex.
const prefix = "exoshift-conformance-"

var namePattern = regexp.MustCompile(prefix + `([0-9a-f]{8})[0-9a-f]{6}`)

func newName(start time.Time) string {
	random := make([]byte, 3)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%s%08x%s", prefix, start.Unix(), hex.EncodeToString(random))
}

// maxAge is how long a run of another machine may go on: it cannot be asked.
const maxAge = 2 * time.Hour

// Sweep deletes what runs left behind that were killed: those of this machine whose process is gone, and others whose time is over.
// Nothing else is touched.
func Sweep(ctx context.Context, o Options) error {
	c, err := connect(o, state.NoJournal{}) // what it deletes is found again if it is killed
	if err != nil {
		return err
	}
	defer c.close()
	s := sweeper{clients: c, clock: o.Network.Clock, progress: o.Progress}
	left, err := s.list(ctx)
	if err != nil {
		return err
	}
	local := listLocal(o.Dir)
	var dead []string
	for name := range left {
		if isOver(name, local) {
			o.Progress("deletes the leftovers of a killed run: " + name)
			dead = append(dead, name)
		}
	}
	if err := s.sweep(ctx, dead); err != nil {
		return err
	}
	for name, zone := range local {
		folder, err := state.OpenReadOnly(filepath.Join(o.Dir, name))
		if err == nil && zone == o.Zone && findDoubt(folder, o.Network.Clock.Now()) == "" {
			_ = os.RemoveAll(folder.Path()) // the next run tries again
		}
	}
	return nil
}

// findDoubt returns something that a run asked for and that may show up yet, "" if there is nothing: an image is imported for an
// hour and more, everything else takes minutes.
func findDoubt(folder state.Folder, now time.Time) string {
	for _, e := range listOpen(folder) {
		limit := 5 * time.Minute
		if e.Kind == state.KindTemplate {
			limit = 3 * time.Hour
		}
		if now.Sub(e.Time) < limit {
			return e.Kind + " " + e.Name
		}
	}
	return ""
}

// listOpen returns the changes of objects whose results are not known. Rules, records and the like go with what they are part of.
func listOpen(folder state.Folder) []state.Entry {
	record, err := folder.ReadJournal()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(record.Open(), func(e state.Entry) bool { return !slices.Contains(slices.Concat(order()...), e.Kind) })
}

// isOver reports whether the run of a name has ended. local are the dead ones of this machine.
func isOver(name string, local map[string]string) bool {
	if _, ours := local[name]; ours {
		return true
	}
	var start int64
	if _, err := fmt.Sscanf(namePattern.FindStringSubmatch(name)[1], "%x", &start); err != nil {
		return false
	}
	return time.Since(time.Unix(start, 0)) > maxAge
}

// listLocal returns the zones of the runs in a folder whose process is gone, by their names.
func listLocal(dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there were none
	}
	dead := map[string]string{}
	for _, entry := range entries {
		folder, err := state.OpenReadOnly(filepath.Join(dir, entry.Name()))
		if err != nil || !namePattern.MatchString(entry.Name()) || folder.IsLocked() {
			continue
		}
		var known record
		if content, err := folder.Read(recordFile); err == nil && json.Unmarshal(content, &known) == nil {
			dead[entry.Name()] = known.Zone
		}
	}
	return dead
}

// sweeper finds and deletes everything of runs.
type sweeper struct {
	clients
	clock    network.Clock
	progress func(string)
}

// list returns what there is of runs, by their names.
func (s sweeper) list(ctx context.Context) (map[string][]state.Object, error) {
	all, err := s.cloud.ListObjects(ctx)
	if err != nil {
		return nil, err
	}
	buckets, err := s.storage.ListBuckets(ctx)
	if err != nil {
		return nil, err
	}
	left := map[string][]state.Object{}
	for _, o := range append(all, buckets...) {
		if name := cmp.Or(namePattern.FindString(o.Labels[state.LabelCluster]), namePattern.FindString(o.Name)); name != "" {
			left[name] = append(left[name], o)
		}
	}
	return left, nil
}

// order is that of deletion: what uses others first. Buckets are last, as machines write into them.
func order() [][]string {
	return [][]string{
		{state.KindInstance},
		{state.KindElasticIP, state.KindSecurityGroup, state.KindAntiAffinityGroup, state.KindTemplate, state.KindZone, state.KindAPIKey, state.KindSSHKey},
		{state.KindRole, state.KindBucket},
	}
}

// passes is how often it is looked for what is left: a creation whose answer was lost may show up late.
const passes = 3

// settleTime is how late that may be.
const settleTime = 30 * time.Second

// sweep deletes everything of these runs, and looks again until there is nothing.
func (s sweeper) sweep(ctx context.Context, runs []string) error {
	if len(runs) == 0 {
		return nil
	}
	var failures error
	for pass := range passes {
		left, err := s.list(ctx)
		if err != nil {
			return err
		}
		var objects []state.Object
		for _, name := range runs {
			objects = append(objects, left[name]...)
		}
		if len(objects) == 0 {
			return nil
		}
		if pass > 0 && s.clock.Sleep(ctx, settleTime) != nil {
			break
		}
		failures = s.deleteAll(ctx, objects)
	}
	left, err := s.list(ctx)
	if err != nil {
		return err
	}
	var words []string
	for _, name := range runs {
		for _, o := range left[name] {
			words = append(words, o.Kind+" "+cmp.Or(o.Name, o.ID))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fault.New(fault.KindOf(failures), "delete the objects of the run", errors.Join(fmt.Errorf("still there: %s", strings.Join(words, ", ")), failures)).
		WithHint("run it again: it deletes leftovers first; or delete it in the Exoscale portal")
}

func (s sweeper) deleteAll(ctx context.Context, objects []state.Object) error {
	var all []error
	for _, kinds := range order() {
		batch := slices.DeleteFunc(slices.Clone(objects), func(o state.Object) bool { return !slices.Contains(kinds, o.Kind) })
		groups := slices.DeleteFunc(slices.Clone(batch), func(o state.Object) bool { return o.Kind != state.KindSecurityGroup })
		all = append(all, s.forEach(groups, func(o state.Object) error { // their rules refer to each other
			_, err := s.cloud.ClearRules(ctx, o)
			return err
		}), s.forEach(batch, func(o state.Object) error { return s.delete(ctx, o) }))
	}
	return errors.Join(all...)
}

const parallel = 4

func (s sweeper) forEach(objects []state.Object, do func(state.Object) error) error {
	var working sync.WaitGroup
	slots, failures := make(chan struct{}, parallel), make([]error, len(objects))
	for i, o := range objects {
		slots <- struct{}{}
		working.Go(func() {
			defer func() { <-slots }()
			failures[i] = do(o)
		})
	}
	working.Wait()
	return errors.Join(failures...)
}

func (s sweeper) delete(ctx context.Context, o state.Object) (err error) {
	var action state.Action
	if o.Kind == state.KindBucket {
		action, err = s.storage.DeleteBucket(ctx, o.Name)
	} else {
		action, err = s.cloud.Delete(ctx, o)
	}
	if err == nil && action == state.Deleted {
		s.progress(fmt.Sprintf("deleted %s %s", o.Kind, cmp.Or(o.Name, o.ID)))
	}
	return err
}
