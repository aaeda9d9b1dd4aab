package manifests

import (
	"strings"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

const csiDriver = "csi.exoscale.com"

// ensureStorageDriver adds Exoscale's driver for block storage with its default storage class, unless there is no key for it, the
// manifests bring the driver, or Project Syn installs what the cluster's configuration says.
func ensureStorageDriver(c *collection, spec state.Spec, credentials state.APIKey) error {
	_, brought := c.find(isStorageDriver)
	if brought || credentials.Key == "" || !spec.HasOwnStorageDriver() {
		return nil
	}
	content, err := assets.RenderStorageDriver(assets.StorageDriver{Key: credentials.Key, Secret: credentials.Secret})
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	return c.addOwn("exoscale-csi-driver.yaml", content)
}

func isStorageDriver(d document) bool {
	return d.kind == "CSIDriver" && d.name == csiDriver ||
		(d.kind == "Deployment" || d.kind == "DaemonSet") && strings.Contains(d.name, "exoscale-csi")
}
