package release

import (
	"context"
	"errors"
	"fmt"
	"os"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"
)

// useProgram checks the program that was chosen by its path.
func (c Choice) useProgram(ctx context.Context, runner program.Runner, noted string) (state.Release, error) {
	path := c.Program
	if err := checkExecutable(path); err != nil {
		return state.Release{}, fault.New(fault.Invalid, "use "+path, err).
			WithHint("use an executable %s with --openshift-install, or omit the flag", programName)
	}
	if noted != "" {
		if err := c.checkRecorded(noted); err != nil {
			return state.Release{}, err
		}
	}
	release, err := queryVersion(ctx, runner, c.name(), path)
	switch {
	case ctx.Err() != nil:
		return state.Release{}, context.Cause(ctx)
	case err != nil:
		return state.Release{}, fault.New(fault.Conflict, "use "+path, err).
			WithHint("use another program with --openshift-install, or omit the flag")
	}
	if err := c.checkProgramVersion(release.Version, noted); err != nil {
		return state.Release{}, fault.New(fault.Conflict, "use "+path, err).
			WithHint("use another program with --openshift-install, or omit the flag")
	}
	runner.Log("using " + path + ", which is version " + release.Version)
	return release, nil
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Mode().Perm()&0o111 == 0:
		return errors.New("it is not executable")
	}
	return nil
}

func (c Choice) checkProgramVersion(version, noted string) error {
	switch {
	case isOKD(version) != (c.Distribution == okd):
		return fmt.Errorf("its version is %s, which is not of the distribution %s", version, c.Distribution)
	case !matchVersion(c.Version, version):
		return fmt.Errorf("its version is %s instead of %s", version, c.Version)
	case noted != "" && noted != version:
		return fmt.Errorf("its version is %s, but this installation began with %s", version, noted)
	}
	return nil
}
