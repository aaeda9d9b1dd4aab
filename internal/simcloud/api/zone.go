package api

type wireZone struct {
	ID   string `json:"id"` // undeclared, but returned by the live service
	Name string `json:"name"`
	API  string `json:"api-endpoint"`
	SOS  string `json:"sos-endpoint"`
}

// listZoneNames returns all zones in the order of the live service.
func listZoneNames() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "de-fra-1", "bg-sof-1", "de-muc-1", "at-vie-2", "hr-zag-1"}
}

func (a *API) registerZoneRoutes(register func(string, handler)) {
	register(anonymous, a.listZones)
	register("GET /organization", a.getOrganization)
}

func (a *API) listZones(*call) (any, error) {
	var zones []wireZone
	for _, name := range listZoneNames() {
		zones = append(zones, wireZone{
			ID:   generateStableID("zone/" + name),
			Name: name,
			API:  "https://api-" + name + ".exoscale.com/v2",
			SOS:  "https://sos-" + name + ".exo.io",
		})
	}
	return map[string]any{"zones": zones}, nil
}

func (a *API) getOrganization(*call) (any, error) {
	return map[string]any{
		"id": generateStableID("organization"), "name": "Rehearsal", "address": "", "postcode": "1200", "city": "Genève",
		"country": "CH", "currency": "chf", "balance": 0,
	}, nil
}
