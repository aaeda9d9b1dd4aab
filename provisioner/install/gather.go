package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

// The timeout of gathering, by the wall clock, as it is spent in requests.
const gatherTime = 60 * time.Second

// Gathered is the support data of a failure.
type Gathered struct {
	Path  string // of the folder
	Files int
	Bytes int
}

// Gather writes support data for a failed run into a new folder below state.GatheredDir: the last snapshot, the findings,
// the state of the bootstrap machine, and the current state of the cluster's API and the cloud. It takes a minute at
// most. Missing parts are listed in the index and joined in the error; the other parts are written nevertheless.
func (i *Installation) Gather(ctx context.Context, failure error) (Gathered, error) {
	ctx, cancel := context.WithTimeout(ctx, gatherTime)
	defer cancel()
	moment := i.clients.Clock.Now().UTC()
	g := &supportBundle{
		folder: i.folder, dir: state.FormatGatherDir(moment), room: allLimit,
		index: bundleIndex{At: moment, Cluster: i.spec.Cluster.ID, Failure: failure.Error()},
	}
	i.gatherKnown(g)
	var parts sync.WaitGroup
	parts.Go(func() {
		g.runPart("the cluster's API", func() error { return i.clients.Cluster.Dump(ctx, g.newWriter("cluster")) })
	})
	parts.Go(func() { g.runPart("the cloud", func() error { return i.gatherCloud(ctx, g) }) })
	parts.Wait()
	missing := g.finish()
	return Gathered{Path: i.folder.Path(g.dir), Files: len(g.index.Files), Bytes: allLimit - g.room}, missing
}

func (i *Installation) gatherKnown(g *supportBundle) {
	var seen state.Snapshot
	var unseen string
	if last := i.findLastPoll(); last != nil {
		if seen = last.seen; last.err != nil {
			unseen = last.err.Error()
		}
	}
	g.writeJSON("observation.json", struct {
		Error      string         // error of the newest poll
		Seen       state.Snapshot // by the newest poll
		Answered   state.Snapshot // by the newest one that the API answered
		Began      map[string]time.Time
		Names      []diagnosis.Name
		Closed     []string // security rules that are missing
		Installing state.Facts
	}{unseen, seen, i.diagnostics.last, i.copyPhaseTimes(), i.diagnostics.names, i.diagnostics.closed, i.Facts()})
	g.writeJSON("findings.json", append([]diagnosis.Finding{}, i.Findings()...)) // none is an empty list
	if told := i.BootstrapHost(); told != nil {
		g.writeJSON("bootstrap/services.json", told.Services)
		g.recordMissing("the journal of the bootstrap machine", g.write("bootstrap/journal.log", formatJournal(told.Lines)))
	}
}

func formatJournal(lines []state.JournalLine) []byte {
	var out bytes.Buffer
	for _, line := range lines {
		fmt.Fprintf(&out, "%s %s: %s\n", line.At.UTC().Format(time.RFC3339), line.Unit, line.Text)
	}
	return out.Bytes()
}

func (i *Installation) findLastPoll() *sharedPoll {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.lastPoll == nil || !i.lastPoll.isDone() {
		return nil
	}
	return i.lastPoll
}

// Objects that are not the cluster's are only counted, for privacy.
func (i *Installation) gatherCloud(ctx context.Context, g *supportBundle) error {
	machines, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
	if err == nil {
		for n := range machines {
			machines[n].UserData = nil // contains keys
		}
		g.writeJSON("cloud/machines.json", machines)
	}
	all, listErr := i.clients.Cloud.ListObjects(ctx)
	own, others := i.splitOwnObjects(all)
	g.writeJSON("cloud/objects.json", struct {
		Own    []state.Object
		Others map[string]int // objects of others, by kind
	}{own, others})
	closed, rulesErr := i.securityGroups.ListClosedPorts(ctx)
	if rulesErr == nil {
		g.writeJSON("cloud/closed.json", append([]string{}, closed...))
	}
	return errors.Join(err, listErr, rulesErr)
}

func (i *Installation) splitOwnObjects(all []state.Object) (own []state.Object, others map[string]int) {
	others = map[string]int{}
	noted := i.listJournaledObjects()
	for _, o := range all {
		if o.Labels[state.LabelCluster] == i.spec.Cluster.ID || noted[o.Kind+"/"+o.Name] || noted[o.Kind+"/"+o.ID] {
			own = append(own, o)
		} else {
			others[o.Kind]++
		}
	}
	return own, others
}

func (i *Installation) listJournaledObjects() map[string]bool {
	noted := map[string]bool{}
	entries, err := i.folder.ListEntries()
	if err != nil {
		return noted
	}
	for _, entry := range entries {
		noted[entry.Kind+"/"+entry.Name] = true
		if entry.ID != "" {
			noted[entry.Kind+"/"+entry.ID] = true
		}
	}
	return noted
}
