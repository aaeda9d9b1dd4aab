package apiserver

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/stable"
)

// parseManager returns the client's field manager: a parameter, else the first word of its User-Agent.
func parseManager(r *http.Request, parsed request) string {
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	return cmp.Or(parsed.query.Get("fieldManager"), agent, "unknown")
}

// recordOwnership records in metadata.managedFields the last writer of each field. Lists are atomic; writes to subresources and
// those of the simulated operators, which do not use the API, are not recorded.
func recordOwnership(kind kube.Kind, before, after kube.Object, manager string, now time.Time) {
	entries := kube.Object{"entries": kube.CloneValue(before.Get("metadata.managedFields"))}.List("entries")
	old, fresh := selectOwnedFields(kind, before), selectOwnedFields(kind, after)
	written, gone := diffFields(old, fresh), diffFields(fresh, old)
	if len(written) > 0 || len(gone) > 0 {
		for _, entry := range entries {
			removeFields(entry.Map("fieldsV1"), written)
			removeFields(entry.Map("fieldsV1"), gone)
		}
		entries = addOwnedFields(entries, kind, manager, written, now)
		entries = slices.DeleteFunc(entries, func(entry kube.Object) bool { return len(entry.Map("fieldsV1")) == 0 })
	}
	delete(after.Map("metadata"), "managedFields")
	if len(entries) > 0 {
		after.Set("metadata.managedFields", entries)
	}
}

func addOwnedFields(entries []kube.Object, kind kube.Kind, manager string, written map[string]any, now time.Time) []kube.Object {
	at := slices.IndexFunc(entries, func(entry kube.Object) bool {
		return entry.GetString("manager") == manager && entry.GetString("operation") == "Update"
	})
	if at < 0 {
		at = len(entries)
		entries = append(entries, kube.Object{"manager": manager, "operation": "Update", "apiVersion": kind.APIVersion(),
			"fieldsType": "FieldsV1", "fieldsV1": map[string]any{}})
	}
	addFields(entries[at].Map("fieldsV1"), written)
	entries[at]["time"] = now.UTC().Format(time.RFC3339)
	stable.Sort(entries, func(a, b kube.Object) int {
		return cmp.Or(strings.Compare(a.GetString("time"), b.GetString("time")), strings.Compare(a.GetString("manager"), b.GetString("manager")))
	})
	return entries
}

func selectOwnedFields(kind kube.Kind, object kube.Object) map[string]any {
	part := map[string]any{}
	for key, value := range object {
		if key != "apiVersion" && key != "kind" && key != "metadata" && (key != "status" || !kind.Status) {
			part[key] = value
		}
	}
	metadata := map[string]any{} // is always present and thus not owned
	part["metadata"] = metadata
	for _, key := range []string{"labels", "annotations"} {
		if fields := object.Map("metadata." + key); len(fields) > 0 {
			metadata[key] = fields
		}
	}
	return part
}

// diffFields returns, in managedFields' format, the fields of after whose value differs from before. A new map itself is ".".
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

// removeFields removes fields from a set. A map that is owned without its contents keeps its name only.
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

func isEmptyMap(set map[string]any) bool { return len(set) == 1 && set["."] != nil }
