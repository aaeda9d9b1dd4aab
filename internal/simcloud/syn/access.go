package syn

import "strings"

// Cluster is the part of a cluster that other services use.
type Cluster struct {
	Tenant       string
	Facts        map[string]string
	DynamicFacts map[string]any
	Catalog      string // path of its repository at the Git host, without ".git"; "": none there
	DeployKey    string // "<type> <key>"; "": none yet
}

// FindCluster returns a cluster. The callbacks in Config may call it.
func (s *Syn) FindCluster(id string) (Cluster, bool) {
	c, ok := s.clusters.Get(id)
	if !ok {
		return Cluster{}, false
	}
	path, own := parseRepositoryURL(c.URL)
	if !own {
		path = ""
	}
	return Cluster{Tenant: c.Tenant, Facts: c.Facts, DynamicFacts: c.Dynamic, Catalog: path, DeployKey: c.Deploy}, true
}

// ListTenants returns the paths of the tenants' configurations at the Git host, by the tenants' IDs.
func (s *Syn) ListTenants() map[string]string {
	paths := map[string]string{}
	for _, t := range s.tenants.List() {
		if path, own := parseRepositoryURL(t.URL); own {
			paths[t.ID] = path
		}
	}
	return paths
}

// FindClusterByToken returns the cluster of a service account's token.
func (s *Syn) FindClusterByToken(token string) (id string, ok bool) {
	subject, ok := s.accounts.findSubject(token)
	id = strings.TrimPrefix(subject, accountPrefix)
	return id, ok && id != engineer
}

// RecordCompilation stores the metadata of a compilation of a cluster.
func (s *Syn) RecordCompilation(id string, meta map[string]any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.clusters.Get(id)
	if !ok {
		return newNotFound(clusterKind, id)
	}
	c.Compile = meta
	return s.clusters.Put(id, c)
}

// VaultClient returns the issuer of sign-ins, and Vault's client ID and secret there.
func VaultClient() (by, name, secret string) { return issuer, vaultClient, vaultSecret }

// IsTokenValid reports whether a cluster's bootstrap token can still be used.
func (s *Syn) IsTokenValid(id string) bool {
	c, ok := s.clusters.Get(id)
	return ok && s.operator.updateToken(c).Valid
}
