package kube

import (
	"maps"
	"slices"
	"strconv"
)

// StoredObject is an object as etcd has it.
type StoredObject struct {
	Resource string // as in Kind.GroupResource
	Object   Object
}

// ListStored returns everything that etcd has, in the order of the keys. The caller must not modify it.
func ListStored(o *Objects) []StoredObject {
	o.mu.RLock()
	defer o.mu.RUnlock()
	stored := make([]StoredObject, 0, len(o.index.entries))
	for _, id := range slices.Sorted(maps.Keys(o.index.entries)) {
		e := o.index.entries[id]
		stored = append(stored, StoredObject{e.kind.GroupResource(), e.Object})
	}
	return stored
}

// Restore replaces all objects by those of a snapshot, as they were then: what was written since is gone. The next version is later by bump than
// any before, so that whoever watches has to list again.
func Restore(o *Objects, stored []StoredObject, bump uint64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := map[string]bool{}
	kinds := maps.Clone(builtinKinds)
	for _, one := range stored {
		kept[formatKey(one.Resource, one.Object.Namespace(), one.Object.Name())] = true
		if one.Resource == DefinitionResource {
			registerKind(kinds, one.Object)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.index.entries)) {
		if kept[id] {
			continue
		}
		if err := o.table.Delete(id); err != nil {
			return err
		}
		o.index.remove(o.index.entries[id].kind.GroupResource(), id)
	}
	o.kinds = kinds
	o.version += bump
	for _, one := range stored {
		if err := putStored(o, one); err != nil {
			return err
		}
	}
	o.changes++
	o.log.oldest = o.version
	o.log.events = nil
	return nil
}

// putStored stores an object of a snapshot unless it is as it was. The caller holds the lock.
func putStored(o *Objects, one StoredObject) error {
	id := formatKey(one.Resource, one.Object.Namespace(), one.Object.Name())
	if known, exists := o.index.entries[id]; exists && known.Object.ResourceVersion() == one.Object.ResourceVersion() {
		return nil
	}
	object := one.Object.Clone()
	o.version++
	object.Set("metadata.resourceVersion", strconv.FormatUint(o.version, 10))
	if err := o.table.Put(id, row{one.Resource, object}); err != nil {
		return err
	}
	return o.save(o.kinds[one.Resource], object)
}
