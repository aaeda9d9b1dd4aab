package vantage

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"exoshift/state"
)

// oldest is how long a run may take, from its bucket to its end. One that is noted elsewhere, on another machine, is over
// after that. The wall clock and the object storage's have to agree to a few minutes, or else nothing is signed.
const oldest = time.Hour

// begins is how long it may take from making a run's folder until its note is in it.
const begins = time.Minute

// Sweep removes what is left of runs that were killed: those that are noted here and whose process is gone, and those whose
// machine, security group or bucket is found in the zone although the run must be over. Nothing else is touched.
func (z *Zone) Sweep(ctx context.Context, seen func(text string)) error {
	dead, err := z.noted(seen)
	if err != nil {
		return err
	}
	found, err := z.found(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(append(dead, found...)))) {
		e, err := z.begin(ctx, id, seen)
		if held(err) {
			continue
		}
		if err == nil {
			seen("removes what a run left behind that was killed: " + e.name())
			err = e.end(ctx)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// noted returns the runs in the zone whose folder nobody holds.
func (z *Zone) noted(seen func(text string)) ([]string, error) {
	entries, err := os.ReadDir(z.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dead []string
	for _, entry := range entries {
		folder, err := state.Look(filepath.Join(z.options.Dir, entry.Name()))
		if err != nil || !named.MatchString(prefix+entry.Name()) || folder.Busy() {
			continue
		}
		switch zone, known := zoneOf(folder); {
		case !known && stale(folder):
			_ = os.RemoveAll(folder.Path()) // it was killed before it made anything
		case known && zone == z.options.Zone:
			dead = append(dead, entry.Name())
		case known:
			seen("a run in zone " + zone + " was killed; the next one there removes what it left behind")
		}
	}
	return dead, nil
}

func zoneOf(folder state.Folder) (string, bool) {
	content, err := folder.Read(noteFile)
	var noted note
	return noted.Zone, err == nil && json.Unmarshal(content, &noted) == nil
}

func stale(folder state.Folder) bool {
	info, err := os.Stat(folder.Path())
	return err == nil && time.Since(info.ModTime()) > begins
}

// found returns the runs that the zone still shows and that are over. Buckets are listed last: a run makes its bucket first
// and deletes it last, so what has none by then is over.
func (z *Zone) found(ctx context.Context) ([]string, error) {
	cloud, storage, end, err := z.options.Connect(blank{})
	if err != nil {
		return nil, err
	}
	defer end()
	machines, err := cloud.Instances(ctx, nil)
	if err != nil {
		return nil, err
	}
	groups, err := cloud.ObjectsOf(ctx, state.KindSecurityGroup)
	if err != nil {
		return nil, err
	}
	buckets, err := storage.BucketDates(ctx)
	if err != nil {
		return nil, err
	}
	runs := append(ofMachines(machines), ofGroups(groups)...)
	for name := range buckets {
		runs = append(runs, idOf(name))
	}
	return slices.DeleteFunc(runs, func(id string) bool {
		made, exists := buckets[prefix+id]
		return id == "" || exists && time.Since(made) < oldest
	}), nil
}

// idOf returns the ID of the run that gives such a name, or "".
func idOf(name string) string {
	if parts := named.FindStringSubmatch(name); parts != nil {
		return parts[1]
	}
	return ""
}

func ofMachines(machines []state.Instance) (runs []string) {
	for _, machine := range machines {
		runs = append(runs, idOf(prefix+machine.Labels[state.LabelCheck]))
	}
	return runs
}

func ofGroups(groups []state.Object) (runs []string) {
	for _, group := range groups {
		runs = append(runs, idOf(group.Name))
	}
	return runs
}
