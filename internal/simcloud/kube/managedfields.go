package kube

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// parseManager returns who a client says to be when it writes: by a parameter, else by the first word of its User-Agent.
func parseManager(r *http.Request, parsed request) string {
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	return cmp.Or(parsed.query.Get("fieldManager"), agent, "unknown")
}

// recordOwnership notes in metadata.managedFields who wrote which fields last. Lists are taken as one field, what subresources write
// is not noted, and neither is what the simulated operators write, which do not pass through here.
func recordOwnership(kind Kind, before, after Object, manager string, now time.Time) {
	entries := before.Clone().List("metadata.managedFields")
	old, fresh := selectOwnedFields(kind, before), selectOwnedFields(kind, after)
	written, gone := diffFields(old, fresh), diffFields(fresh, old)
	if len(written) > 0 || len(gone) > 0 {
		for _, entry := range entries {
			removeFields(entry.Map("fieldsV1"), written)
			removeFields(entry.Map("fieldsV1"), gone)
		}
		entries = addOwnedFields(entries, kind, manager, written, now)
		entries = slices.DeleteFunc(entries, func(entry Object) bool { return len(entry.Map("fieldsV1")) == 0 })
	}
	delete(after.Map("metadata"), "managedFields")
	if len(entries) > 0 {
		after.Set("metadata.managedFields", entries)
	}
}

// addOwnedFields adds fields to those of a manager.
func addOwnedFields(entries []Object, kind Kind, manager string, written map[string]any, now time.Time) []Object {
	at := slices.IndexFunc(entries, func(entry Object) bool {
		return entry.GetString("manager") == manager && entry.GetString("operation") == "Update"
	})
	if at < 0 {
		at = len(entries)
		entries = append(entries, Object{"manager": manager, "operation": "Update", "apiVersion": kind.apiVersion(),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{}})
	}
	addFields(entries[at].Map("fieldsV1"), written)
	entries[at]["time"] = now.UTC().Format(time.RFC3339)
	slices.SortStableFunc(entries, func(a, b Object) int {
		return cmp.Or(strings.Compare(a.GetString("time"), b.GetString("time")), strings.Compare(a.GetString("manager"), b.GetString("manager")))
	})
	return entries
}

// selectOwnedFields is the part of an object that somebody owns.
func selectOwnedFields(kind Kind, object Object) map[string]any {
	part := map[string]any{}
	for key, value := range object {
		if key != "apiVersion" && key != "kind" && key != "metadata" && (key != "status" || !kind.Status) {
			part[key] = value
		}
	}
	metadata := map[string]any{} // is always there, so nobody writes it itself
	part["metadata"] = metadata
	for _, key := range []string{"labels", "annotations"} {
		if fields := object.Map("metadata." + key); len(fields) > 0 {
			metadata[key] = fields
		}
	}
	return part
}

// diffFields returns, as managedFields writes sets of fields, those of after that before does not have with that value. A
// map that is new is itself written ".".
func diffFields(before, after map[string]any) map[string]any {
	set := map[string]any{}
	for key, value := range after {
		old, existed := before[key]
		fields, isMap := value.(map[string]any)
		oldFields, wasMap := old.(map[string]any)
		switch {
		case isMap:
			inner := diffFields(oldFields, fields)
			if !wasMap {
				inner["."] = map[string]any{}
			}
			if len(inner) > 0 {
				set["f:"+key] = inner
			}
		case !existed || !reflect.DeepEqual(old, value):
			set["f:"+key] = map[string]any{}
		}
	}
	return set
}

// removeFields takes fields out of a set. Of a map that is owned without anything in it only the name is left.
func removeFields(set, fields map[string]any) {
	for key, inner := range fields {
		mine, found := set[key].(map[string]any)
		theirs, _ := inner.(map[string]any)
		switch {
		case !found:
		case len(theirs) == 0, len(mine) == 0 && theirs["."] != nil:
			delete(set, key)
		case len(mine) > 0:
			if removeFields(mine, theirs); len(mine) == 0 {
				delete(set, key)
			} else if isEmptyMap(mine) {
				delete(mine, ".")
			}
		}
	}
}

// addFields adds fields to a set.
func addFields(set, fields map[string]any) {
	for key, inner := range fields {
		mine, found := set[key].(map[string]any)
		theirs, _ := inner.(map[string]any)
		switch {
		case !found:
			mine = map[string]any{}
			set[key] = mine
		case len(mine) == 0 && len(theirs) > 0:
			mine["."] = map[string]any{}
		}
		if found || !isEmptyMap(theirs) {
			addFields(mine, theirs)
		}
	}
}

// isEmptyMap tells whether a set holds a map, and nothing that is in it.
func isEmptyMap(set map[string]any) bool { return len(set) == 1 && set["."] != nil }
