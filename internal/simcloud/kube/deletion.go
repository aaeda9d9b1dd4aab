package kube

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

const namespaces = "namespaces"

// Delete removes an object and returns its last state. An object with finalizers is marked and stays until they are gone; a
// namespace is Terminating until its contents are gone.
func (o *Objects) Delete(resource, namespace, name string) (Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found, ok := o.index.entries[formatKey(resource, namespace, name)]
	switch {
	case !ok:
		return nil, NewNotFound(o.kinds[resource], name)
	case resource == namespaces:
		return o.terminate(found)
	}
	return o.release(found)
}

// release removes an object, or marks it if it has finalizers. The caller holds the lock.
func (o *Objects) release(e Entry) (Object, error) {
	if hasFinalizers(e.Object) {
		return o.markDeleted(e)
	}
	return o.remove(e)
}

func hasFinalizers(object Object) bool { return len(object.GetStrings("metadata.finalizers")) > 0 }

func isDeleted(object Object) bool { return object.Get("metadata.deletionTimestamp") != nil }

// markDeleted stores when the deletion of an object began. The caller holds the lock.
func (o *Objects) markDeleted(e Entry) (Object, error) {
	marked := e.Object.Clone()
	if isDeleted(marked) {
		return marked, nil
	}
	marked.Set("metadata.deletionTimestamp", o.now().UTC().Format(time.RFC3339))
	marked.Set("metadata.deletionGracePeriodSeconds", 0)
	if e.kind.GroupResource() == namespaces {
		marked.Set("status.phase", "Terminating")
	}
	return o.put(e.kind, marked, e.Object)
}

// terminate deletes the contents of a namespace, and the namespace itself unless a finalizer holds one of them. It returns the
// namespace as it was while that happened. The caller holds the lock.
func (o *Objects) terminate(e Entry) (Object, error) {
	marked, err := o.markDeleted(e)
	if err != nil {
		return nil, err
	}
	for _, id := range o.listContents(e.Object.Name()) {
		if _, err := o.release(o.index.entries[id]); err != nil {
			return nil, err
		}
	}
	return marked, o.finishNamespace(e.Object.Name())
}

// finishNamespace removes a namespace that was deleted and has no contents any more. The caller holds the lock.
func (o *Objects) finishNamespace(name string) error {
	e, ok := o.index.entries[formatKey(namespaces, "", name)]
	if !ok || !isDeleted(e.Object) || hasFinalizers(e.Object) || len(o.listContents(name)) > 0 {
		return nil
	}
	_, err := o.remove(e)
	return err
}

// listContents returns the keys of all objects of a namespace. The caller holds the lock.
func (o *Objects) listContents(namespace string) []string {
	var keys []string
	for _, resource := range slices.Sorted(maps.Keys(o.kinds)) {
		if o.kinds[resource].Namespaced {
			keys = append(keys, o.index.list(resource, namespace, nil)...)
		}
	}
	return keys
}

// remove removes an object and returns its last state. The caller holds the lock.
func (o *Objects) remove(e Entry) (Object, error) {
	if err := o.table.Delete(e.Key()); err != nil {
		return nil, err
	}
	resource := e.kind.GroupResource()
	o.index.remove(resource, e.Key())
	if resource == DefinitionResource {
		delete(o.kinds, e.Object.Name())
	}
	o.version++
	o.changes++
	last := e.Object.Clone()
	last.Set("metadata.resourceVersion", strconv.FormatUint(o.version, 10))
	o.log.add(Event{version: o.version, resource: resource, before: e.Object, after: nil, Last: last})
	return last, o.finishNamespace(e.Object.Namespace())
}

// Clear removes every object, as an etcd with a new disk.
func (o *Objects) Clear() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(o.index.entries)) {
		e, ok := o.index.entries[id]
		if !ok {
			continue // a namespace that went with its last object
		}
		if _, err := o.remove(e); err != nil {
			return err
		}
	}
	return nil
}
