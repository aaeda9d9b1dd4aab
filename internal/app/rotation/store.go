package rotation

import (
	"exoshift/internal/app/run"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/rotation"
	"exoshift/state"
)

// openStore adds to the options where the cluster's keys are kept: in its folder, or with Project Syn in Vault, for which somebody may have to
// sign in.
func (c Cluster) openStore(options *rotation.Options, facts *state.FactsStore) (closeStore func(), err error) {
	options.Store = access.FolderStore{Spec: c.Spec, Folder: c.Folder}
	if c.Spec.Syn.LieutenantURL == "" {
		return func() {}, nil
	}
	r := run.Run{Spec: c.Spec, Secrets: c.Secrets, Folder: c.Folder, Net: c.Net, Access: c.Access}
	if c.SignIn != nil {
		r.Access = c.SignIn
	}
	clients, disconnect, err := r.OpenClients(options.Journal, func(string) {})
	if err != nil {
		return nil, err
	}
	deps := syn.Deps{Spec: c.Spec, Folder: c.Folder, Clock: c.Net.Clock, Facts: facts}
	if r.Access != nil {
		deps.Show = r.Access.Show
	}
	options.Store, options.IsVault = syn.New(deps, clients.Syn).APIKeys, true
	return disconnect, nil
}
