package syn

import (
	"cmp"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/stable"
)

// clusterAPI serves /clusters.
type clusterAPI struct {
	*records
	faults scenario.Lieutenant
}

func (a *clusterAPI) view(c cluster) newCluster {
	shown := c.view()
	if a.faults.NoProtocol && shown.InstallURL != nil {
		shown.InstallURL = optionalText(strings.Replace(*shown.InstallURL, "https:", "http:", 1))
	}
	return shown
}

// saveWithStatus updates an object first and its status after that, which needs another permission.
func (a *clusterAPI) saveWithStatus(who caller, changed cluster) error {
	if err := a.clusters.Put(changed.ID, changed); err != nil || !a.faults.NoStatus || who.cluster != "" {
		return err
	}
	return who.newForbidden("update", "clusters/status", changed.ID)
}

func (a *clusterAPI) list(c call) (int, any, error) {
	if err := c.caller.checkAccess("list", "clusters", ""); err != nil {
		return 0, nil, err
	}
	list := a.clusters.List()
	stable.Sort(list, func(x, y cluster) int {
		switch c.query("sort_by") {
		case "tenant":
			return cmp.Compare(x.Tenant, y.Tenant)
		case "displayName":
			return cmp.Compare(x.DisplayName, y.DisplayName)
		}
		return cmp.Compare(x.ID, y.ID)
	})
	shown := []newCluster{}
	for _, found := range list {
		if tenant := c.query("tenant"); tenant == "" || tenant == found.Tenant && a.hasTenant(tenant) {
			shown = append(shown, a.view(found))
		}
	}
	switch c.query("sort_by") {
	case "", "id", "tenant", "displayName":
		return http.StatusOK, shown, nil
	}
	return 0, nil, newAPIError(http.StatusBadRequest, "parameter 'sort_by' in query has an error: value is not one of the allowed values ['id','tenant','displayName']")
}

func (a *clusterAPI) create(c call) (int, any, error) {
	if err := c.caller.checkAccess("create", "clusters", ""); err != nil {
		return 0, nil, err
	}
	var body newCluster
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	id, err := name(body.ID, clusterPrefix, clusterKind, a.hasCluster)
	if err != nil {
		return 0, nil, err
	}
	return a.add(c.caller, id, body)
}

// add does not check the tenant: the operator never prepares a cluster of an unknown one.
func (a *clusterAPI) add(who caller, id string, body newCluster) (int, any, error) {
	if body.Tenant == nil || *body.Tenant == "" {
		return 0, nil, newAPIError(http.StatusBadRequest, "request body has an error: doesn't match schema: property 'tenant' is missing")
	}
	if a.hasCluster(id) {
		return 0, nil, newAlreadyExists(clusterKind, id)
	}
	made := cluster{ID: id, Tenant: *body.Tenant, Created: a.now()}.clone()
	if body.GitRepo != nil {
		set(&made.Type, body.GitRepo.Type)
		if made.Type != unmanagedRepo && body.GitRepo.URL != nil {
			made.Type = autoRepo
		}
	}
	if err := made.apply(body.clusterBody); err != nil {
		return 0, nil, err
	}
	made.Facts[instanceFact] = instanceName
	return http.StatusCreated, a.view(made), a.saveWithStatus(who, made)
}

func (a *clusterAPI) get(c call) (int, any, error) {
	found, err := a.findAllowed(c, "get", "clusters")
	return http.StatusOK, a.view(found), err
}

// findAllowed returns the cluster of a path, if the caller has the permission.
func (a *clusterAPI) findAllowed(c call, verb, resource string) (cluster, error) {
	if err := c.caller.checkAccess(verb, resource, c.id); err != nil {
		return cluster{}, err
	}
	found, ok := a.clusters.Get(c.id)
	if !ok {
		return cluster{}, newNotFound(clusterKind, c.id)
	}
	return found, nil
}

func (a *clusterAPI) patch(c call) (int, any, error) {
	var body clusterBody
	if err := c.read(patchType, &body); err != nil {
		return 0, nil, err
	}
	found, err := a.findAllowed(c, "update", "clusters")
	if err != nil {
		return 0, nil, err
	}
	changed := found.clone()
	if err := changed.apply(body); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, a.view(changed), a.saveWithStatus(c.caller, changed)
}

// put creates a cluster, or replaces the requested fields of one; those of the operator and of the cluster itself are
// kept.
func (a *clusterAPI) put(c call) (int, any, error) {
	var body newCluster
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	if err := c.caller.checkAccess("update", "clusters", c.id); err != nil {
		return 0, nil, err
	}
	found, ok := a.clusters.Get(c.id)
	if !ok {
		id, err := name(&c.id, clusterPrefix, clusterKind, a.hasCluster)
		if err != nil {
			return 0, nil, err
		}
		return a.add(c.caller, id, body)
	}
	replaced := found
	replaced.DisplayName, replaced.TenantRevision, replaced.GlobalVersion = "", "", ""
	replaced.Annotations, replaced.Facts, replaced.Dynamic = map[string]string{}, map[string]string{}, clone(found.Dynamic)
	set(&replaced.Tenant, body.Tenant)
	if err := replaced.apply(body.clusterBody); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, a.view(replaced), a.saveWithStatus(c.caller, replaced)
}

// delete only marks it: see Reconcile.
func (a *clusterAPI) delete(c call) (int, any, error) {
	found, err := a.findAllowed(c, "delete", "clusters")
	if err != nil {
		return 0, nil, err
	}
	if found.Deleted.IsZero() {
		found.Deleted = a.now()
	}
	return http.StatusNoContent, nil, a.clusters.Put(found.ID, found)
}

func (a *clusterAPI) compileMeta(c call) (int, any, error) {
	var meta map[string]any
	if err := c.read(plainType, &meta); err != nil {
		return 0, nil, err
	}
	found, err := a.findAllowed(c, "update", "clusters/status")
	if err != nil {
		return 0, nil, err
	}
	found.Compile = meta
	return http.StatusNoContent, nil, a.clusters.Put(found.ID, found)
}
