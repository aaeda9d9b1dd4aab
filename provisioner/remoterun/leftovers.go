package remoterun

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

// maxRunAge is the maximum duration of a run, from creating its bucket to its end. A run recorded on another machine counts as
// over after that. The wall clock and the object storage's must agree to a few minutes, otherwise requests with signatures fail.
const maxRunAge = time.Hour

const maxSetupTime = time.Minute

// CleanUpLeftovers removes the remains of killed runs: those that are recorded locally and whose process is gone, and those whose
// machine, security group or bucket is found in the zone although the run must be over. Nothing else is touched.
func (z *Zone) CleanUpLeftovers(ctx context.Context, seen func(text string)) error {
	dead, err := z.listLocalRuns(seen)
	if err != nil {
		return err
	}
	found, err := z.listZoneRuns(ctx)
	if err != nil {
		return err
	}
	return z.cleanUpRuns(ctx, append(dead, found...), seen)
}

// CleanUpRecorded removes the remains of killed runs that are recorded locally. Without any it sends no request.
func (z *Zone) CleanUpRecorded(ctx context.Context, seen func(text string)) error {
	dead, err := z.listLocalRuns(seen)
	if err != nil {
		return err
	}
	return z.cleanUpRuns(ctx, dead, seen)
}

func (z *Zone) cleanUpRuns(ctx context.Context, runs []string, seen func(text string)) error {
	var faults []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(runs))) {
		e, err := z.begin(ctx, id, seen)
		if isHeld(err) {
			continue
		}
		if err == nil {
			seen("removing the leftovers of a killed run: " + e.name())
			err = e.finish(ctx)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// listLocalRuns returns the runs in the zone whose folder no process holds.
func (z *Zone) listLocalRuns(seen func(text string)) ([]string, error) {
	entries, err := os.ReadDir(z.options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dead []string
	for _, entry := range entries {
		folder, err := state.OpenReadOnly(filepath.Join(z.options.Dir, entry.Name()))
		if err != nil || !namePattern.MatchString(prefix+entry.Name()) || folder.IsLocked() {
			continue
		}
		switch zone, known := loadZone(folder); {
		case !known && isStale(folder):
			_ = os.RemoveAll(folder.Path()) // it was killed before it created anything
		case known && zone == z.options.Zone:
			dead = append(dead, entry.Name())
		case known:
			seen("a run in zone " + zone + " was killed; the next run there removes its leftovers")
		}
	}
	return dead, nil
}

func loadZone(folder state.Folder) (string, bool) {
	content, err := folder.Read(recordFile)
	var noted runRecord
	return noted.Zone, err == nil && json.Unmarshal(content, &noted) == nil
}

func isStale(folder state.Folder) bool {
	info, err := os.Stat(folder.Path())
	return err == nil && time.Since(info.ModTime()) > maxSetupTime
}

// listZoneRuns returns the runs in the zone that are over. Buckets are listed last: a run creates its bucket first and deletes it
// last, so a run without a bucket is over.
func (z *Zone) listZoneRuns(ctx context.Context) ([]string, error) {
	cloud, storage, end, err := z.options.Connect(state.NoJournal{})
	if err != nil {
		return nil, err
	}
	defer end()
	machines, err := cloud.ListInstances(ctx, nil)
	if err != nil {
		return nil, err
	}
	groups, err := cloud.ListObjectsByKind(ctx, state.KindSecurityGroup)
	if err != nil {
		return nil, err
	}
	buckets, err := storage.ListBucketDates(ctx)
	if err != nil {
		return nil, err
	}
	runs := append(listMachineRuns(machines), listGroupRuns(groups)...)
	for name := range buckets {
		runs = append(runs, parseRunID(name))
	}
	return slices.DeleteFunc(runs, func(id string) bool {
		made, exists := buckets[prefix+id]
		return id == "" || exists && time.Since(made) < maxRunAge
	}), nil
}

func parseRunID(name string) string {
	if parts := namePattern.FindStringSubmatch(name); parts != nil {
		return parts[1]
	}
	return ""
}

func listMachineRuns(machines []state.Instance) (runs []string) {
	for _, machine := range machines {
		runs = append(runs, parseRunID(prefix+machine.Labels[state.LabelCheck]))
	}
	return runs
}

func listGroupRuns(groups []state.Object) (runs []string) {
	for _, group := range groups {
		runs = append(runs, parseRunID(group.Name))
	}
	return runs
}
