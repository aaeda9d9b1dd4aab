package release

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/installdir"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"
)

// Generate runs openshift-install in a temporary directory and renames that to dir when all is done: dir is a finished generation
// or does not exist. An existing one is only read, whatever is wanted: its keys and its infrastructure ID may be in use. said is
// called if it was made from other inputs.
func (i *Installer) Generate(ctx context.Context, dir string, wanted state.Generation, report func(line string)) (state.Ignition, error) {
	if installdir.IsComplete(dir) {
		if installdir.IsOutdated(dir, wanted) {
			report("The answers or manifests have changed since the documents were generated; the existing documents are used")
		}
		return installdir.Load(dir, i.version)
	}
	// Rmdir removes only an empty directory; any other content must stay.
	if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return state.Ignition{}, fault.New(fault.Conflict, "generate the Ignition documents", err).
			WithHint("%s is not a complete generation; move it away and run again", dir)
	}
	if err := i.generate(ctx, dir, wanted, report); err != nil {
		return state.Ignition{}, err
	}
	return installdir.Load(dir, i.version)
}

// Try runs openshift-install on the inputs and discards the result. It fails with fault.Invalid for what Generate would refuse.
func (i *Installer) Try(ctx context.Context, dir string, wanted state.Generation) error {
	return i.withWorkspace(dir, wanted, func(w workspace) error { return i.createManifests(ctx, w) })
}

func (i *Installer) generate(ctx context.Context, dir string, wanted state.Generation, report func(line string)) error {
	return i.withWorkspace(dir, wanted, func(w workspace) error {
		// Messages name the final directory.
		w.onMessage = func(line string) { report(strings.ReplaceAll(line, w.dir, dir)) }
		if err := i.createManifests(ctx, w); err != nil {
			return err
		}
		if err := i.create(ctx, w, "ignition-configs"); err != nil {
			return err
		}
		if !installdir.IsComplete(w.dir) {
			return fault.Newf(fault.Internal, "generate the Ignition documents", "%s succeeded but files are missing", i.name())
		}
		return installdir.Publish(w.dir, dir, i.version, wanted, w.mask.Hide)
	})
}

type workspace struct {
	dir       string
	wanted    state.Generation
	mask      program.Masker
	onMessage func(line string)
}

func (i *Installer) withWorkspace(dir string, wanted state.Generation, work func(workspace) error) error {
	if _, err := i.verifyProgram(); err != nil {
		return err
	}
	place, err := installdir.MakeWorkDir(dir)
	if err != nil {
		return fault.New(fault.Internal, "free disk space for openshift-install", err)
	}
	defer os.RemoveAll(place)
	return work(workspace{dir: place, wanted: wanted, mask: program.NewMasker(wanted), onMessage: func(string) {}})
}

func (i *Installer) createManifests(ctx context.Context, w workspace) error {
	// The program deletes this copy after reading it.
	if err := os.WriteFile(filepath.Join(w.dir, "install-config.yaml"), w.wanted.InstallConfig, 0o600); err != nil {
		return fault.New(fault.Internal, "write install-config.yaml", err)
	}
	if err := i.create(ctx, w, "manifests"); err != nil {
		return err
	}
	return installdir.Prepare(w.dir, w.wanted, func(line string) { i.runner.Log(line); w.onMessage(line) })
}

func (i *Installer) create(ctx context.Context, w workspace, target string) error {
	path, err := i.verifyProgram()
	if err != nil {
		return err
	}
	args := []string{"create", target, "--dir", w.dir, "--log-level", "info"}
	return i.runner.Run(ctx, program.Execution{Name: i.name(), Path: path, Args: args, Mask: w.mask, OnMessage: w.onMessage})
}

// Strip removes what only the bootstrap machine needed; see installdir.Strip.
func (*Installer) Strip(dir string) error { return installdir.Strip(dir) }
