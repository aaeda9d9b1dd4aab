package api

// PowerOff brings an instance to a stop whose own system switches it off. No operation tells of it.
func (a *API) PowerOff(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, found := a.tables.instances.table.Get(id)
	if !found || i.State != running {
		return
	}
	a.setTransition(a.tables.instances.noun, i.row, &i.transition, stopping, stopped, computeDuration(i.Name))
	_ = a.tables.instances.put(i) // an error of the store comes back to whoever asks next
	a.notifyChanged()
}
