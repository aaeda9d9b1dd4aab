// Package manifests collects what is installed with a cluster beside openshift-install's own manifests: what a compiled
// catalog and a directory of the operator bring, the cloud controller, and the network operator's settings.
package manifests

import (
	"fmt"

	"exoshift/internal/fault"
	"exoshift/state"
)

const op = "collect the manifests"

// Folders of openshift-install's directory, with the slash.
const (
	plainFolder   = "manifests/"
	machineFolder = "openshift/" // where its own MachineConfigs are
)

// Collect reads the catalog and the directory that the answers name and returns what openshift-install is to be given:
// one object in each manifest, no two of them the same. The credentials are those of the cloud controller; the contents
// hold them, and the secrets that resolve finds for the catalog's references; without it, those of the cloud controller
// alone are known. Whatever is wrong is a fault.Invalid that names the file, and the line where there is one.
func Collect(spec state.Spec, credentials state.APIKey, resolve Resolve) ([]state.Manifest, error) {
	c := collection{names: map[string]string{}, objects: map[string]string{}, resolve: resolve}
	if err := c.fromCatalog(spec, credentials); err != nil {
		return nil, wrapField("syn.catalogDir", err)
	}
	if err := c.fromDirectory(spec.OpenShift.ManifestsDir); err != nil {
		return nil, wrapField("openshift.manifestsDir", err)
	}
	if err := c.ensureController(spec, credentials); err != nil {
		return nil, err
	}
	if err := c.ensureNetwork(spec.Network); err != nil {
		return nil, wrapField("network.cni", err)
	}
	if err := c.checkCiliumCluster(spec.Domain()); err != nil {
		return nil, err
	}
	return c.manifests, c.checkReferences()
}

// NewPlaceholderKey has credentials for a trial, before there are real ones.
func NewPlaceholderKey() state.APIKey { return state.APIKey{Key: "none yet", Secret: "none yet"} }

// collection is what was collected so far.
type collection struct {
	manifests []state.Manifest
	documents []document
	names     map[string]string // of manifests, and where they come from
	objects   map[string]string // by identity, and where they come from
	resolve   Resolve
}

// add takes a document in under a name of openshift-install's directory.
func (c *collection) add(name string, d document) error {
	if other, taken := c.names[name]; taken {
		return newInvalidError(fmt.Errorf("%s and %s would both become %s", other, d.position, name)).
			WithHint("rename one of them")
	}
	if other, taken := c.objects[d.identity()]; taken {
		return newInvalidError(fmt.Errorf("%s and %s both describe %s", other, d.position, d)).
			WithHint("take one of them away")
	}
	c.names[name], c.objects[d.identity()] = d.position, d.position
	c.documents = append(c.documents, d)
	c.manifests = append(c.manifests, state.Manifest{Name: name, Source: d.position, Content: d.content})
	return nil
}

// find returns the first document that matches.
func (c *collection) find(matches func(document) bool) (document, bool) {
	for _, d := range c.documents {
		if matches(d) {
			return d, true
		}
	}
	return document{}, false
}

// wrapField names the answer that led to what is invalid.
func wrapField(field string, err error) error {
	failure, plain := err.(*fault.Error) //nolint:errorlint // what is wrapped keeps its words
	if !plain || failure.Kind != fault.Invalid {
		return err
	}
	return failure.WithField(field)
}

func newInvalidError(err error) *fault.Error { return fault.New(fault.Invalid, op, err) }
