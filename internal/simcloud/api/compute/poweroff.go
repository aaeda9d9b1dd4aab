package api

// PowerOff stops an instance that its own operating system shuts down. There is no operation for it.
func (a *API) PowerOff(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, found := a.tables.instances.table.Get(id)
	if !found || i.State != running {
		return
	}
	a.setTransition(a.tables.instances.noun, i.row, &i.transition, stopping, stopped, computeDuration(i.Name))
	_ = a.tables.instances.put(i) // an error of the store is returned to the next request
	a.notifyChanged()
}
