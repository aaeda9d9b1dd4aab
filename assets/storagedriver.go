package assets

import "errors"

// StorageClass is the default storage class of a cluster with Exoscale's driver for block storage.
const StorageClass = "exoscale-sbs"

// StorageDriver is the input of Exoscale's driver for block storage.
type StorageDriver struct {
	Key    string // of the API
	Secret string // of the key
}

// RenderStorageDriver returns the manifests, YAML of several documents, that run Exoscale's driver for block storage with its
// storage class StorageClass, the cluster's default. They hold the API's secret.
func RenderStorageDriver(d StorageDriver) ([]byte, error) {
	if d.Key == "" || d.Secret == "" {
		return nil, errors.New("storage driver: it needs an API key")
	}
	return render("manifests/exoscale-csi-driver.yaml", d)
}
