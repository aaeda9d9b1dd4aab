package api

import "net/http"

type wireZone struct {
	ID   string `json:"id"` // undeclared, but answered by the live service
	Name string `json:"name"`
	API  string `json:"api-endpoint"`
	SOS  string `json:"sos-endpoint"`
}

// zoneNames returns all zones in the order of the live service.
func zoneNames() []string {
	return []string{"ch-gva-2", "ch-dk-2", "at-vie-1", "de-fra-1", "bg-sof-1", "de-muc-1", "at-vie-2", "hr-zag-1"}
}

func (a *API) zoneRoutes(register func(string, handler)) {
	register(anonymous, a.listZones)
	register("GET /organization", a.getOrganization)
	register("GET /deploy-target", func(*call) (any, error) {
		return map[string]any{"deploy-targets": []ref{}}, nil
	})
	register("GET /deploy-target/{id}", func(c *call) (any, error) {
		return nil, notFound("deploy-target", c.id())
	})
	register("GET /event", func(*call) (any, error) { return a.events, nil })
}

func (a *API) listZones(*call) (any, error) {
	var zones []wireZone
	for _, name := range zoneNames() {
		zones = append(zones, wireZone{
			ID:   stableID("zone/" + name),
			Name: name,
			API:  "https://api-" + name + ".exoscale.com/v2",
			SOS:  "https://sos-" + name + ".exo.io",
		})
	}
	return map[string]any{"zones": zones}, nil
}

func (a *API) getOrganization(*call) (any, error) {
	return map[string]any{
		"id": stableID("organization"), "name": "Rehearsal", "address": "", "postcode": "1200", "city": "Genève",
		"country": "CH", "currency": "chf", "balance": 0,
	}, nil
}

// wireEvent is an entry of the audit trail: mutations only.
type wireEvent struct {
	Timestamp string `json:"timestamp"`
	Handler   string `json:"handler"`
	URI       string `json:"uri"`
	Status    int    `json:"status"`
	Zone      string `json:"zone"`
	Message   string `json:"message"`
}

const maxEvents = 1000

// note adds a mutation to the audit trail, which is kept in memory only.
func (a *API) note(c *call, pattern string, err error) {
	status, message := http.StatusOK, ""
	if err != nil {
		status, message = refusalOf(err).Status, err.Error()
	}
	a.events = append(a.events, wireEvent{
		Timestamp: a.now().Format("2006-01-02T15:04:05.000Z"), Handler: pattern, URI: c.request.URL.RequestURI(),
		Status: status, Zone: c.zone, Message: message,
	})
	a.events = a.events[max(0, len(a.events)-maxEvents):]
}
