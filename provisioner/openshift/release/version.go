package release

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/program"
	"exoshift/state"
)

var releaseImage = regexp.MustCompile(`^\S+@sha256:[0-9a-f]{64}$`)

// queryVersion parses the output of the program's version command: "<path> <version>", "release image <pull specification>",
// "release architecture <name>" and other lines.
func queryVersion(ctx context.Context, runner program.Runner, name, path string) (state.Release, error) {
	var output strings.Builder
	if err := runner.Run(ctx, program.Execution{Name: name, Path: path, Args: []string{"version"}, Stdout: &output}); err != nil {
		return state.Release{}, err
	}
	release, architecture := parseVersion(output.String())
	var problem error
	switch {
	case release.Version == "":
		problem = fmt.Errorf("its output %.80q has no version", output.String())
	case !releaseImage.MatchString(release.Image):
		problem = fmt.Errorf("its release image %q has no digest", release.Image)
	case architecture != payloadGo && architecture != "multi":
		problem = fmt.Errorf("it installs machines of architecture %q instead of %s", architecture, payloadGo)
	}
	if problem != nil {
		return state.Release{}, fault.New(fault.Conflict, "check "+path, problem).
			WithHint("use the %s of a release for %s", programName, payloadDirectory)
	}
	return release, nil
}

func parseVersion(output string) (release state.Release, architecture string) {
	first, rest, _ := strings.Cut(output, "\n")
	// The path may contain spaces, the version does not.
	if words := strings.Fields(first); len(words) > 1 && exactVersion.MatchString(words[len(words)-1]) {
		release.Version = words[len(words)-1]
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if image, found := strings.CutPrefix(line, "release image "); found {
			release.Image = image
		}
		if name, found := strings.CutPrefix(line, "release architecture "); found {
			architecture = name
		}
	}
	return release, architecture
}
