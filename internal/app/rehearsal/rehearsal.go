// Package rehearsal runs an installation on a simulated zone.
package rehearsal

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

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/request"
	"exoshift/internal/app/run"
	"exoshift/internal/app/zoneimage"
	"exoshift/internal/simcloud"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/text/similar"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/wizard"
)

// MaximumSpeed of a rehearsal, as a multiple of real time.
const MaximumSpeed = 3600

// Rehearsal is an installation on a simulated zone.
type Rehearsal struct {
	request.Request
	Speed     float64
	Scenario  string
	Loaded    *layers.Loaded      // initial answers of an interview; nil: none
	Agreed    []byte              // answers of the interview; nil: there was none
	Accept    func(run.Run) error // see run.Run
	Temporary bool                // the folder
}

// Run needs all answers.
func (r Rehearsal) Run(ctx context.Context, display run.Display, read layers.Loaded) (err error) {
	spec := r.adaptExample(read.Answers.Spec)
	cleanUp, err := r.EnsureFolder()
	if err != nil {
		return err
	}
	defer func() { cleanUp(err) }()
	folder, err := clusterdir.Create(r.Dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx) // before the zone beside it is opened
	if err != nil {
		return err
	}
	defer unlock()
	if read.IsFromExample("openshift.sshKey") { // its placeholder
		if _, spec.OpenShift.SSHKey, err = environment.EnsureRehearsalKey(folder); err != nil {
			return err
		}
	}
	return r.RunOnZone(ctx, display, spec, read.Secrets, folder)
}

// ValidateScenario accepts a scenario, or several, separated by commas.
func ValidateScenario(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		if _, err := scenario.Parse(name); err == nil {
			continue
		}
		problem := fmt.Sprintf("--scenario %s: unknown scenario %q", names, name)
		if nearest := similar.FindNearest(name, scenario.Names()); nearest != "" {
			problem += "; did you mean " + nearest + "?"
		}
		return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift rehearse --list-scenarios"))
	}
	return nil
}

// parseScenario is called after check, which refuses unknown names.
func (r Rehearsal) parseScenario() scenario.Scenario {
	parsed, _ := scenario.Parse(r.Scenario)
	return parsed
}

// Validate checks scenario and speed.
func (r Rehearsal) Validate() error {
	if err := ValidateScenario(r.Scenario); err != nil {
		return err
	}
	if r.Speed < 1 || r.Speed > MaximumSpeed {
		return exit.WithCode(exit.Usage, fmt.Errorf("--speed %g: must be between 1 and %d", r.Speed, MaximumSpeed))
	}
	return nil
}

// rehearsalMemory is the soft memory limit, in bytes: most memory of a large rehearsal is garbage, which is collected earlier
// then. GOMEMLIMIT takes precedence.
const rehearsalMemory = 280 << 20

// SaveMemory sets the memory limit of a rehearsal, unless the environment sets one.
func SaveMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(rehearsalMemory)
	}
}

// RunOnZone opens the simulated zone and installs on it, into a folder that is locked already.
func (r Rehearsal) RunOnZone(ctx context.Context, display run.Display, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (err error) {
	SaveMemory()
	if err := changes.Check(folder, spec, display.ShowAnswers); err != nil {
		return err
	}
	agent, err := environment.NewRehearsalAgent(spec, folder)
	if err != nil {
		return err
	}
	zone, err := environment.OpenZone(ctx, folder, spec, secrets, simcloud.Options{Speed: r.Speed, Scenario: r.Scenario, Program: zoneimage.RunOnMachine})
	if err != nil {
		return err
	}
	closed := sync.OnceValue(zone.Close)
	defer func() { err = errors.Join(err, closed()) }()
	if err := r.simulateOperator(zone, folder, spec.Cluster.ID); err != nil {
		return err
	}
	s := run.Run{
		Spec: spec, Secrets: secrets, Folder: folder, Net: zone.Network(), Options: r.RunOptions(), Original: r.Agreed, Accept: r.Accept, Speed: r.Speed, Agent: agent, Access: environment.NewSimulatedAccess(zone),
		Scenario:  r.Scenario,
		OnDone:    func() { _ = closed() },                       // an unused zone should not use the processor
		Temporary: r.Temporary, Cache: folder.Path(state.BinDir), // not shared with other clusters
		Locations: handover.Locations{
			Folder: folder.Path(), Rehearsal: true, OperatorSimulated: r.parseScenario().RequiresOperator,
			Resume: r.FormatCommand("rehearse", r.formatFlags()...),
		},
	}
	err = s.Install(ctx, display)
	if note := formatSlowdown(r.Speed, s.Net.Clock.ActualSpeed()); note != "" {
		display.Warn(note)
	}
	return err
}

// formatSlowdown returns "" if the machine reached the requested speed.
func formatSlowdown(asked, reached float64) string {
	if reached >= 0.8*asked {
		return ""
	}
	return fmt.Sprintf("note: this machine is too slow or too busy for --speed %g: virtual time slowed down to %.0f times as fast as real time", asked, reached)
}

func (r Rehearsal) formatFlags() []string {
	flags := []string{"--speed", fmt.Sprint(r.Speed)}
	if r.parseScenario().RequiresOperator {
		return flags
	}
	return append(flags, "--scenario", r.Scenario)
}

// simulateOperator simulates the actions that an earlier run required.
func (r Rehearsal) simulateOperator(zone *simcloud.Zone, folder state.Folder, cluster string) error {
	facts, err := folder.LoadFacts()
	if err != nil || facts.Syn.Tenant == "" || !facts.Syn.ManifestUsed.IsZero() || r.parseScenario().RequiresOperator {
		return err
	}
	return zone.SimulateOperator(cluster)
}

// SelectLayers returns the layers of the request, or else those of its folder or of the shipped example.
func (r Rehearsal) SelectLayers() (layers.Layers, error) {
	switch {
	case r.usesExample():
		return layers.ReadExample(r.Set)
	case r.Answers == "":
		return layers.ReadFolder(filepath.Join(r.Dir, state.AnswersFile), r.Set)
	}
	return r.ReadLayers()
}

// adaptExample gives the shipped example what the scenario breaks.
func (r Rehearsal) adaptExample(spec state.Spec) state.Spec {
	if r.usesExample() && r.parseScenario().RequiresCloudController {
		spec.OpenShift.CloudControllerManager = "External"
	}
	return spec
}

func (r Rehearsal) usesExample() bool { return r.Answers == "" && !r.IsResumed() }

// IsResumed reports whether the folder holds an earlier run of the rehearsal.
func (r Rehearsal) IsResumed() bool {
	if r.Dir == "" {
		return false
	}
	_, err := state.Open(r.Dir)
	return err == nil
}

// EnsureFolder creates a temporary folder by default. It is removed after a successful rehearsal.
func (r *Rehearsal) EnsureFolder() (cleanUp func(error), err error) {
	if r.Dir != "" {
		return func(error) {}, nil
	}
	base, err := os.MkdirTemp("", "exoshift-rehearsal-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	r.Dir, r.Temporary = filepath.Join(base, "cluster"), true
	return func(err error) {
		if err == nil {
			_ = os.RemoveAll(base)
		}
	}, nil
}
