// Package supportbundle writes what may explain a failure into the cluster's folder.
package supportbundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// Cloud is the part of Exoscale's API that is gathered.
type Cloud interface {
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// ListObjects returns everything that the organization has.
	ListObjects(ctx context.Context) ([]state.Object, error)
}

// Cluster is the cluster that is gathered.
type Cluster interface {
	// Dump passes the state of the cluster to write, a file for each kind of objects and never a Secret. An error does
	// not prevent the other files.
	Dump(ctx context.Context, write func(name string, content []byte) error) error
}

// Known is what a run knows at its end.
type Known struct {
	Facts         state.Facts
	Observations  watch.Observations
	Phases        map[string]time.Time // when each was reached
	Findings      []diagnosis.Finding
	BootstrapHost *state.BootstrapHost // nil: nothing was read
	// WithoutCluster: the run failed before there could be a cluster.
	WithoutCluster bool
}

// Gatherer gathers what may explain a failure.
type Gatherer struct {
	Spec           state.Spec
	Folder         state.Folder
	Clock          provisioner.Clock
	Cloud          Cloud
	Cluster        Cluster
	SecurityGroups *network.SecurityGroups
}

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
func (g Gatherer) Gather(ctx context.Context, known Known, failure error) (Gathered, error) {
	ctx, cancel := context.WithTimeout(ctx, gatherTime)
	defer cancel()
	moment := g.Clock.Now().UTC()
	b := &bundle{
		folder: g.Folder, dir: state.FormatGatherDir(moment), room: allLimit,
		index: bundleIndex{At: moment, Cluster: g.Spec.Cluster.ID, Failure: failure.Error()},
	}
	gatherKnown(b, known)
	var parts sync.WaitGroup
	parts.Go(func() {
		if known.WithoutCluster {
			return
		}
		b.runPart("the cluster's API", func() error { return g.Cluster.Dump(ctx, b.newWriter("cluster")) })
	})
	parts.Go(func() { b.runPart("the cloud", func() error { return g.gatherCloud(ctx, b) }) })
	parts.Wait()
	missing := b.finish()
	return Gathered{Path: g.Folder.Path(b.dir), Files: len(b.index.Files), Bytes: allLimit - b.room}, missing
}

func gatherKnown(b *bundle, known Known) {
	observed, unseen := known.Observations, ""
	if observed.Err != nil {
		unseen = observed.Err.Error()
	}
	b.writeJSON("observation.json", struct {
		Error      string         // error of the newest poll
		Seen       state.Snapshot // by the newest poll
		Answered   state.Snapshot // by the newest one that the API answered
		Began      map[string]time.Time
		Names      []diagnosis.Name
		Closed     []string // security rules that are missing
		Installing state.Facts
	}{unseen, observed.Seen, observed.Answered, known.Phases, observed.Names, observed.Closed, known.Facts})
	b.writeJSON("findings.json", append([]diagnosis.Finding{}, known.Findings...)) // none is an empty list
	if host := known.BootstrapHost; host != nil {
		b.writeJSON("bootstrap/services.json", host.Services)
		b.recordMissing("the journal of the bootstrap machine", b.write("bootstrap/journal.log", formatJournal(host.Lines)))
	}
}

func formatJournal(lines []state.JournalLine) []byte {
	var out bytes.Buffer
	for _, line := range lines {
		fmt.Fprintf(&out, "%s %s: %s\n", line.At.UTC().Format(time.RFC3339), line.Unit, line.Text)
	}
	return out.Bytes()
}

// Objects that are not the cluster's are only counted, for privacy.
func (g Gatherer) gatherCloud(ctx context.Context, b *bundle) error {
	machines, err := g.Cloud.ListInstances(ctx, g.Spec.Labels())
	if err == nil {
		for n := range machines {
			machines[n].UserData = nil // contains keys
		}
		b.writeJSON("cloud/machines.json", machines)
	}
	all, listErr := g.Cloud.ListObjects(ctx)
	own, others := g.splitOwnObjects(all)
	b.writeJSON("cloud/objects.json", struct {
		Own    []state.Object
		Others map[string]int // objects of others, by kind
	}{own, others})
	closed, rulesErr := g.SecurityGroups.ListClosedPorts(ctx)
	if rulesErr == nil {
		b.writeJSON("cloud/closed.json", append([]string{}, closed...))
	}
	return errors.Join(err, listErr, rulesErr)
}

func (g Gatherer) splitOwnObjects(all []state.Object) (own []state.Object, others map[string]int) {
	others = map[string]int{}
	noted := g.listJournaledObjects()
	for _, o := range all {
		if o.Labels[state.LabelCluster] == g.Spec.Cluster.ID || noted[o.Kind+"/"+o.Name] || noted[o.Kind+"/"+o.ID] {
			own = append(own, o)
		} else {
			others[o.Kind]++
		}
	}
	return own, others
}

func (g Gatherer) listJournaledObjects() map[string]bool {
	noted := map[string]bool{}
	entries, err := g.Folder.ListEntries()
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
