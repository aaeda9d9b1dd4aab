package openshift

import "context"

// route is the part of route.openshift.io/v1 Route that tells where it is served.
type route struct {
	Status struct {
		Ingress []struct {
			Host       string     `json:"host"`
			Conditions conditions `json:"conditions"`
		} `json:"ingress"`
	} `json:"status"`
}

// GetConsoleURL returns the address of the web console, or "" if no router serves one (yet).
func (c *Cluster) GetConsoleURL(ctx context.Context) (string, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	console, _, err := getObject[route](ctx, api, consoleRoutes, "console")
	if err != nil {
		return "", err
	}
	if host := console.findHost(); host != "" {
		return "https://" + host, nil
	}
	return "", nil
}

// findHost returns the name that a router serves the route by, or "".
func (r route) findHost() string {
	for _, served := range r.Status.Ingress {
		if served.Host != "" && served.Conditions.is("Admitted") {
			return served.Host
		}
	}
	return ""
}
