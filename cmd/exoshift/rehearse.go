package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"exoshift/provisioner/handover"

	"github.com/spf13/cobra"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/installer"
	"exoshift/internal/simcloud/scenario"
	"exoshift/state"
	"exoshift/wizard"
)

type rehearsal struct {
	options
	speed       float64
	scenario    string
	interactive bool
	loaded      *loaded             // initial answers of an interview; nil: none
	agreed      []byte              // answers of the interview; nil: there was none
	accept      func(run.Run) error // see run.Run
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
	addScreenFlags(cmd)
	addAccessibleFlag(cmd)
	waitFlag(cmd)
	cmd.Flags().String("openshift-install", "", "run this openshift-install instead of the simulated one")
	addRenewFlag(cmd)
	newKeyFlag(cmd)
	addCatalogFlag(cmd)
	addBootstrapAccessFlag(cmd)
	cmd.Flags().BoolVar(&r.interactive, "interactive", false, "ask for the answers first, as install does on a terminal")
	cmd.Flags().Float64Var(&r.speed, "speed", environment.DefaultSpeed, "how many times faster than real")
	cmd.Flags().StringVar(&r.scenario, "scenario", scenario.None, "what happens: "+strings.Join(scenario.Names(), ", "))
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
	folder, err := clusterdir.Create(r.dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx) // before the zone beside it is opened
	if err != nil {
		return err
	}
	defer unlock()
	if strings.HasPrefix(read.answers.Origin("openshift.sshKey"), exampleName+":") { // the placeholder of the example
		if _, spec.OpenShift.SSHKey, err = environment.EnsureRehearsalKey(folder); err != nil {
			return err
		}
	}
	return r.onSimulatedZone(ctx, std, spec, read.secrets, folder)
}

func (r rehearsal) runInterview(ctx context.Context, std streams) error {
	if !r.output.isInteractive() {
		return exit.WithCode(exit.Usage, errors.New("--interactive needs a terminal; without one, give --answers FILE"))
	}
	if r.answers != "" {
		read, err := r.readAnswers(std, environment.LookupRehearsalSecret)
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

// validateScenario accepts a scenario, or several, separated by commas.
func validateScenario(names string) error {
	if _, err := scenario.Parse(names); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--scenario %s: it is one of %s", names, strings.Join(scenario.Names(), ", ")))
	}
	return nil
}

// parseScenario is called after check, which refuses unknown names.
func (r rehearsal) parseScenario() scenario.Scenario {
	parsed, _ := scenario.Parse(r.scenario)
	return parsed
}

func (r rehearsal) check() error {
	if err := validateScenario(r.scenario); err != nil {
		return err
	}
	if r.speed < 1 || r.speed > 3600 {
		return exit.WithCode(exit.Usage, fmt.Errorf("--speed %g: it is between 1 and 3600", r.speed))
	}
	return nil
}

// rehearsalMemory is the soft memory limit, in bytes: most memory of a large rehearsal is garbage, which is collected earlier
// then. GOMEMLIMIT takes precedence.
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
	agent, err := environment.NewRehearsalAgent(spec, folder)
	if err != nil {
		return err
	}
	zone, err := environment.OpenZone(ctx, folder, spec, secrets, r.speed, r.scenario)
	if err != nil {
		return err
	}
	closed := sync.OnceValue(zone.Close)
	defer func() { err = errors.Join(err, closed()) }()
	if err := r.takeTurn(zone, folder, spec.Cluster.ID); err != nil {
		return err
	}
	s := run.Run{
		Spec: spec, Secrets: secrets, Folder: folder, Net: zone.Network(), Options: r.runOptions(), Original: r.agreed, Accept: r.accept, Speed: r.speed, Agent: agent, Access: environment.NewSimulatedAccess(zone),
		Scenario:  r.scenario,
		OnDone:    func() { _ = closed() },                       // an unused zone should not use the processor
		Temporary: r.temporary, Cache: folder.Path(state.BinDir), // not shared with other clusters
		Locations: handover.Locations{
			Folder: folder.Path(), Rehearsal: true, OperatorSimulated: r.parseScenario().RequiresOperator,
			Resume: resumeCommand("rehearse", r.options, r.formatFlags()...),
		},
	}
	err = s.Install(ctx, r.newDisplay(std))
	if note := formatSlowdown(r.speed, s.Net.Clock.ActualSpeed()); note != "" {
		_, _ = fmt.Fprintln(std.err, note)
	}
	return err
}

// formatSlowdown returns "" if the machine reached the requested speed.
func formatSlowdown(asked, reached float64) string {
	if reached >= 0.8*asked {
		return ""
	}
	return fmt.Sprintf("note: this machine is too slow or too busy for --speed %g: time slowed down to %.0f times as fast as real", asked, reached)
}

func (r rehearsal) formatFlags() []string {
	flags := []string{"--speed", fmt.Sprint(r.speed)}
	if r.parseScenario().RequiresOperator {
		return flags
	}
	return append(flags, "--scenario", r.scenario)
}

// takeTurn simulates the actions that an earlier run required.
func (r rehearsal) takeTurn(zone *simcloud.Zone, folder state.Folder, cluster string) error {
	facts, err := folder.LoadFacts()
	if err != nil || facts.Syn.Tenant == "" || !facts.Syn.ManifestUsed.IsZero() || r.parseScenario().RequiresOperator {
		return err
	}
	return zone.SimulateOperator(cluster)
}

func (r rehearsal) readGiven(std streams) (loaded, error) {
	if r.answers == "" && r.isResumed() {
		return r.reloadAnswers(filepath.Join(r.dir, state.AnswersFile), std, environment.LookupRehearsalSecret)
	}
	return r.loadAnswersOrExample(std)
}

func (r rehearsal) isResumed() bool {
	if r.dir == "" {
		return false
	}
	_, err := state.Open(r.dir)
	return err == nil
}

// loadAnswersOrExample allows unresolved secrets: the simulated zone issues its own.
func (r rehearsal) loadAnswersOrExample(std streams) (loaded, error) {
	if r.answers != "" {
		return r.loadAnswers(std, environment.LookupRehearsalSecret)
	}
	read, err := r.loadExample(std, environment.LookupRehearsalSecret)
	if err == nil && r.parseScenario().RequiresCloudController {
		read.answers.Spec.OpenShift.CloudControllerManager = "External"
	}
	return read, err
}

// ensureFolder creates a temporary folder by default. It is removed after a successful rehearsal.
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

func newSimulatedInstaller(std streams) *cobra.Command {
	return &cobra.Command{
		Use:                environment.InstallerVerb,
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := installer.Main(args, time.Now(), std.out, std.err); code != 0 {
				return exit.MarkPrinted(exit.WithCode(code, fmt.Errorf("exit code %d", code)))
			}
			return nil
		},
	}
}
