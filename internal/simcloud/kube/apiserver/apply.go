package apiserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

// applyRequest is a server-side apply; its manager owns the object's fields afterwards.
type applyRequest struct {
	kind    kube.Kind
	wanted  kube.Object
	manager string
	force   bool // takes over conflicting fields
}

const applyOperation = "Apply"

// serveApply treats lists as atomic, unlike a real server, where most have keys.
func (o resources) serveApply(w http.ResponseWriter, q *http.Request, r request, patch []byte, user User) error {
	wanted, err := decodePatch(applyPatch, patch)
	if err != nil {
		return err
	}
	manager := r.query.Get("fieldManager")
	if manager == "" {
		return newManagerRequired()
	}
	if wanted.Get("metadata.managedFields") != nil {
		return kube.NewBadRequest("metadata.managedFields must be nil")
	}
	if wanted.Name() == "" {
		wanted.Set("metadata.name", r.name)
	}
	if err := r.validateObject(wanted); err != nil {
		return err
	}
	if err := (decoder{r, w}).checkApplied(wanted); err != nil {
		return err
	}
	a := applyRequest{r.kind, wanted, manager, r.hasFlag("force")}
	err = o.write(w, q, r, func(live kube.Object) (kube.Object, error) { return a.mergeOnto(live, o.Now()) })
	var failure *kube.StatusError
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

func (o resources) createApplied(r request, a applyRequest, user User) (kube.Object, error) {
	if r.kind.Group != "" && r.kind.Status {
		delete(a.wanted, "status")
	}
	kube.EncodeSecret(a.kind, a.wanted)
	owned := a.buildEntry(nil, o.Now()) // the server's defaults belong to nobody
	if err := o.prepareCreate(r, a.wanted, user); err != nil {
		return nil, err
	}
	a.wanted.Set("metadata.managedFields", []kube.Object{owned})
	return o.create(r, a.wanted)
}

// Apply creates or changes an object by server-side apply with force; errors are *StatusError, in the API's words.
func Apply(objects *kube.Objects, namespace string, object kube.Object, manager string) (kube.Object, error) {
	o := resources{Objects: objects}
	kind, ok := o.FindKindOf(object)
	if !ok {
		return nil, kube.NewUnknownResource()
	}
	if !kind.Namespaced {
		namespace = ""
	}
	r := request{kind: kind, namespace: namespace, name: object.Name()}
	a := applyRequest{kind, kube.ToJSONValue(object.Clone()).(map[string]any), manager, true}
	changed, err := o.Update(kind.GroupResource(), namespace, object.Name(), func(live kube.Object) error {
		wanted, err := a.mergeOnto(live.Clone(), o.Now())
		if err == nil {
			err = r.copyWritable(live, wanted)
		}
		return err
	})
	var failure *kube.StatusError
	if !errors.As(err, &failure) || failure.Code != http.StatusNotFound {
		return changed, err
	}
	return o.createApplied(r, a, User{})
}

func (a applyRequest) mergeOnto(live kube.Object, now time.Time) (kube.Object, error) {
	kube.EncodeSecret(a.kind, a.wanted)
	if version := a.wanted.GetString("metadata.resourceVersion"); version != "" && version != live.GetString("metadata.resourceVersion") {
		return nil, newConflict(a.kind, live.Name())
	}
	entries := live.List("metadata.managedFields")
	own := slices.IndexFunc(entries, a.isOwn)
	wanted := listLeaves(selectOwnedFields(a.kind, a.wanted), nil)
	if conflicts := a.findConflicts(live, entries, wanted); len(conflicts) > 0 && !a.force {
		return nil, newApplyConflict(a.kind, live.Name(), conflicts)
	}
	var before kube.Object
	if own >= 0 {
		before = entries[own]
		a.removeUnwanted(live, entries, wanted, listFieldPaths(before.Map("fieldsV1"), nil))
		entries = slices.Delete(entries, own, own+1)
	}
	for _, field := range wanted {
		if at := lookup(live, field.path); !reflect.DeepEqual(at, field.value) {
			removeOwner(entries, field.path)
			put(live, field)
		}
	}
	for _, field := range []string{"finalizers", "ownerReferences"} {
		if list := a.wanted.Get("metadata." + field); list != nil {
			live.Set("metadata."+field, list)
		}
	}
	entries = slices.DeleteFunc(entries, func(entry kube.Object) bool { return len(entry.Map("fieldsV1")) == 0 })
	live.Set("metadata.managedFields", append(entries, a.buildEntry(before, now)))
	return live, nil
}

func (a applyRequest) isOwn(entry kube.Object) bool {
	return entry.GetString("manager") == a.manager && entry.GetString("operation") == applyOperation
}

// buildEntry returns the manager's entry in metadata.managedFields; its time changes only with its fields.
func (a applyRequest) buildEntry(before kube.Object, now time.Time) kube.Object {
	set := map[string]any{}
	for _, field := range listLeaves(selectOwnedFields(a.kind, a.wanted), nil) {
		inner := set
		for _, key := range field.path {
			next, ok := inner["f:"+key].(map[string]any)
			if !ok {
				next = map[string]any{}
				inner["f:"+key] = next
			}
			inner = next
		}
	}
	made := kube.Object{"manager": a.manager, "operation": applyOperation, "apiVersion": a.kind.APIVersion(), "fieldsType": "FieldsV1", "fieldsV1": set,
		"time": now.UTC().Format(time.RFC3339)}
	if reflect.DeepEqual(set, before.Map("fieldsV1")) && before != nil {
		made["time"] = before["time"]
	}
	return made
}

// removeUnwanted removes the fields that the manager applied before and no longer applies, unless another manager owns them,
// too.
func (a applyRequest) removeUnwanted(live kube.Object, entries []kube.Object, changes []leaf, before [][]string) {
	for _, path := range before {
		wanted := slices.ContainsFunc(changes, func(field leaf) bool { return strings.HasPrefix(field.name()+".", leaf{path: path}.name()+".") })
		shared := slices.ContainsFunc(entries, func(entry kube.Object) bool { return !a.isOwn(entry) && hasField(entry.Map("fieldsV1"), path) })
		if !wanted && !shared {
			remove(live, path)
		}
	}
}

type applyConflict struct{ owner, path string }

func (a applyRequest) findConflicts(live kube.Object, entries []kube.Object, wanted []leaf) []applyConflict {
	var found []applyConflict
	for _, field := range wanted {
		at := lookup(live, field.path)
		if at == nil || reflect.DeepEqual(at, field.value) {
			continue
		}
		for _, entry := range entries {
			if !a.isOwn(entry) && hasField(entry.Map("fieldsV1"), field.path) {
				found = append(found, applyConflict{formatManager(entry), "." + field.name()})
			}
		}
	}
	return found
}

// formatManager has the API server's format of a manager in messages.
func formatManager(entry kube.Object) string {
	name, _ := json.Marshal(entry.GetString("manager")) // a string never fails
	if entry.GetString("operation") == applyOperation {
		return string(name)
	}
	return string(name) + " using " + entry.GetString("apiVersion")
}
