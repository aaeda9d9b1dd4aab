package install

import (
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// OpenConfiguration returns what reads and changes the configuration of a cluster in the repository of its tenant, without the rest of an
// installation; nil without Project Syn.
func OpenConfiguration(spec state.Spec, options Options, folder state.Folder, clients Clients) (*syn.Connection, error) {
	installation, err := New(spec, options, folder, clients)
	if err != nil {
		return nil, err
	}
	return installation.syn, nil
}
