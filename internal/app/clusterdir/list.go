package clusterdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// State is how far a cluster of this machine has come.
type State string

// States of a cluster.
const (
	Draft      State = "draft"   // answers only
	Running    State = "running" // another process is at work on it
	Stopped    State = "stopped" // its installation has begun and is not finished
	Installed  State = "installed"
	Destroyed  State = "destroyed"
	Rehearsed  State = "rehearsed" // its zone was a simulated one
	Unreadable State = "unreadable"
)

// Cluster is a folder of this machine that holds a cluster or a draft.
type Cluster struct {
	ID      string // "" for a draft that has none yet
	Draft   string // the name of a draft's folder; "" for clusters
	Zone    string
	Version string // of OpenShift: the exact one once it is known
	State   State
	Changed time.Time // when the answers, the facts or the events were written last
	Folder  string
}

// ListFolders returns the folders of clusters in their usual place, ordered by name.
func ListFolders() ([]state.Folder, error) {
	place, err := DefaultPath("")
	if err != nil {
		return nil, err
	}
	var all []state.Folder
	files, _ := filepath.Glob(filepath.Join(place, "*", state.AnswersFile)) // the pattern is valid
	for _, file := range files {
		if folder, err := state.Open(filepath.Dir(file)); err == nil {
			all = append(all, folder)
		}
	}
	return all, nil
}

// List returns the clusters of ListFolders, and after them the drafts, the latest first.
func List() ([]Cluster, error) {
	folders, err := ListFolders()
	if err != nil {
		return nil, err
	}
	var all []Cluster
	for _, folder := range folders {
		all = append(all, describe(folder))
	}
	path, err := state.DraftsPath()
	if err != nil {
		return nil, err
	}
	drafts, err := state.ListDrafts(path)
	for _, draft := range drafts {
		all = append(all, describeDraft(draft))
	}
	return all, err
}

func describe(folder state.Folder) Cluster {
	c := Cluster{ID: filepath.Base(folder.Path()), Folder: folder.Path(), State: Unreadable}
	for _, name := range []string{state.AnswersFile, state.FactsFile, state.EventsFile} {
		if info, err := os.Stat(folder.Path(name)); err == nil && info.ModTime().After(c.Changed) {
			c.Changed = info.ModTime()
		}
	}
	spec, err := ReadAnswers(folder)
	if err != nil {
		return c
	}
	c.ID, c.Zone, c.Version = spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version
	facts, err := folder.LoadFacts()
	if err != nil {
		return c
	}
	if facts.Version() != "" {
		c.Version = facts.Version()
	}
	switch {
	case folder.IsLocked():
		c.State = Running
	case facts.Rehearsal:
		c.State = Rehearsed
	case !facts.Destroyed.IsZero():
		c.State = Destroyed
	case !facts.Installed.IsZero():
		c.State = Installed
	default:
		c.State = Stopped
	}
	return c
}

func describeDraft(draft state.Draft) Cluster {
	c := Cluster{Draft: filepath.Base(draft.Path()), Folder: draft.Path(), State: Unreadable, Changed: draft.Saved()}
	content, err := draft.ReadAnswers()
	if err != nil {
		return c
	}
	spec := answersfile.ReadDraft(draft.Path(state.DraftFile), content).Spec
	c.ID, c.Zone, c.Version, c.State = spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, Draft
	if draft.IsLocked() {
		c.State = Running
	}
	return c
}

// FindID returns the folder of the cluster with that ID in its usual place. An ID is no path: it has no separators.
func FindID(id string) (state.Folder, error) {
	if id == "" || strings.ContainsAny(id, `/\`) || strings.HasPrefix(id, ".") {
		return state.Folder{}, newUnknownIDError(id)
	}
	path, err := DefaultPath(id)
	if err != nil {
		return state.Folder{}, err
	}
	folder, err := state.Open(path)
	if err != nil {
		return folder, newUnknownIDError(id)
	}
	return folder, nil
}

func newUnknownIDError(id string) error {
	problem := fmt.Sprintf("no cluster %q on this machine", id)
	clusters, err := List()
	var ids []string
	for _, cluster := range clusters {
		if cluster.State != Draft {
			ids = append(ids, cluster.ID)
		}
	}
	if nearest := similar.FindNearest(id, ids); err == nil && nearest != "" {
		problem += "; did you mean " + nearest + "?"
	}
	return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift list"))
}
