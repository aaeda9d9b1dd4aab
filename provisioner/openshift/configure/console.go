package configure

import (
	"context"

	"exoshift/provisioner/openshift/kubeapi"
)

// GetConsoleURL returns the URL of the web console, or "" if no router serves one (yet).
func (c *Configurer) GetConsoleURL(ctx context.Context) (string, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	console, _, err := kubeapi.Get[kubeapi.Route](ctx, api, kubeapi.ConsoleRoutes, "console")
	if err != nil {
		return "", err
	}
	if host := console.FindHost(); host != "" {
		return "https://" + host, nil
	}
	return "", nil
}
