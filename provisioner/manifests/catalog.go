package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"exoshift/state"
)

const machineConfig = "MachineConfig"

const (
	catalogMachines   = "openshift4-nodes/10_machineconfigs.yaml"
	catalogController = "exoscale-cloud-controller-manager/manager"
	catalogCilium     = "cilium/olm"
	// catalogInfrastructure describes the machines for Terraform, and has the pipeline that applies it.
	catalogInfrastructure = "openshift4-terraform"
)

// ListInitialManifests returns the folders and files of a compiled catalog that are applied before Project Syn runs, relative to
// the catalog.
func ListInitialManifests() []string {
	return []string{"manifests/cert-manager/00_namespace.yaml", "manifests/cert-manager/10_cert_manager"}
}

// machineName is also part of a file name.
var machineName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

var ciliumFiles = regexp.MustCompile(`^[a-z]`)

// fromCatalog adds what a compiled catalog must contribute at installation: machine configurations, the cloud controller and
// Cilium. Project Syn installs everything else.
func (c *collection) fromCatalog(spec state.Spec, credentials state.APIKey) error {
	dir := spec.Syn.CatalogDir
	if dir == "" {
		return nil
	}
	root := filepath.Join(dir, "manifests")
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return newInvalidError(fmt.Errorf("%s is not a compiled catalog: it has no folder %q", dir, "manifests")).
			WithHint("correct syn.catalogDir in the answers file, or compile the catalog first")
	}
	if err := c.addMachineConfigs(filepath.Join(root, catalogMachines)); err != nil {
		return err
	}
	if err := CheckInfrastructure(spec, dir); err != nil {
		return err
	}
	resolve := func(d document) (document, error) {
		if err := checkZone(d, spec.Exoscale.Zone); err != nil {
			return d, err
		}
		return d.withSecrets(credentials, c.resolve)
	}
	if err := c.addComponent(filepath.Join(root, catalogController), "exoscale_ccm_", nil, resolve); err != nil {
		return err
	}
	return c.addComponent(filepath.Join(root, catalogCilium), "cilium_", ciliumFiles)
}

func (c *collection) addMachineConfigs(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	found, err := readFile(path)
	if err != nil {
		return err
	}
	for _, d := range found {
		if d.kind != machineConfig || !machineName.MatchString(d.name) {
			return newInvalidError(fmt.Errorf("%s: %s is not a MachineConfig with a valid name", d.position, d)).
				WithHint("compile the catalog again")
		}
		if err := c.add(machineFolder+"99x_openshift-machineconfig_"+d.name+".yml", d); err != nil {
			return err
		}
	}
	return nil
}

// addComponent adds the files that match wanted, or all if it is nil. The folder may be missing.
func (c *collection) addComponent(dir, prefix string, wanted *regexp.Regexp, change ...func(document) (document, error)) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	paths, err := listFiles(dir, wanted)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := c.fromFile(prefix, path, change...); err != nil {
			return err
		}
	}
	return nil
}
