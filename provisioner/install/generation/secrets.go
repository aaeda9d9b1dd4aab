package generation

import (
	"errors"

	"exoshift/state"
)

// RemoveSecrets removes what only the bootstrap needs, if that is over.
func (g *Generator) RemoveSecrets() error {
	if !g.facts.Get().IsBootstrapped() {
		return nil
	}
	return RemoveBootstrapSecrets(g.spec, g.folder, g.installer.Strip)
}

// RemoveBootstrapSecrets removes from the folder the cluster's keys and everything that only the bootstrap needed:
// bootstrap.ign and openshift-install's state, which strip removes, the keys of the bootstrap machine, its signed link,
// the user data that pointed nodes to it, and generations that were moved aside.
func RemoveBootstrapSecrets(spec state.Spec, folder state.Folder, strip func(dir string) error) error {
	errs := []error{strip(folder.Path(state.InstallDir)), folder.RemoveOldGenerations()}
	for _, name := range ListBootstrapSecrets(spec) {
		errs = append(errs, folder.Remove(name))
	}
	return errors.Join(errs...)
}

// ListBootstrapSecrets returns the files of a folder that only the bootstrap needs.
func ListBootstrapSecrets(spec state.Spec) []string {
	dir := state.InstallDir + "/"
	names := []string{dir + "bootstrap.ign", dir + ".openshift_install_state.json", dir + state.IdentityFile}
	for _, machine := range append(spec.Machines(state.RoleBootstrap), spec.Nodes()...) {
		names = append(names, state.FormatUserDataFile(machine.Name))
	}
	return names
}
