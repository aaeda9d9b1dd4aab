package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

func statusCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show a running or finished installation from its folder",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			return status(cmd.Context(), o, std)
		},
	}
	dirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cmd.Flags().String("output", string(outputPlain), "how to show it: plain or json")
	return cmd
}

func status(_ context.Context, o options, std streams) error {
	folder, err := existingFolder(o.dir)
	if err != nil {
		return usageError{err}
	}
	spec, err := answersInForce(folder)
	if err != nil {
		return err
	}
	board, err := recorded(folder, spec)
	if err != nil {
		return err
	}
	facts, err := folder.Facts()
	if err != nil {
		return err
	}
	if o.output.json() {
		return json.NewEncoder(std.out).Encode(map[string]any{"v": provisioner.Version, "type": "status", "board": board, "facts": facts})
	}
	console.Status(std.out, board, facts, folder.Path())
	return nil
}

// existingFolder returns the folder at dir, or the only one in the default place.
func existingFolder(dir string) (state.Folder, error) {
	if dir != "" {
		return state.Open(dir)
	}
	place, err := state.DefaultPath("")
	if err != nil {
		return state.Folder{}, err
	}
	answers, err := filepath.Glob(filepath.Join(place, "*", state.AnswersFile))
	if err != nil {
		return state.Folder{}, err
	}
	switch len(answers) {
	case 0:
		return state.Folder{}, fmt.Errorf("there is no installation in %s; name its folder with --dir", place)
	case 1:
		return state.Open(filepath.Dir(answers[0]))
	}
	for n, path := range answers {
		answers[n] = filepath.Base(filepath.Dir(path))
	}
	return state.Folder{}, fmt.Errorf("there are several installations in %s: %s; name one with --dir", place, strings.Join(answers, ", "))
}

func answersInForce(folder state.Folder) (state.Spec, error) {
	content, err := folder.Read(state.AnswersFile)
	if err != nil {
		return state.Spec{}, err
	}
	spec, faults := wizard.Parse(folder.Path(state.AnswersFile), content)
	if len(faults) > 0 {
		return spec, answersError{errors.New(faults[0].String())}
	}
	return spec, nil
}

// recorded folds the events that the folder's runs left.
func recorded(folder state.Folder, spec state.Spec) (*provisioner.Board, error) {
	board := provisioner.NewBoard(install.Steps(spec))
	file, err := os.Open(folder.Path(state.EventsFile))
	if errors.Is(err, os.ErrNotExist) {
		return board, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e provisioner.Event
		if json.Unmarshal(lines.Bytes(), &e) == nil { // a killed process may leave a torn line
			board.Fold(e)
		}
	}
	return board, lines.Err()
}
