package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/internal/fileread"
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
	outputFlag(cmd)
	accessibleFlag(cmd)
	return cmd
}

func status(ctx context.Context, o options, std streams) error {
	folder, err := existingFolder(o.dir)
	if err != nil {
		return usageError{err}
	}
	spec, err := answersInForce(folder)
	if err != nil {
		return err
	}
	board := provisioner.NewBoard(install.Steps(spec))
	if err := recorded(folder, board.Fold); err != nil {
		return err
	}
	killed := board.Run.State == provisioner.Started && !folder.Busy()
	if o.output == outputTUI && !killed {
		return watch(ctx, folder, spec, o.ascii, std)
	}
	facts, err := folder.Facts()
	if err != nil {
		return err
	}
	if o.output.json() {
		return json.NewEncoder(std.out).Encode(map[string]any{"v": provisioner.Version, "type": "status", "board": board, "facts": facts})
	}
	console.Status(o.output.listener(std.out), board, facts, folder.Path())
	if killed {
		fmt.Fprintln(std.out, "Nobody is at work on it: the last run was killed. The same command goes on.")
	}
	return nil
}

// existingFolder returns the folder at dir, or the only one in the default place.
func existingFolder(dir string) (state.Folder, error) {
	if dir != "" {
		return state.Open(dir)
	}
	place, err := usualPath("")
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

// recorded tells the events that the folder's runs have left so far.
func recorded(folder state.Folder, tell func(provisioner.Event)) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	_, err = eachEvent(bufio.NewReader(file), "", tell)
	return err
}

// eachEvent tells the events of whole lines. torn is the beginning of the first line; what the last one lacks of being
// whole is returned. A line that is no event was torn by the death of its writer.
func eachEvent(lines *bufio.Reader, torn string, tell func(provisioner.Event)) (rest string, err error) {
	for {
		line, err := lines.ReadString('\n')
		torn += line
		if errors.Is(err, io.EOF) {
			return torn, nil
		}
		if err != nil {
			return torn, fmt.Errorf("read the events: %w", err)
		}
		var e provisioner.Event
		if json.Unmarshal([]byte(torn), &e) == nil {
			tell(e)
		}
		torn = ""
	}
}
