package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/installer"
	"exoshift/state"
	"exoshift/wizard"
)

// simulatedInstallerVerb is the hidden verb behind the openshift-install that the simulated mirror serves.
const simulatedInstallerVerb = "simulated-openshift-install"

// rehearsal is what the flags of rehearse say beyond the common ones.
type rehearsal struct {
	options
	speed       float64
	scenario    string
	interactive bool
	loaded      *loaded             // answers that an interview begins with; nil: none
	agreed      []byte              // the answers that an interview ended with; nil: there was none
	accept      func(session) error // see session
	temporary   bool                // the folder
}

func newRehearseCommand(std streams) *cobra.Command {
	var r rehearsal
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Run a whole installation on a simulated zone: nothing real is touched, nothing costs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if r.options, err = bind(cmd, std); err != nil {
				return err
			}
			return r.run(cmd.Context(), std)
		},
	}
	addAnswersFlag(cmd, "the answers file (default: a shipped example)")
	addDirFlag(cmd, "the cluster's folder; the simulated zone is kept beside it (default: a temporary one)")
	addOutputFlag(cmd)
	addAccessibleFlag(cmd)
	waitFlag(cmd)
	cmd.Flags().String("openshift-install", "", "run this openshift-install instead of the simulated one")
	addRenewFlag(cmd)
	newKeyFlag(cmd)
	addCatalogFlag(cmd)
	addBootstrapAccessFlag(cmd)
	cmd.Flags().BoolVar(&r.interactive, "interactive", false, "ask for the answers first, as install does on a terminal")
	cmd.Flags().Float64Var(&r.speed, "speed", defaultSpeed, "how many times faster than real")
	cmd.Flags().StringVar(&r.scenario, "scenario", "happy", "what happens: "+strings.Join(simcloud.Scenarios(), ", "))
	return cmd
}

func (r rehearsal) run(ctx context.Context, std streams) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	if r.interactive && !r.isResumed() {
		return r.runInterview(ctx, std)
	}
	read, err := r.readGiven(std)
	if err != nil {
		return err
	}
	spec := read.answers.Spec
	cleanUp, err := r.ensureFolder()
	if err != nil {
		return err
	}
	defer func() { cleanUp(err) }()
	folder, err := createFolder(r.dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx) // before the zone beside it is opened
	if err != nil {
		return err
	}
	defer unlock()
	if strings.HasPrefix(read.answers.Origin("openshift.sshKey"), exampleName+":") { // it names nobody's key
		if _, spec.OpenShift.SSHKey, err = ensureRehearsalKey(folder); err != nil {
			return err
		}
	}
	return r.onSimulatedZone(ctx, std, spec, read.secrets, folder)
}

// runInterview asks for the answers on the terminal.
func (r rehearsal) runInterview(ctx context.Context, std streams) error {
	if !r.output.isInteractive() {
		return usageError{errors.New("--interactive needs a terminal; without one, give --answers FILE")}
	}
	if r.answers != "" {
		read, err := r.readAnswers(std, lookupRehearsalSecret)
		if err != nil {
			return err
		}
		r.loaded = &read
	}
	d := &startScreen{flags: r.options, std: std, frontend: r.output.newFrontend(std), open: func(ctx context.Context) (*interviewBackend, error) {
		return newRehearsalInterview(ctx, r)
	}}
	return d.run(ctx)
}

func (r rehearsal) check() error {
	if !slices.Contains(simcloud.Scenarios(), r.scenario) {
		return usageError{fmt.Errorf("--scenario %s: it is one of %s", r.scenario, strings.Join(simcloud.Scenarios(), ", "))}
	}
	if r.speed < 1 || r.speed > 3600 {
		return usageError{fmt.Errorf("--speed %g: it is between 1 and 3600", r.speed)}
	}
	return nil
}

// rehearsalMemory is what the process shall need at most, in bytes, if it can: of the machines of a large rehearsal
// most memory is garbage, which is collected earlier then. GOMEMLIMIT takes precedence.
const rehearsalMemory = 280 << 20

func saveMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(rehearsalMemory)
	}
}

func (r rehearsal) onSimulatedZone(ctx context.Context, std streams, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (err error) {
	saveMemory()
	if err := compareAnswers(folder, spec, std); err != nil {
		return err
	}
	agent, err := r.newAgent(spec, folder)
	if err != nil {
		return err
	}
	zone, err := openSimulatedZone(ctx, folder, spec, secrets, r.speed, r.scenario)
	if err != nil {
		return err
	}
	closed := sync.OnceValue(zone.Close)
	defer func() { err = errors.Join(err, closed()) }()
	if err := r.takeTurn(zone, folder, spec.Cluster.ID); err != nil {
		return err
	}
	s := session{
		spec: spec, secrets: secrets, folder: folder, net: zone.Network(), options: r.options, original: r.agreed, accept: r.accept, speed: r.speed, agent: agent, access: newSimulatedAccess(zone),
		scenario:  r.scenario,
		onDone:    func() { _ = closed() },                       // a zone that nobody needs shall not keep the processor busy
		temporary: r.temporary, cache: folder.Path(state.BinDir), // of no use to anybody else
		locations: console.RunLocations{
			Folder: folder.Path(), Rehearsal: true, OperatorSimulated: simcloud.RequiresOperator(r.scenario),
			Resume: resumeCommand("rehearse", r.options, r.formatFlags()...),
		},
	}
	err = s.run(ctx, std)
	if note := formatSlowdown(r.speed, s.net.Clock.ActualSpeed()); note != "" {
		_, _ = fmt.Fprintln(std.err, note)
	}
	return err
}

// formatSlowdown tells that a machine could not follow the speed that was asked for, "" if it could.
func formatSlowdown(asked, reached float64) string {
	if reached >= 0.8*asked {
		return ""
	}
	return fmt.Sprintf("note: this machine is too slow or too busy for --speed %g: time slowed down to %.0f times as fast as real", asked, reached)
}

// formatFlags are the flags that go on with a rehearsal. A scenario that needs people is over once they have acted.
func (r rehearsal) formatFlags() []string {
	flags := []string{"--speed", fmt.Sprint(r.speed)}
	if simcloud.RequiresOperator(r.scenario) {
		return flags
	}
	return append(flags, "--scenario", r.scenario)
}

// takeTurn lets the zone's people do what an earlier run has asked them for.
func (r rehearsal) takeTurn(zone *simcloud.Zone, folder state.Folder, cluster string) error {
	facts, err := folder.LoadFacts()
	if err != nil || facts.Syn.Tenant == "" || !facts.Syn.ManifestUsed.IsZero() || simcloud.RequiresOperator(r.scenario) {
		return err
	}
	return zone.SimulateOperator(cluster)
}

// readGiven reads the answers that are given, those in force in the folder, or the example.
func (r rehearsal) readGiven(std streams) (loaded, error) {
	if r.answers == "" && r.isResumed() {
		return r.reloadAnswers(filepath.Join(r.dir, state.AnswersFile), std, lookupRehearsalSecret)
	}
	return r.loadAnswersOrExample(std)
}

// isResumed tells whether the folder holds a rehearsal already.
func (r rehearsal) isResumed() bool {
	if r.dir == "" {
		return false
	}
	_, err := state.Open(r.dir)
	return err == nil
}

// loadAnswersOrExample reads the answers. The secrets they refer to may be missing: the simulated zone issues its own.
func (r rehearsal) loadAnswersOrExample(std streams) (loaded, error) {
	if r.answers != "" {
		return r.loadAnswers(std, lookupRehearsalSecret)
	}
	read, err := r.loadExample(std, lookupRehearsalSecret)
	if err == nil && r.scenario == simcloud.NoCloudController { // can only go wrong if there shall be one
		read.answers.Spec.OpenShift.CloudControllerManager = "External"
	}
	return read, err
}

// lookupRehearsalSecret answers for the variables that the example refers to, so that a rehearsal needs no preparation.
func lookupRehearsalSecret(name string) (string, bool) {
	if value, ok := lookupEnv(name); ok {
		return value, true
	}
	return defaultSecret(name)
}

// defaultSecret is what a simulated zone takes for a secret unless it is told another.
func defaultSecret(name string) (string, bool) {
	switch name {
	case "EXOSCALE_API_KEY":
		return "EXOsimulated00000000000000", true
	case "EXOSCALE_API_SECRET":
		return "the-secret-of-the-simulated-zone", true
	case "EXOSHIFT_PULL_SECRET":
		return `{"auths":{"cloud.openshift.com":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"quay.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"registry.redhat.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="},"registry.connect.redhat.com":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="}}}`, true
	}
	return "", false
}

// ensureFolder makes a temporary folder if none was named. It is removed when the rehearsal went well.
func (r *rehearsal) ensureFolder() (cleanUp func(error), err error) {
	if r.dir != "" {
		return func(error) {}, nil
	}
	base, err := os.MkdirTemp("", "exoshift-rehearsal-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	r.dir, r.temporary = filepath.Join(base, "cluster"), true
	return func(err error) {
		if err == nil {
			_ = os.RemoveAll(base)
		}
	}, nil
}

// newSimulatedInstaller is the openshift-install of the simulated mirror. It parses its own arguments.
func newSimulatedInstaller(std streams) *cobra.Command {
	return &cobra.Command{
		Use:                simulatedInstallerVerb,
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := installer.Main(args, time.Now(), std.out, std.err); code != 0 {
				return childError{code}
			}
			return nil
		},
	}
}

// childError carries the exit code of the simulated openshift-install through.
type childError struct{ code int }

func (e childError) Error() string { return fmt.Sprintf("exit code %d", e.code) }
