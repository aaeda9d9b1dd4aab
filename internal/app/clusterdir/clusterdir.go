// Package clusterdir finds, creates and reads the folder of a cluster for the verbs: its answers, its events, and what is handed over.
package clusterdir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/wizard/answersfile"
)

// CreateFor creates or opens the folder of a cluster; dir is "" for the default one.
func CreateFor(dir string, spec state.Spec) (state.Folder, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultPath(spec.Cluster.ID); err != nil {
			return state.Folder{}, err
		}
	}
	return Create(dir)
}

// WithLock calls do while the folder is locked. An interruption that do does not explain is one before anything was changed: a run that has begun
// shows how it ended by itself.
func WithLock(ctx context.Context, folder state.Folder, do func() error) error {
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return ExplainStop(do(), "stopped before anything was changed")
}

// ExplainStop returns an interruption that nobody has explained yet as one that says when the command was stopped, and how to go on; any other
// error as it is.
func ExplainStop(err error, when string) error {
	if exit.Code(err) != exit.Interrupted || exit.IsPrinted(err) || fault.HintOf(err) != "" {
		return err
	}
	return fault.New(fault.Cancelled, when, nil).WithHint("resume with the same command")
}

// DefaultPath is where the folder of a cluster is unless it is named; of "", where all of them are.
func DefaultPath(clusterID string) (string, error) {
	path, err := state.DefaultPath(clusterID)
	if err != nil {
		return "", exit.WithCode(exit.Usage, err)
	}
	return path, nil
}

// Create creates or opens a folder.
func Create(dir string) (state.Folder, error) {
	folder, err := state.Create(dir)
	if err != nil {
		return folder, exit.WithCode(exit.Usage, fmt.Errorf("%w; use another folder with --dir", err))
	}
	return folder, nil
}

// Find opens the folder that is named, or else the only one of this machine.
func Find(dir string) (state.Folder, error) {
	folder, err := find(dir)
	if err != nil {
		err = exit.WithCode(exit.Usage, err)
	}
	return folder, err
}

func find(dir string) (state.Folder, error) {
	if dir != "" {
		return state.Open(dir)
	}
	place, err := DefaultPath("")
	if err != nil {
		return state.Folder{}, err
	}
	answers, err := filepath.Glob(filepath.Join(place, "*", state.AnswersFile))
	if err != nil {
		return state.Folder{}, err
	}
	switch len(answers) {
	case 0:
		return state.Folder{}, fmt.Errorf("no installation in %s; use its folder with --dir", place)
	case 1:
		return state.Open(filepath.Dir(answers[0]))
	}
	for n, path := range answers {
		answers[n] = filepath.Base(filepath.Dir(path))
	}
	return state.Folder{}, fmt.Errorf("several installations in %s: %s; choose one with --dir", place, strings.Join(answers, ", "))
}

// ReadAnswers returns the answers in force.
func ReadAnswers(folder state.Folder) (state.Spec, error) {
	content, err := folder.Read(state.AnswersFile)
	if err != nil {
		return state.Spec{}, err
	}
	spec, faults := answersfile.Parse(folder.Path(state.AnswersFile), content)
	if len(faults) > 0 {
		return spec, exit.WithCode(exit.Answers, errors.New(faults[0].String()))
	}
	if facts, err := folder.LoadFacts(); err == nil { // whoever needs the facts reports their damage
		spec = spec.WithFacts(facts)
	}
	return spec, nil
}
