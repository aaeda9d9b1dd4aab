// Package manifests collects the additional manifests of an installation: those of a compiled catalog and of the operator's
// directory, the cloud controller, the driver for block storage, and the network operator's settings.
package manifests

import (
	"fmt"

	"exoshift/internal/fault"
	"exoshift/state"
)

const op = "collect the manifests"

const (
	plainFolder   = "manifests/"
	machineFolder = "openshift/" // of openshift-install's own MachineConfigs
)

// Collect reads the catalog and the directory that the answers name and returns the manifests for openshift-install: one object
// in each, no two of them the same. The manifests hold the credentials, and the secrets that resolve returns for the catalog's
// references. Without resolve only the references to the cloud controller's credentials are replaced. Errors are fault.Invalid
// with the file, and the line if known.
func Collect(spec state.Spec, credentials Credentials, resolve Resolve) ([]state.Manifest, error) {
	c := &collection{names: map[string]string{}, objects: map[string]string{}, resolve: resolve}
	if err := c.fromCatalog(spec, credentials.CloudController); err != nil {
		return nil, wrapField("syn.catalogDir", err)
	}
	if err := c.fromDirectory(spec.OpenShift.ManifestsDir); err != nil {
		return nil, wrapField("openshift.manifestsDir", err)
	}
	if err := ensureController(c, spec, credentials.CloudController); err != nil {
		return nil, err
	}
	if err := ensureStorageDriver(c, spec, credentials.StorageDriver); err != nil {
		return nil, err
	}
	if err := ensureNetwork(c, spec.Network); err != nil {
		return nil, wrapField("network.cni", err)
	}
	if err := checkCiliumCluster(c, spec.Domain()); err != nil {
		return nil, err
	}
	return c.manifests, checkReferences(c)
}

// Credentials are the API keys that the manifests hold.
type Credentials struct {
	CloudController state.APIKey
	// StorageDriver is the key of the driver for block storage; the zero key: no driver is installed.
	StorageDriver state.APIKey
}

// NewPlaceholders returns credentials for a preview, before real ones exist.
func NewPlaceholders() Credentials {
	key := state.APIKey{Key: "none yet", Secret: "none yet"}
	return Credentials{CloudController: key, StorageDriver: key}
}

type collection struct {
	manifests []state.Manifest
	documents []document
	names     map[string]string // by name: the file it comes from
	objects   map[string]string // by identity: the file it comes from
	resolve   Resolve
}

func (c *collection) add(name string, d document) error {
	if other, taken := c.names[name]; taken {
		return newInvalidError(fmt.Errorf("%s and %s would both become %s", other, d.position, name)).
			WithHint("rename one of them")
	}
	if other, taken := c.objects[d.identity()]; taken {
		return newInvalidError(fmt.Errorf("%s and %s both describe %s", other, d.position, d)).
			WithHint("remove one of them")
	}
	c.names[name], c.objects[d.identity()] = d.position, d.position
	c.documents = append(c.documents, d)
	c.manifests = append(c.manifests, state.Manifest{Name: name, Source: d.position, Content: d.content})
	return nil
}

// addOwn adds manifests of exoshift's own, one object in each file.
func (c *collection) addOwn(name string, content []byte) error {
	parts, err := parse("exoshift's own "+name, content)
	if err != nil {
		return err
	}
	for i, d := range parts {
		if err := c.add(plainFolder+formatNumbered(name, i, len(parts)), d); err != nil {
			return err
		}
	}
	return nil
}

func (c *collection) find(matches func(document) bool) (document, bool) {
	for _, d := range c.documents {
		if matches(d) {
			return d, true
		}
	}
	return document{}, false
}

// wrapField adds the field of the answers that caused the error.
func wrapField(field string, err error) error {
	failure, plain := err.(*fault.Error) //nolint:errorlint // what is wrapped keeps its words
	if !plain || failure.Kind != fault.Invalid {
		return err
	}
	return failure.WithField(field)
}

func newInvalidError(err error) *fault.Error { return fault.New(fault.Invalid, op, err) }
