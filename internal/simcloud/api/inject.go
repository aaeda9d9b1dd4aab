package api

import "strings"

// RemoveRecords removes the records for which gone returns true from all zones, as another operator would, and returns their
// number. Their names are relative to their zone.
func (a *API) RemoveRecords(gone func(Record) bool) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	removed := 0
	for _, r := range a.tables.records.listAll() {
		shown := Record{Name: r.Wire.Name, Type: r.Wire.Type, Content: r.Wire.Content, TTL: int(r.Wire.TTL)}
		if !r.Wire.System && gone(shown) && a.tables.records.delete(r.ID) == nil {
			removed++
		}
	}
	if removed > 0 {
		a.notifyChanged()
	}
	return removed
}

// RevokeKeys deletes the API keys whose names contain part, and returns their number.
func (a *API) RevokeKeys(part string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	revoked := 0
	for _, k := range a.tables.apiKeys.listAll() {
		if strings.Contains(k.Wire.Name, part) && a.tables.apiKeys.delete(k.ID) == nil {
			revoked++
		}
	}
	if revoked > 0 {
		a.notifyChanged()
	}
	return revoked
}

// ReplaceImages replaces the images of CoreOS that organizations have registered by those of another build, as another
// operator's registration under the same name would, and returns their number.
func (a *API) ReplaceImages(build string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	replaced := 0
	for _, t := range a.tables.templates.listAll() {
		if t.OSBuild == "" || t.OSBuild == build {
			continue
		}
		t.OSBuild, t.Wire.Build = build, build
		if a.tables.templates.put(t) == nil {
			replaced++
		}
	}
	if replaced > 0 {
		a.notifyChanged()
	}
	return replaced
}
