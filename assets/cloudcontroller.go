package assets

import "errors"

// CloudController is the input of Exoscale's cloud controller manager.
type CloudController struct {
	Domain string // of the cluster
	Zone   string
	Key    string // of the API
	Secret string // of the key
}

// RenderCloudControllerManager returns the manifests, YAML of several documents, that run Exoscale's cloud controller
// manager on the nodes of the control plane. They hold the API's secret.
func RenderCloudControllerManager(c CloudController) ([]byte, error) {
	if c.Domain == "" || c.Zone == "" || c.Key == "" || c.Secret == "" {
		return nil, errors.New("cloud controller manager: it needs a domain, a zone and an API key")
	}
	return render("manifests/exoscale-cloud-controller-manager.yaml", c)
}
