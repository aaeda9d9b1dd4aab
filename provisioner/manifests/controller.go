package manifests

import (
	"errors"
	"fmt"
	"strings"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

const external = "External"

// ensureController checks that the nodes expect the cloud controller if the manifests bring one, and adds exoshift's own if it is
// expected and none is brought.
func ensureController(c *collection, spec state.Spec, credentials state.APIKey) error {
	expected := spec.OpenShift.CloudControllerManager == external
	brought, found := c.find(isController)
	switch {
	case found && !expected:
		return newInvalidError(fmt.Errorf("%s contains a cloud controller, but the nodes would not wait for it", brought.position)).
			WithHint("set openshift.cloudControllerManager to External in the answers file, or remove the controller")
	case found || !expected:
		return nil
	case credentials.Key == "" || credentials.Secret == "":
		return fault.New(fault.Internal, op, errors.New("there is no API key for the cloud controller"))
	}
	return addOwnController(c, spec, credentials)
}

func isController(d document) bool {
	return (d.kind == "Deployment" || d.kind == "DaemonSet") && strings.Contains(d.name, "cloud-controller-manager")
}

func addOwnController(c *collection, spec state.Spec, credentials state.APIKey) error {
	content, err := assets.RenderCloudControllerManager(assets.CloudController{
		Domain: spec.Domain(), Zone: spec.Exoscale.Zone, Key: credentials.Key, Secret: credentials.Secret,
	})
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	return c.addOwn("exoscale-cloud-controller-manager.yaml", content)
}
