package syn

import (
	"maps"
	"net/http"
	"strings"
)

func (c *cluster) apply(body clusterBody) error {
	mergeText(c.Annotations, body.Annotations)
	mergeText(c.Facts, body.Facts)
	maps.Copy(c.Dynamic, body.DynamicFacts)
	set(&c.DisplayName, body.DisplayName)
	set(&c.TenantRevision, body.TenantRevision)
	set(&c.GlobalVersion, body.GlobalRevision)
	if body.GitRepo == nil {
		return nil
	}
	set(&c.URL, body.GitRepo.URL)
	set(&c.HostKeys, body.GitRepo.HostKeys)
	return c.setDeployKey(body.GitRepo.DeployKey)
}

// setDeployKey authorizes a key for the catalog, once it has a managed repository.
func (c *cluster) setDeployKey(key *string) error {
	switch {
	case key == nil:
		return nil
	case c.Type == "":
		return newAPIError(http.StatusBadRequest, "Cannot set deploy key for unmanaged git repo")
	case len(strings.Split(*key, " ")) != 2:
		return newAPIError(http.StatusBadRequest, "Illegal deploy key format. Expected '<type> <public key>'")
	}
	c.Deploy = *key
	return nil
}

// view returns the API representation.
func (c cluster) view() newCluster {
	shown := newCluster{ID: &c.ID, Tenant: &c.Tenant, clusterBody: clusterBody{
		DisplayName: optionalText(c.DisplayName), TenantRevision: optionalText(c.TenantRevision), GlobalRevision: optionalText(c.GlobalVersion),
		GitRepo:     &gitRepo{URL: optionalText(c.URL), Type: optionalText(c.Type), DeployKey: optionalText(c.Deploy), HostKeys: optionalText(c.HostKeys)},
		Annotations: toAnyMap(c.Annotations), Facts: toAnyMap(c.Facts), DynamicFacts: c.Dynamic, CompileMeta: c.Compile,
	}}
	if c.Token.Valid {
		shown.InstallURL = optionalText("https://" + lieutenantHost + "/install/steward.json?token=" + c.Token.Secret)
	}
	return shown
}

func toAnyMap(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for key, value := range texts {
		values[key] = value
	}
	return values
}
