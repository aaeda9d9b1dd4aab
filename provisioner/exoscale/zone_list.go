package exoscale

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// anyZone is where the zones are listed: each zone's API lists all of them.
const anyZone = "ch-gva-2"

// ListZones returns the names of all zones, sorted. It needs no credentials.
func ListZones(ctx context.Context, net network.Network) ([]string, error) {
	const op = "list zones"
	inner := net.NewTransport()
	defer inner.CloseIdleConnections()
	c := &Client{zone: anyZone}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api-"+anyZone+".exoscale.com/v2/zone", http.NoBody)
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	answer, err := (&http.Client{Transport: newTransport(inner, net.Clock, "")}).Do(request)
	if err != nil {
		return nil, c.translate(ctx, op, err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list struct{ Zones []struct{ Name string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return nil, c.translate(ctx, op, err)
	}
	var names []string
	for _, zone := range list.Zones {
		names = append(names, zone.Name)
	}
	slices.Sort(names)
	return names, nil
}
