package syn

import (
	"cmp"
	"net/http"
	"slices"
)

func (s *Syn) listClusters(c call) (int, any, error) {
	if err := c.caller.checkAccess("list", "clusters", ""); err != nil {
		return 0, nil, err
	}
	list := s.clusters.List()
	slices.SortStableFunc(list, func(a, b cluster) int {
		switch c.query("sort_by") {
		case "tenant":
			return cmp.Compare(a.Tenant, b.Tenant)
		case "displayName":
			return cmp.Compare(a.DisplayName, b.DisplayName)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	shown := []newCluster{}
	for _, found := range list {
		if tenant := c.query("tenant"); tenant == "" || tenant == found.Tenant {
			shown = append(shown, found.view())
		}
	}
	switch c.query("sort_by") {
	case "", "id", "tenant", "displayName":
		return http.StatusOK, shown, nil
	}
	return 0, nil, newAPIError(http.StatusBadRequest, "parameter 'sort_by' in query has an error: value is not one of the allowed values ['id','tenant','displayName']")
}

func (s *Syn) createCluster(c call) (int, any, error) {
	if err := c.caller.checkAccess("create", "clusters", ""); err != nil {
		return 0, nil, err
	}
	var body newCluster
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	id, err := name(body.ID, clusterPrefix, clusterKind, s.hasCluster)
	if err != nil {
		return 0, nil, err
	}
	return s.addCluster(id, body)
}

func (s *Syn) hasCluster(id string) bool {
	_, ok := s.clusters.Get(id)
	return ok
}

// addCluster ignores the fields that a cluster reports itself: the creation of an object ignores its status.
func (s *Syn) addCluster(id string, body newCluster) (int, any, error) {
	if body.Tenant == nil || *body.Tenant == "" {
		return 0, nil, newAPIError(http.StatusBadRequest, "request body has an error: doesn't match schema: property 'tenant' is missing")
	}
	if _, ok := s.tenants.Get(*body.Tenant); !ok {
		return 0, nil, newNotFound(tenantKind, *body.Tenant)
	}
	if s.hasCluster(id) {
		return 0, nil, newAlreadyExists(clusterKind, id)
	}
	made := cluster{ID: id, Tenant: *body.Tenant, Created: s.now()}.clone()
	if body.GitRepo != nil {
		set(&made.Type, body.GitRepo.Type)
		if made.Type != unmanagedRepo && body.GitRepo.URL != nil {
			made.Type = autoRepo
		}
	}
	body.DynamicFacts = nil
	if err := made.apply(body.clusterBody); err != nil {
		return 0, nil, err
	}
	made.Facts[instanceFact] = instanceName
	return http.StatusCreated, made.view(), s.clusters.Put(id, made)
}

func (s *Syn) getCluster(c call) (int, any, error) {
	found, err := s.findAllowedCluster(c, "get", "clusters")
	return http.StatusOK, found.view(), err
}

// findAllowedCluster returns the cluster of a path, if the caller has the permission.
func (s *Syn) findAllowedCluster(c call, verb, resource string) (cluster, error) {
	if err := c.caller.checkAccess(verb, resource, c.id); err != nil {
		return cluster{}, err
	}
	found, ok := s.clusters.Get(c.id)
	if !ok {
		return cluster{}, newNotFound(clusterKind, c.id)
	}
	return found, nil
}

func (s *Syn) patchCluster(c call) (int, any, error) {
	var body clusterBody
	if err := c.read(patchType, &body); err != nil {
		return 0, nil, err
	}
	found, err := s.findAllowedCluster(c, "update", "clusters")
	if err != nil {
		return 0, nil, err
	}
	changed := found.clone()
	if err := changed.apply(body); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, changed.view(), s.clusters.Put(changed.ID, changed)
}

// putCluster creates a cluster, or replaces the requested fields of one; those of the operator and of the cluster itself are
// kept.
func (s *Syn) putCluster(c call) (int, any, error) {
	var body newCluster
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	if err := c.caller.checkAccess("update", "clusters", c.id); err != nil {
		return 0, nil, err
	}
	found, ok := s.clusters.Get(c.id)
	if !ok {
		id, err := name(&c.id, clusterPrefix, clusterKind, s.hasCluster)
		if err != nil {
			return 0, nil, err
		}
		return s.addCluster(id, body)
	}
	replaced := found
	replaced.DisplayName, replaced.TenantRevision, replaced.GlobalVersion = "", "", ""
	replaced.Annotations, replaced.Facts, replaced.Dynamic = map[string]string{}, map[string]string{}, clone(found.Dynamic)
	set(&replaced.Tenant, body.Tenant)
	if err := replaced.apply(body.clusterBody); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, replaced.view(), s.clusters.Put(replaced.ID, replaced)
}

// deleteCluster only marks it: see Reconcile.
func (s *Syn) deleteCluster(c call) (int, any, error) {
	found, err := s.findAllowedCluster(c, "delete", "clusters")
	if err != nil {
		return 0, nil, err
	}
	if found.Deleted.IsZero() {
		found.Deleted = s.now()
	}
	return http.StatusNoContent, nil, s.clusters.Put(found.ID, found)
}

func (s *Syn) compileMeta(c call) (int, any, error) {
	var meta map[string]any
	if err := c.read(plainType, &meta); err != nil {
		return 0, nil, err
	}
	found, err := s.findAllowedCluster(c, "update", "clusters/status")
	if err != nil {
		return 0, nil, err
	}
	found.Compile = meta
	return http.StatusNoContent, nil, s.clusters.Put(found.ID, found)
}
