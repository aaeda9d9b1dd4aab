package api

import (
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type wireZone struct {
	ID   string `json:"id"` // undeclared, but returned by the live service
	Name string `json:"name"`
	API  string `json:"api-endpoint"`
	SOS  string `json:"sos-endpoint"`
}

func registerZoneRoutes(register rest.Register) {
	register(anonymous, listZones)
	register("GET /organization", getOrganization)
}

func listZones(*rest.Request) (any, error) {
	var zones []wireZone
	for _, name := range resource.ZoneNames() {
		zones = append(zones, wireZone{
			ID:   resource.StableID("zone/" + name),
			Name: name,
			API:  "https://api-" + name + ".exoscale.com/v2",
			SOS:  "https://sos-" + name + ".exo.io",
		})
	}
	return map[string]any{"zones": zones}, nil
}

func getOrganization(*rest.Request) (any, error) {
	return map[string]any{
		"id": resource.StableID("organization"), "name": "Rehearsal", "address": "", "postcode": "1200", "city": "Genève",
		"country": "CH", "currency": "chf", "balance": 0,
	}, nil
}
