package syn

import "net/http"

// tenantAPI serves /tenants.
type tenantAPI struct {
	*records
	operator *operator
}

func (a *tenantAPI) list(c call) (int, any, error) {
	if err := c.caller.checkAccess("list", "tenants", ""); err != nil {
		return 0, nil, err
	}
	shown := []newTenant{}
	for _, found := range a.tenants.List() {
		shown = append(shown, found.view())
	}
	return http.StatusOK, shown, nil
}

func (a *tenantAPI) create(c call) (int, any, error) {
	if err := c.caller.checkAccess("create", "tenants", ""); err != nil {
		return 0, nil, err
	}
	var body newTenant
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	id, err := name(body.ID, tenantPrefix, tenantKind, a.hasTenant)
	if err != nil {
		return 0, nil, err
	}
	return a.add(id, body)
}

func (a *tenantAPI) add(id string, body newTenant) (int, any, error) {
	if body.GitRepo == nil || body.GitRepo.URL == nil || *body.GitRepo.URL == "" {
		return 0, nil, newAPIError(http.StatusBadRequest, "GitRepo URL is required")
	}
	if a.hasTenant(id) {
		return 0, nil, newAlreadyExists(tenantKind, id)
	}
	made := tenant{ID: id, Type: autoRepo, Created: a.now()}.clone()
	made.Annotations[protectedDelete] = "true"
	made.apply(body.tenantBody)
	if err := a.operator.createRepository(made.URL); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, made.view(), a.tenants.Put(id, made)
}

// findAllowed returns the tenant of a path, if the caller has the permission.
func (a *tenantAPI) findAllowed(c call, verb string) (tenant, error) {
	if err := c.caller.checkAccess(verb, "tenants", c.id); err != nil {
		return tenant{}, err
	}
	found, ok := a.tenants.Get(c.id)
	if !ok {
		return tenant{}, newNotFound(tenantKind, c.id)
	}
	return found, nil
}

func (a *tenantAPI) get(c call) (int, any, error) {
	found, err := a.findAllowed(c, "get")
	return http.StatusOK, found.view(), err
}

func (a *tenantAPI) patch(c call) (int, any, error) {
	var body tenantBody
	if err := c.read(patchType, &body); err != nil {
		return 0, nil, err
	}
	found, err := a.findAllowed(c, "update")
	if err != nil {
		return 0, nil, err
	}
	changed := found.clone()
	changed.apply(body)
	return http.StatusOK, changed.view(), a.tenants.Put(changed.ID, changed)
}

func (a *tenantAPI) put(c call) (int, any, error) {
	var body newTenant
	if err := c.read(plainType, &body); err != nil {
		return 0, nil, err
	}
	if err := c.caller.checkAccess("update", "tenants", c.id); err != nil {
		return 0, nil, err
	}
	found, ok := a.tenants.Get(c.id)
	if !ok {
		id, err := name(&c.id, tenantPrefix, tenantKind, a.hasTenant)
		if err != nil {
			return 0, nil, err
		}
		return a.add(id, body)
	}
	replaced := tenant{ID: found.ID, URL: found.URL, Type: found.Type, Created: found.Created, Deleted: found.Deleted, Annotations: map[string]string{}}
	replaced.apply(body.tenantBody)
	return http.StatusOK, replaced.view(), a.tenants.Put(replaced.ID, replaced)
}

// delete only marks it: see Reconcile.
func (a *tenantAPI) delete(c call) (int, any, error) {
	found, err := a.findAllowed(c, "delete")
	if err != nil {
		return 0, nil, err
	}
	if found.Deleted.IsZero() {
		found.Deleted = a.now()
	}
	return http.StatusNoContent, nil, a.tenants.Put(found.ID, found)
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
