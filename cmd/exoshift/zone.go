package main

import (
	"context"
	"fmt"
	"os"

	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
)

// usualSpeed is how many times faster than life a simulated zone lives, unless told otherwise.
const usualSpeed = 60

// simulatedZone opens the zone that a rehearsal keeps beside its folder.
func simulatedZone(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets, speed float64, scenario string) (*simcloud.Zone, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	return simcloud.Open(ctx, simcloud.Options{
		Dir:       folder.Path() + ".zone",
		Speed:     speed,
		Scenario:  scenario,
		Zone:      spec.Exoscale.Zone,
		Key:       secrets.APIKey,
		Secret:    secrets.APISecret,
		Installer: []string{self, simulatedInstallerVerb},
	})
}

// networkOf returns the network that a folder's cluster is in: the host's, or that of the zone which a rehearsal keeps
// beside its folder. leave closes it.
func networkOf(ctx context.Context, folder state.Folder, rehearsal bool, spec state.Spec, secrets wizard.Secrets) (net network.Network, leave func() error, err error) {
	if !rehearsal {
		return network.Host(), func() error { return nil }, nil
	}
	zone, err := simulatedZone(ctx, folder, spec, secrets, usualSpeed, "")
	if err != nil {
		return net, nil, err
	}
	return zone.Network(), zone.Close, nil
}
