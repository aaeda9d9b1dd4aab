package lieutenant

import (
	"fmt"
	"time"

	"exoshift/state"
)

type metadata struct {
	APIVersion string `json:"apiVersion"`
	OIDC       struct {
		DiscoveryURL string `json:"discoveryUrl"`
		ClientID     string `json:"clientId"`
	} `json:"oidc"`
	Vault struct {
		Address     string `json:"addr"`
		LoginMethod string `json:"loginMethod"`
	} `json:"vault"`
}

type gitRepo struct {
	URL       string `json:"url"`
	Revision  string `json:"revision"` // of tenants only
	HostKeys  string `json:"hostKeys"`
	DeployKey string `json:"deployKey"`
}

func (g gitRepo) toGitRepo() state.GitRepo {
	return state.GitRepo{URL: g.URL, Revision: g.Revision, HostKeys: g.HostKeys, DeployKey: g.DeployKey}
}

type tenant struct {
	ID          string  `json:"id"`
	DisplayName string  `json:"displayName"`
	GitRepo     gitRepo `json:"gitRepo"`
}

func (t tenant) toTenant() state.SynTenant {
	return state.SynTenant{ID: t.ID, DisplayName: t.DisplayName, Config: t.GitRepo.toGitRepo()}
}

type cluster struct {
	ID             string         `json:"id"`
	Tenant         string         `json:"tenant"`
	DisplayName    string         `json:"displayName"`
	Annotations    map[string]any `json:"annotations"`
	Facts          map[string]any `json:"facts"`
	DynamicFacts   map[string]any `json:"dynamicFacts"`
	GitRepo        gitRepo        `json:"gitRepo"`
	TenantRevision string         `json:"tenantGitRepoRevision"`
	InstallURL     string         `json:"installURL"`
	CompileMeta    struct {
		LastCompile time.Time `json:"lastCompile"`
	} `json:"compileMeta"`
}

func (c cluster) toCluster() state.SynCluster {
	facts := make(map[string]string, len(c.Facts))
	for key, value := range c.Facts {
		facts[key] = fmt.Sprint(value) // the API description allows other types, though the server drops them
	}
	return state.SynCluster{
		ID: c.ID, Tenant: c.Tenant, DisplayName: c.DisplayName, Facts: facts, DynamicFacts: c.DynamicFacts,
		Catalog: c.GitRepo.toGitRepo(), TenantRevision: c.TenantRevision, InstallURL: c.InstallURL, Compiled: c.CompileMeta.LastCompile,
	}
}

// clusterPatch is sent to create a cluster, or as a merge patch. The server refuses a patch with the ID or the tenant, and a
// patch cannot remove anything.
type clusterPatch struct {
	ID           string            `json:"id,omitzero"`
	Tenant       string            `json:"tenant,omitzero"`
	DisplayName  string            `json:"displayName,omitzero"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	Facts        map[string]string `json:"facts,omitempty"`
	DynamicFacts map[string]any    `json:"dynamicFacts,omitempty"`
}

func (c clusterPatch) isEmpty() bool { return c.DisplayName == "" && len(c.Facts) == 0 }
