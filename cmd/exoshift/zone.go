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

// zoneSuffix ends the name of the folder of such a zone.
const zoneSuffix = ".zone"

// simulatedZone opens the zone that a rehearsal keeps beside its folder.
func simulatedZone(ctx context.Context, folder state.Folder, spec state.Spec, secrets wizard.Secrets, speed float64, scenario string) (*simcloud.Zone, error) {
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

// surroundings are the world that a cluster is in.
type surroundings struct {
	net    network.Network
	access *synAccess
	leave  func() error
}

// surroundingsOf returns those of a folder's cluster: the host's own, or the zone that a rehearsal keeps beside its folder.
func surroundingsOf(ctx context.Context, folder state.Folder, rehearsal bool, spec state.Spec, secrets wizard.Secrets) (surroundings, error) {
	if !rehearsal {
		return surroundings{network.Host(), ownAccess(), func() error { return nil }}, nil
	}
	zone, err := simulatedZone(ctx, folder, spec, secrets, usualSpeed, "")
	if err != nil {
		return surroundings{}, err
	}
	return surroundings{zone.Network(), simulatedAccess(zone), zone.Close}, nil
}
