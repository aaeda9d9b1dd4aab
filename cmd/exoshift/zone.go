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

// defaultSpeed is a multiple of real time.
const defaultSpeed = 60

const zoneSuffix = ".zone"

// openSimulatedZone opens the zone that a rehearsal keeps beside its folder.
func openSimulatedZone(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets, speed float64, scenario string) (*simcloud.Zone, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	return simcloud.Open(ctx, simcloud.Options{
		Dir:       folder.Path() + zoneSuffix,
		Speed:     speed,
		Scenario:  scenario,
		Zone:      spec.Exoscale.Zone,
		Key:       secrets.APIKey,
		Secret:    secrets.APISecret,
		Installer: []string{self, simulatedInstallerVerb},
	})
}

type clusterDeps struct {
	net    network.Network
	access *synAccess
	close  func() error
}

func openClusterDeps(ctx context.Context, folder state.Folder, rehearsal bool, spec state.Spec, secrets wizard.Secrets) (clusterDeps, error) {
	if !rehearsal {
		return clusterDeps{network.Host(), newOwnAccess(), func() error { return nil }}, nil
	}
	zone, err := openSimulatedZone(ctx, folder, spec, secrets, defaultSpeed, "")
	if err != nil {
		return clusterDeps{}, err
	}
	return clusterDeps{zone.Network(), newSimulatedAccess(zone), zone.Close}, nil
}
