// Package installer is the simulated openshift-install program: the same commands, files, log lines and exit codes, and real
// certificates, for the cluster that package openshift simulates.
package installer

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"exoshift/internal/simcloud/mirror"
)

// Exit codes of openshift-install.
const (
	exitOK            = 0
	exitFatal         = 1
	exitInstallConfig = 3
)

type invocation struct {
	release mirror.Release // that this binary belongs to
	program string         // the name of the executable
	fips    bool           // it is the build for clusters in FIPS mode
	dir     string
	level   string
	command []string
	now     time.Time
	stdout  io.Writer
	stderr  io.Writer
}

// Main runs the program with its arguments, without the program's name, and returns the exit code. Flags beside those of the
// real one: --release and --architecture, which it reports as its own, --fips, of the build for FIPS mode, --program, the name of
// the executable, and --now RFC3339, the start of validity of its certificates; the default of --now is the argument of that name, and if that is zero, the wall
// clock.
func Main(args []string, now time.Time, stdout, stderr io.Writer) int {
	run := invocation{release: mirror.Release{Version: "4.20.5", Architecture: "amd64"}, program: "openshift-install", dir: ".", level: "info", now: now, stdout: stdout, stderr: stderr}
	if run.now.IsZero() {
		run.now = time.Now()
	}
	console := journal{console: stderr, debug: true}
	if err := run.parse(args); err != nil {
		console.writeEntry("error", err.Error())
		return exitFatal
	}
	switch command := strings.Join(run.command, " "); command {
	case "version":
		return run.printVersion()
	case "coreos print-stream-json":
		return run.printStream()
	case "create manifests":
		return run.create(createManifests)
	case "create ignition-configs":
		return run.create(createIgnitionConfigs)
	default:
		console.writeEntry("error", fmt.Sprintf(`unknown command %q for "openshift-install"`, command))
		return exitFatal
	}
}

// parse accepts flags before, between and after the words of the command, as the real program does.
func (run *invocation) parse(args []string) error {
	flags := flag.NewFlagSet("openshift-install", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&run.release.Version, "release", run.release.Version, "")
	flags.StringVar(&run.release.Architecture, "architecture", run.release.Architecture, "")
	flags.StringVar(&run.program, "program", run.program, "")
	flags.BoolVar(&run.fips, "fips", false, "")
	flags.StringVar(&run.dir, "dir", run.dir, "")
	flags.StringVar(&run.level, "log-level", run.level, "")
	flags.Func("now", "", func(value string) (err error) {
		run.now, err = time.Parse(time.RFC3339, value)
		return err
	})
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if args = flags.Args(); len(args) > 0 {
			run.command, args = append(run.command, args[0]), args[1:]
		}
	}
	return nil
}

func (run *invocation) printVersion() int {
	_, err := fmt.Fprintf(run.stdout, "%s %s\nbuilt from commit %s\nrelease image %s\nrelease architecture %s\n", run.program,
		run.release.Version, hashWords("commit", run.release.Version)[:40], run.release.Image(), run.release.Architecture)
	return exitCode(err)
}

// create runs a target in the directory and stores its assets in the state file.
func (run *invocation) create(target func(*directory) error) int {
	log := &journal{console: run.stderr}
	dir, err := openDirectory(run)
	if err == nil {
		log = dir.log
		defer log.close()
		if err = target(dir); err == nil {
			err = dir.assets.save(dir.path)
		}
	}
	if err != nil {
		log.writeEntry("error", err.Error())
	}
	return exitCode(err)
}

// configError is a bad or missing install-config; it has an exit code of its own.
type configError struct{ err error }

func (e configError) Error() string {
	return `failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config: ` + e.err.Error()
}

func (e configError) Unwrap() error { return e.err }

func exitCode(err error) int {
	var config configError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &config):
		return exitInstallConfig
	}
	return exitFatal
}
