package api

import "net/url"

// getConsole returns a URL that nothing serves in the simulation.
func (a *API) getConsole(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	place := url.URL{Scheme: "wss", Host: "console-" + i.Zone + ".exoscale.com", Path: "/" + i.ID}
	return map[string]string{"url": place.String(), "host": place.Host, "path": place.Path}, nil
}
