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

// ConsoleURL returns the address of the web console, or "" if no router serves one (yet).
func (c *Cluster) ConsoleURL(ctx context.Context) (string, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	console, _, err := read[route](ctx, api, consoleRoutes, "console")
	if err != nil {
		return "", err
	}
	if host := console.host(); host != "" {
		return "https://" + host, nil
	}
	return "", nil
}

// host returns the name that a router serves the route by, or "".
func (r route) host() string {
	for _, served := range r.Status.Ingress {
		if served.Host != "" && served.Conditions.is("Admitted") {
			return served.Host
		}
	}
	return ""
}
