package release

import (
	"context"
	"errors"
	"fmt"
	"os"

	"exoshift/internal/fault"
	"exoshift/state"
)

func (i *Installer) useProgram(ctx context.Context, noted string) (state.Release, error) {
	path := i.choice.Program
	if err := checkExecutable(path); err != nil {
		return state.Release{}, fault.New(fault.Invalid, "use "+path, err).
			WithHint("name an executable %s with --openshift-install, or leave the option out", programName)
	}
	if noted != "" {
		if err := i.checkRecorded(noted); err != nil {
			return state.Release{}, err
		}
	}
	release, err := queryVersion(ctx, i.runner, i.name(), path)
	switch {
	case ctx.Err() != nil:
		return state.Release{}, context.Cause(ctx)
	case err != nil:
		return state.Release{}, fault.New(fault.Conflict, "use "+path, err).
			WithHint("name another program with --openshift-install, or leave the option out")
	}
	if err := i.checkProgramVersion(release.Version, noted); err != nil {
		return state.Release{}, fault.New(fault.Conflict, "use "+path, err).
			WithHint("name another program with --openshift-install, or leave the option out")
	}
	i.log("using " + path + ", which is version " + release.Version)
	return release, nil
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}

func (i *Installer) checkProgramVersion(version, noted string) error {
	switch {
	case isOKD(version) != (i.choice.Distribution == okd):
		return fmt.Errorf("it is version %s, which is not of the distribution %s", version, i.choice.Distribution)
	case !matchVersion(i.choice.Version, version):
		return fmt.Errorf("it is version %s, the answers want %s", version, i.choice.Version)
	case noted != "" && noted != version:
		return fmt.Errorf("it is version %s, but this cluster was begun with %s", version, noted)
	}
	return nil
}
