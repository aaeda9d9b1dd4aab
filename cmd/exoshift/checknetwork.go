package main

import (
	"context"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

func (c checkFlags) openNetwork(ctx context.Context, asked connectivity.Subject) (net network.Network, leave func() error, err error) {
	if !c.simulate {
		return c.newNetwork(), func() error { return nil }, nil
	}
	zones, err := environment.NewZoneOptions(environment.DefaultSpeed, c.scenario)
	if err != nil {
		return net, nil, err
	}
	zones.Program = connectivity.OnMachine
	zones.Zone = asked.Spec.Exoscale.Zone
	zone, err := simcloud.Open(ctx, zones)
	if err != nil {
		return net, nil, err
	}
	return zone.Network(), zone.Close, nil
}
