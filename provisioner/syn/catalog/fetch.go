package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Fetch replaces the files in dir by those of the newest commit, and returns the commit. dir has either all of the old files or
// all of the new ones.
func (g *Git) Fetch(ctx context.Context, repo state.GitRepo, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	newest, err := g.fetchSnapshot(ctx, repo)
	if err != nil {
		return "", err
	}
	if err := newest.replace(dir); err != nil {
		var known *fault.Error
		if errors.As(err, &known) {
			return "", err
		}
		return "", fault.New(fault.Internal, "keep the files of "+newest.repo.String(), err).
			WithHint("check the rights and the room of %s", filepath.Dir(dir))
	}
	return newest.head.String(), nil
}

func (s *snapshot) replace(dir string) error {
	tree, err := s.loadTree()
	if err != nil {
		return err
	}
	within, name := filepath.Dir(filepath.Clean(dir)), "."+filepath.Base(dir)+"-"
	if err := removeLeftovers(within, name); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(within, name+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	fresh, old := filepath.Join(beside, "new"), filepath.Join(beside, "old")
	if err := os.Mkdir(fresh, privateFolder); err != nil {
		return err
	}
	if err := s.checkOut(tree, fresh); err != nil {
		return err
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, restoreDir(old, dir))
	}
	return nil
}

// removeLeftovers removes what a killed fetch has left behind: a catalog can be fetched again.
func removeLeftovers(within, name string) error {
	entries, err := os.ReadDir(within)
	if err != nil {
		return err
	}
	var failures []error
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), name)
		if ours && entry.IsDir() && number != "" && strings.Trim(number, "0123456789") == "" {
			failures = append(failures, os.RemoveAll(filepath.Join(within, entry.Name())))
		}
	}
	return errors.Join(failures...)
}

func restoreDir(old, dir string) error {
	if err := os.Rename(old, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
