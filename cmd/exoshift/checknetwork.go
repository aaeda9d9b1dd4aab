package main

import (
	"context"

	"exoshift/internal/app/environment"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

func (c checkFlags) openNetwork(ctx context.Context, asked checkSubject) (net network.Network, leave func() error, err error) {
	if !c.simulate {
		return c.newNetwork(), func() error { return nil }, nil
	}
	zones, err := environment.NewZoneOptions(environment.DefaultSpeed, c.scenario)
	if err != nil {
		return net, nil, err
	}
	zones.Program = onMachine
	zones.Zone = asked.spec.Exoscale.Zone
	zone, err := simcloud.Open(ctx, zones)
	if err != nil {
		return net, nil, err
	}
	return zone.Network(), zone.Close, nil
}
