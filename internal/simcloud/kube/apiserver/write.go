package apiserver

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"reflect"
	"slices"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/codec"
)

func (o resources) serveCreate(w http.ResponseWriter, r *http.Request, parsed request, user User) error {
	if parsed.name != "" {
		return newMethodNotAllowed()
	}
	object, err := decoder{parsed, w}.decodeObject(r)
	if err != nil {
		return err
	}
	if parsed.kind.Group != "" && parsed.kind.Status {
		delete(object, "status")
	}
	if err := o.prepareCreate(parsed, object, user); err != nil {
		return err
	}
	kube.EncodeSecret(parsed.kind, object)
	recordOwnership(parsed.kind, kube.Object{}, object, parseManager(r, parsed), o.Now())
	created, err := o.create(parsed, object)
	if err != nil {
		return err
	}
	o.writeStored(w, http.StatusCreated, parsed, created)
	return nil
}

// writeStored answers with an object that was just written, in the encoding in which it is stored.
func (o resources) writeStored(w http.ResponseWriter, code int, r request, written kube.Object) {
	found, ok := o.Find(r.kind.GroupResource(), written.Namespace(), written.Name())
	if ok && !o.dryRun && found.Object.ResourceVersion() == written.ResourceVersion() {
		writeEncoded(w, code, found.Raw)
		return
	}
	writeJSON(w, code, written)
}

// prepareCreate sets the API server's defaults, or refuses the object.
func (o resources) prepareCreate(r request, object kube.Object, user User) error {
	if err := r.validateObject(object); err != nil {
		return err
	}
	if object.GetString("metadata.resourceVersion") != "" {
		return newUnknownError("resourceVersion should not be set on objects to be created")
	}
	if err := o.checkNamespace(r, object.Name()); err != nil {
		return err
	}
	switch r.kind.GroupResource() {
	case namespaces:
		object.Set("status.phase", "Active")
		object.Set("spec.finalizers", []string{"kubernetes"})
	case claims:
		setDefaultClass(o.Objects, object)
		object.Set("status.phase", "Pending")
	case kube.ServiceResource:
		if err := kube.AssignNodePorts(o.List(kube.ServiceResource, ""), r.namespace, object); err != nil {
			return err
		}
	case "secrets":
		object["type"] = cmp.Or(object.GetString("type"), "Opaque")
	case kube.CSRResource:
		object["status"] = map[string]any{}
		return validateCSR(object, user)
	}
	return r.validate(object)
}

const namespaces = "namespaces"

// checkNamespace refuses an object of a namespace that does not exist, or that is being deleted. The namespaces that every API
// server creates exist always.
func (o resources) checkNamespace(r request, name string) error {
	if !r.kind.Namespaced {
		return nil
	}
	found, exists := o.Find(namespaces, "", r.namespace)
	switch {
	case exists && found.Object.Get("metadata.deletionTimestamp") != nil:
		return newTerminating(r.kind, name, r.namespace)
	case exists, slices.Contains([]string{"default", "kube-system", "kube-public", "kube-node-lease"}, r.namespace):
		return nil
	}
	return kube.NewNotFound(kube.FindBuiltinKind(namespaces), r.namespace)
}

func (o resources) serveUpdate(w http.ResponseWriter, r *http.Request, parsed request) error {
	object, err := decoder{parsed, w}.decodeObject(r)
	if err != nil {
		return err
	}
	if err := parsed.validateObject(object); err != nil {
		return err
	}
	if version := object.GetString("metadata.resourceVersion"); version != "" && !isNumber(version) {
		return newUnknownError("Invalid value: " + version)
	}
	if _, exists := o.Find(parsed.kind.GroupResource(), parsed.namespace, parsed.name); exists && parsed.kind.Added &&
		object.GetString("metadata.resourceVersion") == "" {
		return newVersionRequired(parsed.kind, parsed.name)
	}
	return o.write(w, r, parsed, func(kube.Object) (kube.Object, error) { return object, nil })
}

func (o resources) servePatch(w http.ResponseWriter, r *http.Request, parsed request, user User) error {
	media, patch, err := readBody(r)
	if err != nil {
		return err
	}
	if media == strategicPatch && parsed.kind.Added {
		return newUnsupportedMediaType(media)
	}
	if media == applyPatch && parsed.subresource == "" {
		return o.serveApply(w, r, parsed, patch, user)
	}
	return o.write(w, r, parsed, func(current kube.Object) (kube.Object, error) {
		changed, err := patchObject(current, media, patch)
		if err == nil && changed.Name() != parsed.name {
			err = newMismatchError(changed.Name(), parsed.name)
		}
		if err != nil {
			return nil, err
		}
		return decoder{parsed, w}.checkType(changed)
	})
}

// write replaces an object within the limits of the subresource.
func (o resources) write(w http.ResponseWriter, q *http.Request, r request, want func(current kube.Object) (kube.Object, error)) error {
	services := o.listServices(r) // before the update, which holds a lock
	update := o.Update
	if o.dryRun {
		update = o.PreviewUpdate
	}
	written, err := update(r.kind.GroupResource(), r.namespace, r.name, func(object kube.Object) error {
		wanted, err := want(object.Clone())
		if err != nil {
			return err
		}
		if uid := wanted.GetString("metadata.uid"); uid != "" && uid != object.GetString("metadata.uid") {
			return newPreconditionFailed(r.kind, r.name, "UID")
		}
		if version := wanted.GetString("metadata.resourceVersion"); version != "" && version != object.GetString("metadata.resourceVersion") {
			return newConflict(r.kind, r.name)
		}
		before := object.Clone()
		if err := r.copyWritable(object, wanted); err != nil {
			return err
		}
		if r.kind.GroupResource() == kube.CSRResource {
			recordDecisionTime(object, o.Now())
		}
		if services != nil {
			if err := kube.AssignNodePorts(services, r.namespace, object); err != nil {
				return err
			}
		}
		if r.subresource == "" {
			kube.EncodeSecret(r.kind, object)
			if !isApply(q) {
				recordOwnership(r.kind, before, object, parseManager(q, r), o.Now())
			}
		}
		return r.validateChange(before, object)
	})
	if err != nil {
		return err
	}
	o.writeStored(w, http.StatusOK, r, written)
	return nil
}

// listServices returns all Services for a write to one of them.
func (o resources) listServices(r request) []kube.Object {
	if r.kind.GroupResource() != kube.ServiceResource || r.subresource != "" {
		return nil
	}
	return o.List(kube.ServiceResource, "")
}

// isApply reports whether a request is an apply, which records ownership itself.
func isApply(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // an invalid type is not an apply
	return r.Method == http.MethodPatch && media == applyPatch
}

// copyWritable copies from wanted to object what the request's subresource may change.
func (r request) copyWritable(object, wanted kube.Object) error {
	switch {
	case r.subresource == "status" && r.kind.Status:
		object["status"] = wanted["status"]
	case r.subresource == "approval" && r.kind.GroupResource() == kube.CSRResource:
		object.Set("status.conditions", wanted.Get("status.conditions"))
	case r.subresource != "":
		return kube.NewUnknownResource()
	default:
		if r.kind.GroupResource() == kube.ServiceResource {
			kube.KeepNodePorts(object, wanted)
		}
		kept := map[string]any{}
		for _, field := range listReadOnlyFields(r.kind) {
			kept[field] = object[field]
		}
		clear(object)
		for key, value := range wanted {
			object[key] = value
		}
		for field, value := range kept {
			if delete(object, field); value != nil {
				object[field] = value
			}
		}
	}
	return nil
}

// listReadOnlyFields lists the fields that a write to the object itself leaves unchanged.
func listReadOnlyFields(k kube.Kind) []string {
	switch {
	case k.GroupResource() == kube.CSRResource:
		return []string{"spec", "status"}
	case k.Status:
		return []string{"status"}
	}
	return nil
}

func (o resources) serveDelete(w http.ResponseWriter, q *http.Request, r request) error {
	if r.name == "" {
		return newMethodNotAllowed()
	}
	options, err := decodeDeleteOptions(q)
	if err != nil {
		return err
	}
	if err := o.checkPreconditions(r, options); err != nil {
		return err
	}
	o.dryRun = o.dryRun || reflect.DeepEqual(options["dryRun"], []any{dryRunAll})
	deleted, err := o.delete(r)
	if err != nil {
		return err
	}
	if deleted.Get("metadata.deletionTimestamp") != nil {
		writeJSON(w, http.StatusOK, deleted) // it is there until its finalizers or its contents are gone
		return nil
	}
	details := kube.Object{"name": r.name, "kind": r.kind.Resource, "uid": deleted.GetString("metadata.uid")}
	if r.kind.Group != "" {
		details["group"] = r.kind.Group
	}
	writeJSON(w, http.StatusOK, kube.Object{"kind": "Status", "apiVersion": "v1", "metadata": kube.Object{}, "status": "Success", "details": details})
	return nil
}

func (o resources) create(r request, object kube.Object) (kube.Object, error) {
	if o.dryRun {
		return o.PreviewCreate(r.kind.GroupResource(), r.namespace, object)
	}
	return o.Create(r.kind.GroupResource(), r.namespace, object)
}

func (o resources) delete(r request) (kube.Object, error) {
	if o.dryRun {
		found, exists := o.Get(r.kind.GroupResource(), r.namespace, r.name)
		if !exists {
			return nil, kube.NewNotFound(r.kind, r.name)
		}
		return found, nil
	}
	return o.Delete(r.kind.GroupResource(), r.namespace, r.name)
}

func decodeDeleteOptions(q *http.Request) (options kube.Object, err error) {
	media, content, err := readBody(q)
	switch {
	case err != nil || len(content) == 0:
		return nil, err
	case media == codec.Protobuf:
		options, err = loadCodec().DecodeDeleteOptions(content)
	case media == jsonMedia:
		err = json.Unmarshal(content, &options)
	default:
		return nil, newUnsupportedMediaType(media)
	}
	if err != nil {
		return nil, kube.NewBadRequest("error decoding the options: %v", err)
	}
	return options, nil
}

func (o resources) checkPreconditions(r request, options kube.Object) error {
	found, exists := o.Find(r.kind.GroupResource(), r.namespace, r.name)
	for _, field := range []string{"uid", "resourceVersion"} {
		wanted := options.GetString("preconditions." + field)
		if exists && wanted != "" && wanted != found.Object.GetString("metadata."+field) {
			failure := newPreconditionFailed(r.kind, r.name, field)
			failure.Invalid = true
			return failure
		}
	}
	return nil
}
