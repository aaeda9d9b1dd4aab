package syn

import "net/http"

func (s *Syn) listTenants(c call) (int, any, error) {
	if err := c.caller.checkAccess("list", "tenants", ""); err != nil {
		return 0, nil, err
	}
	shown := []newTenant{}
	for _, found := range s.tenants.List() {
		shown = append(shown, found.view())
	}
	return http.StatusOK, shown, nil
}

func (s *Syn) createTenant(c call) (int, any, error) {
	if err := c.caller.checkAccess("create", "tenants", ""); err != nil {
		return 0, nil, err
	}
	var body newTenant
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	id, err := name(body.ID, tenantPrefix, tenantKind, s.hasTenant)
	if err != nil {
		return 0, nil, err
	}
	return s.addTenant(id, body)
}

func (s *Syn) hasTenant(id string) bool {
	_, ok := s.tenants.Get(id)
	return ok
}

func (s *Syn) addTenant(id string, body newTenant) (int, any, error) {
	if body.GitRepo == nil || body.GitRepo.URL == nil || *body.GitRepo.URL == "" {
		return 0, nil, newAPIError(http.StatusBadRequest, "GitRepo URL is required")
	}
	if s.hasTenant(id) {
		return 0, nil, newAlreadyExists(tenantKind, id)
	}
	made := tenant{ID: id, Type: autoRepo, Created: s.now()}.clone()
	made.Annotations[protectedDelete] = "true"
	made.apply(body.tenantBody)
	if err := s.createRepository(made.URL); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, made.view(), s.tenants.Put(id, made)
}

// findAllowedTenant returns the tenant of a path, if the caller has the permission.
func (s *Syn) findAllowedTenant(c call, verb string) (tenant, error) {
	if err := c.caller.checkAccess(verb, "tenants", c.id); err != nil {
		return tenant{}, err
	}
	found, ok := s.tenants.Get(c.id)
	if !ok {
		return tenant{}, newNotFound(tenantKind, c.id)
	}
	return found, nil
}

func (s *Syn) getTenant(c call) (int, any, error) {
	found, err := s.findAllowedTenant(c, "get")
	return http.StatusOK, found.view(), err
}

func (s *Syn) patchTenant(c call) (int, any, error) {
	var body tenantBody
	if err := c.read(patchType, &body); err != nil {
		return 0, nil, err
	}
	found, err := s.findAllowedTenant(c, "update")
	if err != nil {
		return 0, nil, err
	}
	changed := found.clone()
	changed.apply(body)
	return http.StatusOK, changed.view(), s.tenants.Put(changed.ID, changed)
}

func (s *Syn) putTenant(c call) (int, any, error) {
	var body newTenant
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	if err := c.caller.checkAccess("update", "tenants", c.id); err != nil {
		return 0, nil, err
	}
	found, ok := s.tenants.Get(c.id)
	if !ok {
		id, err := name(&c.id, tenantPrefix, tenantKind, s.hasTenant)
		if err != nil {
			return 0, nil, err
		}
		return s.addTenant(id, body)
	}
	replaced := tenant{ID: found.ID, URL: found.URL, Type: found.Type, Created: found.Created, Deleted: found.Deleted, Annotations: map[string]string{}}
	replaced.apply(body.tenantBody)
	return http.StatusOK, replaced.view(), s.tenants.Put(replaced.ID, replaced)
}

// deleteTenant only marks it: see Reconcile.
func (s *Syn) deleteTenant(c call) (int, any, error) {
	found, err := s.findAllowedTenant(c, "delete")
	if err != nil {
		return 0, nil, err
	}
	if found.Deleted.IsZero() {
		found.Deleted = s.now()
	}
	return http.StatusNoContent, nil, s.tenants.Put(found.ID, found)
}

func (t *tenant) apply(body tenantBody) {
	mergeText(t.Annotations, body.Annotations)
	set(&t.DisplayName, body.DisplayName)
	set(&t.GlobalURL, body.GlobalURL)
	set(&t.GlobalVersion, body.GlobalRevision)
	if body.GitRepo != nil {
		set(&t.URL, body.GitRepo.URL)
		set(&t.Revision, body.GitRepo.Revision)
	}
}

// view returns the API representation.
func (t tenant) view() newTenant {
	return newTenant{ID: &t.ID, tenantBody: tenantBody{
		DisplayName: optionalText(t.DisplayName), GlobalURL: optionalText(t.GlobalURL), GlobalRevision: optionalText(t.GlobalVersion), Annotations: toAnyMap(t.Annotations),
		GitRepo: &revisionedRepo{gitRepo: gitRepo{URL: optionalText(t.URL), Type: optionalText(t.Type)}, Revision: optionalText(t.Revision)},
	}}
}
