package environment

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
)

// DefaultSpeed of a rehearsal, as a multiple of real time.
const DefaultSpeed = 60

// ZoneSuffix follows the name of the folder that the zone belongs to.
const ZoneSuffix = ".zone"

// OpenZone opens the zone that a rehearsal keeps beside its folder, with the speed, the scenario and the program of options.
func OpenZone(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets, options simcloud.Options) (*simcloud.Zone, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	options.Dir, options.Zone = folder.Path()+ZoneSuffix, spec.Exoscale.Zone
	options.Key, options.Secret, options.Installer = secrets.APIKey, secrets.APISecret, []string{self, InstallerVerb}
	return simcloud.Open(ctx, options)
}

// Deps are what work on an existing cluster depends on.
type Deps struct {
	Net    network.Network
	Access *Access
	Close  func() error
}

// OpenDeps opens the network of a cluster: that of the host, or of the zone beside the folder of a rehearsal.
func OpenDeps(ctx context.Context, host *Host, folder state.Folder, rehearsal bool, spec state.Spec, secrets wizard.Secrets) (Deps, error) {
	if !rehearsal {
		net, err := host.Open(ctx)
		return Deps{net, NewOwnAccess(), func() error { return nil }}, err
	}
	options := simcloud.Options{Speed: DefaultSpeed}
	if host != nil {
		options.Scenario, options.Speed = host.Scenario, cmp.Or(host.Speed, DefaultSpeed)
	}
	zone, err := OpenZone(ctx, folder, spec, secrets, options)
	if err != nil {
		return Deps{}, err
	}
	return Deps{zone.Network(), NewSimulatedAccess(zone), zone.Close}, nil
}

// InstallerVerb is the hidden verb behind the openshift-install that the simulated mirror serves.
const InstallerVerb = "simulated-openshift-install"

// NewZoneOptions returns the options of a zone in memory with the keys of a rehearsal.
func NewZoneOptions(speed float64, scenario string) (simcloud.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return simcloud.Options{}, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	key, _ := LookupRehearsalSecret("EXOSCALE_API_KEY")
	secret, _ := LookupRehearsalSecret("EXOSCALE_API_SECRET")
	return simcloud.Options{
		Speed: speed, Scenario: scenario, Key: key, Secret: secret, Installer: []string{self, InstallerVerb},
	}, nil
}
