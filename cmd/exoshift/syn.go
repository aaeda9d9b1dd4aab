package main

import (
	"os"
	"slices"
	"strings"

	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

// newSynClients returns nil if the cluster is not connected.
func (s session) newSynClients(cluster *openshift.Cluster) *syn.Clients {
	if s.spec.Syn.LieutenantURL == "" || s.access == nil {
		return nil
	}
	git := s.access.NewGitAccess(s.secrets.GitToken)
	return &syn.Clients{
		Lieutenant: s.access.NewLieutenantClient(s.net, s.spec.Syn.LieutenantURL),
		Vault:      s.access.OpenVaultClient(s.net, s.spec.Syn),
		Git:        catalog.NewGit(s.net, git),
		Compiler:   catalog.NewCompiler(s.net, git, s.findCommodore()),
		Cluster:    cluster,
	}
}

func (s session) findCommodore() catalog.Commodore {
	local := catalog.Commodore{Program: s.access.Commodore, API: s.spec.Syn.LieutenantURL}
	local.Token = s.access.OpenTokenSource(s.net, s.spec.Syn.LieutenantURL).Token
	for _, name := range []string{"PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"} {
		if value, set := os.LookupEnv(name); set {
			local.Environment = append(local.Environment, name+"="+value)
		}
	}
	local.Release = parseMinorRelease(s.folder, s.spec)
	return local
}

// parseMinorRelease returns e.g. 4.21, of a channel or of a version.
func parseMinorRelease(folder state.Folder, spec state.Spec) string {
	version := spec.OpenShift.Version
	if facts, err := folder.LoadFacts(); err == nil && facts.OpenShiftVersion != "" {
		version = facts.OpenShiftVersion
	}
	if _, number, channel := strings.Cut(version, "-"); channel && !strings.Contains(version[:1], "4") {
		version = number
	}
	numbers := strings.SplitN(version, ".", 3)
	return strings.Join(numbers[:min(len(numbers), 2)], ".")
}

// newSynClients returns nil unless this folder's installation has registered the cluster and no teardown has unregistered it:
// a foreign registration of the same name is kept.
func (s teardownContext) newSynClients() *destroy.Syn {
	if s.spec.Syn.LieutenantURL == "" || s.access == nil || s.facts.Syn.Tenant == "" || !s.hasFolder || !s.facts.Destroyed.IsZero() {
		return nil
	}
	git := catalog.NewGit(s.net, s.access.NewGitAccess(s.secrets.GitToken))
	secrets, err := git.ListWantedSecrets(s.folder.Path(state.CatalogDir))
	if err != nil {
		secrets = nil // Lieutenant deletes the remaining secrets of the cluster
	}
	for _, path := range syn.ListSecretPaths(s.spec) {
		secrets = append(secrets, state.VaultSecret{Path: path})
	}
	return &destroy.Syn{
		Lieutenant: s.access.NewLieutenantClient(s.net, s.spec.Syn.LieutenantURL),
		Vault:      s.access.OpenVaultClient(s.net, s.spec.Syn), Tenant: s.facts.Syn.Tenant, Secrets: slices.Clip(secrets), Show: s.access.Show,
	}
}

// formatUnregistered reports that a teardown without the folder does not change Project Syn.
func (s teardownContext) formatUnregistered() []string {
	if s.spec.Syn.LieutenantURL == "" || s.hasFolder {
		return nil
	}
	return []string{"without the cluster's folder nobody knows who registered " + s.spec.Cluster.ID + ": Lieutenant and Vault are left as they are; " +
		"if it was this cluster, have it deleted in Lieutenant, and its secrets go with it"}
}
