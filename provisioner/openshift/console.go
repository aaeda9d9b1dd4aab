package openshift

import "context"

type route struct {
	Status struct {
		Ingress []struct {
			Host       string     `json:"host"`
			Conditions conditions `json:"conditions"`
		} `json:"ingress"`
	} `json:"status"`
}

// GetConsoleURL returns the URL of the web console, or "" if no router serves one (yet).
func (c *Configurer) GetConsoleURL(ctx context.Context) (string, error) {
	api, err := c.connector.Connect(ctx)
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

func (r route) findHost() string {
	for _, served := range r.Status.Ingress {
		if served.Host != "" && served.Conditions.is("Admitted") {
			return served.Host
		}
	}
	return ""
}
