package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// compareAnswers tells which answers differ from those that the folder's cluster was begun with and what that means, and
// refuses those that would need another cluster. Before anything was created every answer may change.
func compareAnswers(folder state.Folder, spec state.Spec, std streams) error {
	changes, err := changedAnswers(folder, spec)
	if err != nil || len(changes) == 0 {
		return err
	}
	touched, err := folder.Touched()
	if err != nil || !touched {
		return err
	}
	tellChanges(std.err, changes)
	for _, change := range changes {
		if change.Effect == wizard.Rebuild {
			return answersError{errors.New("answers have changed that a cluster is built on")}
		}
	}
	return nil
}

// changedAnswers returns what differs from the answers in force. Those of another cluster are not compared.
func changedAnswers(folder state.Folder, spec state.Spec) ([]wizard.Change, error) {
	content, err := folder.Read(state.AnswersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the answers in force: %w", err)
	}
	before, _ := wizard.Parse(state.AnswersFile, content) // rules may have become stricter since
	if before.Cluster.ID != spec.Cluster.ID {
		return nil, nil
	}
	return wizard.Changes(before, spec), nil
}

func tellChanges(w io.Writer, changes []wizard.Change) {
	fmt.Fprintln(w, "These answers have changed since the cluster was begun:")
	rebuild := false
	for _, change := range changes {
		fmt.Fprintf(w, "  %s: %s, was %s (%s)\n", change.Key, orNothing(change.After), orNothing(change.Before), change.Effect)
		rebuild = rebuild || change.Effect == wizard.Rebuild
	}
	if rebuild {
		fmt.Fprintln(w, "A cluster is built on those that need a rebuild. Answer them as before, or start another cluster in a new --dir;\n"+
			"`exoshift destroy` removes this one.")
	}
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return console.Clean(value)
}
