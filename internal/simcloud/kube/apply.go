package kube

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// applyRequest is a wish for an object, by a manager that owns what it names from then on.
type applyRequest struct {
	kind    Kind
	wanted  Object
	manager string
	force   bool // takes fields from others
}

const applyOperation = "Apply"

// serveApply is server-side apply. Lists are taken as one field, unlike on a real server, where most have keys.
func (o *Objects) serveApply(w http.ResponseWriter, q *http.Request, r request, patch []byte, user User) error {
	wanted, err := decodePatch(applyPatch, patch)
	if err != nil {
		return err
	}
	manager := r.query.Get("fieldManager")
	if manager == "" {
		return newManagerRequired()
	}
	if wanted.Get("metadata.managedFields") != nil {
		return newBadRequest("metadata.managedFields must be nil")
	}
	if wanted.Name() == "" {
		wanted.Set("metadata.name", r.name)
	}
	if err := r.validateObject(wanted); err != nil {
		return err
	}
	a := applyRequest{r.kind, wanted, manager, r.hasFlag("force")}
	err = o.write(w, q, r, func(live Object) (Object, error) { return a.mergeOnto(live, o.now()) })
	var failure *StatusError
	if !errors.As(err, &failure) || failure.Code != http.StatusNotFound {
		return err
	}
	created, err := o.createApplied(r, a, user)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, created)
	return nil
}

func (o *Objects) createApplied(r request, a applyRequest, user User) (Object, error) {
	if r.kind.Group != "" && r.kind.Status {
		delete(a.wanted, "status")
	}
	if err := o.prepareCreate(r, a.wanted, user); err != nil {
		return nil, err
	}
	encodeSecret(a.kind, a.wanted)
	a.wanted.Set("metadata.managedFields", []Object{a.buildEntry(nil, o.now())})
	return o.Create(r.kind.GroupResource(), r.namespace, a.wanted)
}

// Apply makes an object as server-side apply does for a manager that takes fields from others; errors are *Failure, in the
// API's words.
func (o *Objects) Apply(namespace string, object Object, manager string) (Object, error) {
	kind, ok := o.FindKindOf(object)
	if !ok {
		return nil, newUnknownResource()
	}
	if !kind.Namespaced {
		namespace = ""
	}
	r := request{kind: kind, namespace: namespace, name: object.Name()}
	a := applyRequest{kind, toJSONValue(object.Clone()).(map[string]any), manager, true}
	changed, err := o.Update(kind.GroupResource(), namespace, object.Name(), func(live Object) error {
		wanted, err := a.mergeOnto(live.Clone(), o.now())
		if err == nil {
			err = r.copyWritable(live, wanted)
		}
		return err
	})
	var failure *StatusError
	if !errors.As(err, &failure) || failure.Code != http.StatusNotFound {
		return changed, err
	}
	return o.createApplied(r, a, User{})
}

// mergeOnto returns the live object as the manager wants it.
func (a applyRequest) mergeOnto(live Object, now time.Time) (Object, error) {
	encodeSecret(a.kind, a.wanted)
	if version := a.wanted.GetString("metadata.resourceVersion"); version != "" && version != live.GetString("metadata.resourceVersion") {
		return nil, newConflict(a.kind, live.Name())
	}
	entries := live.List("metadata.managedFields")
	own := slices.IndexFunc(entries, a.isOwn)
	wishes := listLeaves(selectOwnedFields(a.kind, a.wanted), nil)
	if conflicts := a.findConflicts(live, entries, wishes); len(conflicts) > 0 && !a.force {
		return nil, newApplyConflict(a.kind, live.Name(), conflicts)
	}
	var before Object
	if own >= 0 {
		before = entries[own]
		a.removeUnwanted(live, entries, wishes, listFieldPaths(before.Map("fieldsV1"), nil))
		entries = slices.Delete(entries, own, own+1)
	}
	for _, wish := range wishes {
		if at := lookup(live, wish.path); !reflect.DeepEqual(at, wish.value) {
			removeOwner(entries, wish.path)
			put(live, wish)
		}
	}
	for _, field := range []string{"finalizers", "ownerReferences"} {
		if list := a.wanted.Get("metadata." + field); list != nil {
			live.Set("metadata."+field, list)
		}
	}
	entries = slices.DeleteFunc(entries, func(entry Object) bool { return len(entry.Map("fieldsV1")) == 0 })
	live.Set("metadata.managedFields", append(entries, a.buildEntry(before, now)))
	return live, nil
}

func (a applyRequest) isOwn(entry Object) bool {
	return entry.GetString("manager") == a.manager && entry.GetString("operation") == applyOperation
}

// buildEntry is the manager's in metadata.managedFields; it keeps its time if it says nothing new.
func (a applyRequest) buildEntry(before Object, now time.Time) Object {
	set := map[string]any{}
	for _, wish := range listLeaves(selectOwnedFields(a.kind, a.wanted), nil) {
		inner := set
		for _, key := range wish.path {
			next, ok := inner["f:"+key].(map[string]any)
			if !ok {
				next = map[string]any{}
				inner["f:"+key] = next
			}
			inner = next
		}
	}
	made := Object{"manager": a.manager, "operation": applyOperation, "apiVersion": a.kind.apiVersion(), "fieldsType": "FieldsV1", "fieldsV1": set,
		"time": now.UTC().Format(time.RFC3339)}
	if reflect.DeepEqual(set, before.Map("fieldsV1")) && before != nil {
		made["time"] = before["time"]
	}
	return made
}

// removeUnwanted removes what the manager wanted before and does not want any more, unless somebody else owns it, too.
func (a applyRequest) removeUnwanted(live Object, entries []Object, wishes []leaf, before [][]string) {
	for _, path := range before {
		wanted := slices.ContainsFunc(wishes, func(wish leaf) bool { return strings.HasPrefix(wish.name()+".", leaf{path: path}.name()+".") })
		shared := slices.ContainsFunc(entries, func(entry Object) bool { return !a.isOwn(entry) && hasField(entry.Map("fieldsV1"), path) })
		if !wanted && !shared {
			remove(live, path)
		}
	}
}

// applyConflict is a field that the manager would change and another owns.
type applyConflict struct{ owner, path string }

func (a applyRequest) findConflicts(live Object, entries []Object, wishes []leaf) []applyConflict {
	var found []applyConflict
	for _, wish := range wishes {
		at := lookup(live, wish.path)
		if at == nil || reflect.DeepEqual(at, wish.value) {
			continue
		}
		for _, entry := range entries {
			if !a.isOwn(entry) && hasField(entry.Map("fieldsV1"), wish.path) {
				found = append(found, applyConflict{formatManager(entry), "." + wish.name()})
			}
		}
	}
	return found
}

// formatManager is how the API server calls a manager.
func formatManager(entry Object) string {
	name, _ := json.Marshal(entry.GetString("manager")) // a string always works
	if entry.GetString("operation") == applyOperation {
		return string(name)
	}
	return string(name) + " using " + entry.GetString("apiVersion")
}
