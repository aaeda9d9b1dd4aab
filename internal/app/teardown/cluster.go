// Package teardown destroys a cluster: what is known of it, the clients for that, and one run of the reverse recipe.
package teardown

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/local"
)

// Cluster is what is known of the cluster to destroy: from its folder, or from its answers alone.
type Cluster struct {
	Spec      state.Spec
	Secrets   wizard.Secrets
	Net       network.Network
	Access    *environment.Access
	Folder    state.Folder // if kept
	HasFolder bool
	Facts     state.Facts
}

// Find returns the cluster whose folder is dir; "" is the only one of this machine, unless there are answers. The folder has more
// information than answers, so it is preferred. readSpec is given what is known until then.
func Find(dir string, answered bool, readSpec func(Cluster) (state.Spec, error)) (Cluster, error) {
	var c Cluster
	var err error
	if dir != "" || !answered {
		if c.Folder, err = clusterdir.Find(dir); err != nil {
			return c, err
		}
		c.HasFolder = true
	}
	if c.Spec, err = readSpec(c); err != nil {
		return c, err
	}
	if !c.HasFolder {
		return c.withDefaultFolder()
	}
	if c.Facts, err = c.Folder.LoadFacts(); err != nil {
		return c, err
	}
	if id := c.Facts.ClusterID; id != "" && id != c.Spec.Cluster.ID {
		return c, exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to cluster %s, the answers are for %s; use its folder with --dir",
			c.Folder.Path(), id, c.Spec.Cluster.ID))
	}
	c.Spec = c.Spec.WithFacts(c.Facts)
	return c, nil
}

// withDefaultFolder adds the folder in the default location, if it is the cluster's. A rehearsal has to be named explicitly.
func (c Cluster) withDefaultFolder() (Cluster, error) {
	path, err := state.DefaultPath(c.Spec.Cluster.ID)
	if err != nil {
		return c, nil // without a home directory there is no folder; the answers are sufficient
	}
	folder, err := state.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return c, err
	}
	if facts.ClusterID == c.Spec.Cluster.ID && !facts.Rehearsal {
		c.Folder, c.Facts, c.HasFolder = folder, facts, true
	}
	return c, nil
}

// ResolveSecrets requires only the API keys, not the pull secret. It returns what is wrong with them.
func (c Cluster) ResolveSecrets() (secrets wizard.Secrets, needed []wizard.Problem) {
	lookup := environment.LookupEnv
	if c.Facts.Rehearsal {
		lookup = environment.LookupRehearsalSecret
	}
	secrets, faults := local.ResolveSecrets(c.withoutStoredKeys(), lookup)
	for _, f := range faults {
		if strings.HasPrefix(f.Field, "exoscale.") {
			needed = append(needed, f)
		}
	}
	return secrets, needed
}

// withoutStoredKeys replaces references to the folder's keys, which are removed when its cluster is destroyed, by the
// environment.
func (c Cluster) withoutStoredKeys() state.Spec {
	spec := c.Spec
	if c.Facts.Destroyed.IsZero() {
		return spec
	}
	for variable, ref := range map[string]*state.SecretRef{"EXOSCALE_API_KEY": &spec.Exoscale.APIKey, "EXOSCALE_API_SECRET": &spec.Exoscale.APISecret} {
		if strings.HasPrefix(ref.File, c.Folder.Path(state.SecretsDir)) {
			*ref = state.SecretRef{Env: variable}
		}
	}
	return spec
}

// NewClients returns the clients of a teardown.
func (c Cluster) NewClients(journal state.Recorder) (clients destroy.Clients, disconnect func(), err error) {
	zone, key, secret := c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret
	cloud, err := exoscale.New(c.Net, zone, key, secret, journal)
	if err != nil {
		return clients, nil, err
	}
	storage, err := objects.New(c.Net, zone, key, secret, journal)
	if err != nil {
		return clients, nil, err
	}
	clients = destroy.Clients{Cloud: cloud, Buckets: storage.WithOwner(c.Spec.Cluster.ID), Clock: c.Net.Clock, Syn: c.newSynClients()}
	disconnect = func() { cloud.Close(); storage.Close() }
	if kubeconfig, err := c.readKubeconfig(); err == nil {
		cluster := openshift.NewCluster(c.Net, func() ([]byte, error) { return kubeconfig, nil })
		clients.Cluster = cluster
		disconnect = func() { cloud.Close(); storage.Close(); cluster.Close() }
	}
	return clients, disconnect, nil
}

func (c Cluster) readKubeconfig() ([]byte, error) {
	if !c.HasFolder {
		return nil, fs.ErrNotExist
	}
	return c.Folder.Read(state.InstallDir + "/auth/kubeconfig")
}

// newSynClients returns nil unless this folder's installation has registered the cluster and no teardown has unregistered it:
// a foreign registration of the same name is kept.
func (c Cluster) newSynClients() *destroy.Syn {
	if c.Spec.Syn.LieutenantURL == "" || c.Access == nil || c.Facts.Syn.Tenant == "" || !c.HasFolder || !c.Facts.Destroyed.IsZero() {
		return nil
	}
	git := catalog.NewGit(c.Net, c.Access.NewGitAccess(c.Secrets.GitToken))
	secrets, err := git.ListWantedSecrets(c.Folder.Path(state.CatalogDir), c.Spec.Syn.GetVaultMount())
	if err != nil {
		secrets = nil // Lieutenant deletes the remaining secrets of the cluster
	}
	for _, path := range syn.ListSecretPaths(c.Spec) {
		secrets = append(secrets, state.VaultSecret{Path: path})
	}
	return &destroy.Syn{
		Lieutenant: c.Access.NewLieutenantClient(c.Net, c.Spec.Syn.LieutenantURL),
		Vault:      c.Access.OpenVaultClient(c.Net, c.Spec.Syn), Tenant: c.Facts.Syn.Tenant, Mount: c.Spec.Syn.GetVaultMount(), Secrets: slices.Clip(secrets), Show: c.Access.Show,
		Passwords: sealedPasswords{c.Folder, c.Secrets.APISecret},
	}
}

// describeUnregistered reports that a teardown without the folder does not change Project Syn.
func (c Cluster) describeUnregistered() []string {
	if c.Spec.Syn.LieutenantURL == "" || c.HasFolder {
		return nil
	}
	return []string{"without the cluster's folder it is not known who registered " + c.Spec.Cluster.ID + ": Lieutenant and Vault are not changed; " +
		"if it was this cluster, have it deleted in Lieutenant, which deletes its secrets, too"}
}
