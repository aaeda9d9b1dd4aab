package kube

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/store"
	"exoshift/internal/stable"
)

// Objects is the state of one cluster: the contents of its etcd. Every API server of the cluster serves the same Objects.
// Resources are named as in Kind.GroupResource.
type Objects struct {
	now   func() time.Time
	table *store.Table[row]

	mu      sync.RWMutex
	kinds   map[string]Kind
	index   index
	version uint64
	changes uint64 // see ChangeCount
	log     eventLog
}

type row struct {
	Resource string
	Object   Object
}

// Entry is an object in memory; it is immutable.
type Entry struct {
	kind   Kind
	key    string
	Object Object
	Raw    json.RawMessage
}

// Key identifies the object; keys have the order of lists.
func (e Entry) Key() string { return e.key }

// restartGap is added to the newest version on disk when a cluster is loaded: versions of deletions are not on disk and must not
// be reused.
const restartGap = 1000

// Load returns the objects in a table of the store. now is the cluster's time.
func Load(db *store.DB, name string, now func() time.Time) (*Objects, error) {
	table, err := store.Load[row](db, name)
	if err != nil {
		return nil, err
	}
	o := &Objects{now: now, table: table, kinds: maps.Clone(builtinKinds), index: newIndex(), log: eventLog{changed: make(chan struct{})}}
	rows := table.List()
	for _, row := range rows {
		if row.Resource == DefinitionResource {
			registerKind(o.kinds, row.Object)
		}
		o.version = max(o.version, row.Object.ResourceVersion())
	}
	for _, row := range rows {
		if err := o.save(o.kinds[row.Resource], row.Object); err != nil {
			return nil, err
		}
	}
	o.version += restartGap
	o.log.oldest = o.version
	return o, nil
}

// Now is the cluster's time.
func (o *Objects) Now() time.Time { return o.now() }

// FindKind returns the kind of a resource if the API serves it.
func (o *Objects) FindKind(resource string) (Kind, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	kind, ok := o.kinds[resource]
	return kind, ok
}

// ListKinds returns all kinds that the API serves.
func (o *Objects) ListKinds() []Kind {
	o.mu.RLock()
	defer o.mu.RUnlock()
	kinds := make([]Kind, 0, len(o.kinds))
	for _, kind := range o.kinds {
		kinds = append(kinds, kind)
	}
	stable.Sort(kinds, func(a, b Kind) int { return strings.Compare(a.GroupResource(), b.GroupResource()) })
	return kinds
}

// FindKindFunc returns the first kind of the API that matches.
func (o *Objects) FindKindFunc(matches func(Kind) bool) (Kind, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	for _, kind := range o.kinds {
		if matches(kind) {
			return kind, true
		}
	}
	return Kind{}, false
}

// FindKindOf returns the kind of an object's apiVersion and kind.
func (o *Objects) FindKindOf(object Object) (Kind, bool) {
	name, apiVersion := object.GetString("kind"), object.GetString("apiVersion")
	return o.FindKindFunc(func(kind Kind) bool { return kind.Kind == name && kind.APIVersion() == apiVersion })
}

// Get returns an object as stored, which the caller must not modify.
func (o *Objects) Get(resource, namespace, name string) (Object, bool) {
	found, ok := o.Find(resource, namespace, name)
	return found.Object, ok
}

// List returns all objects of a resource as stored, in all namespaces for "". The caller must not modify them.
func (o *Objects) List(resource, namespace string) []Object {
	o.mu.RLock()
	defer o.mu.RUnlock()
	keys := o.index.list(resource, namespace, nil)
	objects := make([]Object, len(keys))
	for i, id := range keys {
		objects[i] = o.index.entries[id].Object
	}
	return objects
}

// Create adds an object and returns it as stored, which the caller must not modify. A missing name is generated from metadata.generateName.
func (o *Objects) Create(resource, namespace string, object Object) (Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kind, object, err := o.buildNew(resource, namespace, object)
	if err != nil {
		return nil, err
	}
	return o.put(kind, object, nil)
}

// PreviewCreate returns what Create would store.
func (o *Objects) PreviewCreate(resource, namespace string, object Object) (Object, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, object, err := o.buildNew(resource, namespace, object)
	return object, err
}

// buildNew returns an object with its identity. The caller holds the lock.
func (o *Objects) buildNew(resource, namespace string, object Object) (Kind, Object, error) {
	kind, ok := o.kinds[resource]
	if !ok {
		return kind, nil, NewUnknownResource()
	}
	object = ToJSONValue(object.Clone()).(map[string]any)
	if !kind.Namespaced {
		namespace = "" // the object's own namespace is ignored, too
		delete(object.Map("metadata"), "namespace")
	}
	if prefix := object.GetString("metadata.generateName"); object.Name() == "" && prefix != "" {
		object.Set("metadata.name", prefix+generateSuffix(prefix, o.version))
	}
	if object.Name() == "" {
		return kind, nil, NewInvalid(kind, "", "metadata.name: Required value: name or generateName is required")
	}
	if _, ok := o.index.entries[formatKey(resource, namespace, object.Name())]; ok {
		return kind, nil, newAlreadyExists(kind, object.Name())
	}
	o.setIdentity(kind, namespace, object)
	EncodeSecret(kind, object)
	return kind, object, nil
}

// Update calls change with a copy of an object, stores the result and returns it, which nobody may modify. An unchanged object is not stored; one that was
// deleted and has lost its last finalizer is removed.
func (o *Objects) Update(resource, namespace, name string, change func(Object) error) (Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kind, old, changed, err := o.buildChanged(resource, namespace, name, change)
	if err != nil || isEqualMap(changed, old) {
		return changed, err
	}
	if isDeleted(changed) && !hasFinalizers(changed) && kind.GroupResource() != namespaces {
		return o.remove(Entry{kind: kind, key: formatKey(resource, namespace, name), Object: changed})
	}
	return o.put(kind, changed, old)
}

// PreviewUpdate returns what Update would store.
func (o *Objects) PreviewUpdate(resource, namespace, name string, change func(Object) error) (Object, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	_, _, changed, err := o.buildChanged(resource, namespace, name, change)
	return changed, err
}

// buildChanged returns an object before and after a change. The caller holds the lock.
func (o *Objects) buildChanged(resource, namespace, name string, change func(Object) error) (kind Kind, before, changed Object, err error) {
	kind, ok := o.kinds[resource]
	if !ok {
		return kind, nil, nil, NewUnknownResource()
	}
	old, ok := o.index.entries[formatKey(resource, namespace, name)]
	if !ok {
		return kind, nil, nil, NewNotFound(kind, name)
	}
	changed = old.Object.Clone()
	if err := change(changed); err != nil {
		return kind, nil, nil, err
	}
	changed = ToJSONValue(changed).(map[string]any)
	keepIdentity(changed, old.Object)
	EncodeSecret(kind, changed)
	if kind.hasGeneration() && !isEqual(changed["spec"], old.Object["spec"]) {
		generation, _ := old.Object.Get("metadata.generation").(float64)
		changed.Set("metadata.generation", generation+1)
	}
	return kind, old.Object, changed, nil
}

// Ensure creates an object or, if it exists, calls change (nil: leaves it).
func (o *Objects) Ensure(resource, namespace string, object Object, change func(Object) error) error {
	_, err := o.Create(resource, namespace, object)
	var failure *StatusError
	if !errors.As(err, &failure) || failure.Code != http.StatusConflict {
		return err
	}
	if change == nil {
		return nil
	}
	_, err = o.Update(resource, namespace, object.Name(), change)
	return err
}

// Find returns an object as stored.
func (o *Objects) Find(resource, namespace, name string) (Entry, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	found, ok := o.index.entries[formatKey(resource, namespace, name)]
	return found, ok
}

// ListEntries returns the entries of a resource in the order of their keys, their version, and the oldest version in the log. Entries
// that do not match fields may be left out.
func (o *Objects) ListEntries(resource, namespace string, fields Selector) (entries []Entry, version, oldest uint64) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	keys := o.index.list(resource, namespace, fields)
	entries = make([]Entry, len(keys))
	for i, id := range keys {
		entries[i] = o.index.entries[id]
	}
	return entries, o.version, o.log.oldest
}

// put stores an object with a new version, and returns it as stored. The caller holds the lock and must not modify it afterwards.
func (o *Objects) put(kind Kind, object, before Object) (Object, error) {
	o.version++
	if !isHeartbeat(kind, before, object) {
		o.changes++
	}
	object.Set("metadata.resourceVersion", strconv.FormatUint(o.version, 10))
	if err := o.table.Put(formatKey(kind.GroupResource(), object.Namespace(), object.Name()), row{kind.GroupResource(), object}); err != nil {
		return nil, err
	}
	if err := o.save(kind, object); err != nil {
		return nil, err
	}
	if kind.GroupResource() == DefinitionResource {
		registerKind(o.kinds, object)
	}
	o.log.add(Event{version: o.version, resource: kind.GroupResource(), before: before, after: object, Last: object})
	return object, nil
}

func (o *Objects) save(kind Kind, object Object) error {
	raw, err := json.Marshal(object)
	key := formatKey(kind.GroupResource(), object.Namespace(), object.Name())
	o.index.put(key, Entry{kind: kind, key: key, Object: object, Raw: raw})
	return err
}

func registerKind(kinds map[string]Kind, definition Object) {
	kind := parseDefinition(definition)
	kinds[kind.GroupResource()] = kind
}

func (o *Objects) setIdentity(kind Kind, namespace string, object Object) {
	object["apiVersion"], object["kind"] = kind.APIVersion(), kind.Kind
	if kind.Namespaced {
		object.Set("metadata.namespace", namespace)
	}
	if kind.GroupResource() == DefinitionResource && object.Get("status.conditions") == nil {
		object.Set("status.conditions", []Object{{"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"}})
	}
	name := formatKey(kind.GroupResource(), namespace, object.Name()) + strconv.FormatUint(o.version, 10)
	object.Set("metadata.uid", uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String())
	object.Set("metadata.creationTimestamp", o.now().UTC().Format(time.RFC3339))
	for _, field := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(object.Map("metadata"), field)
	}
	if delete(object.Map("metadata"), "generation"); kind.hasGeneration() {
		object.Set("metadata.generation", 1)
	}
}

// generateSuffix returns five characters that make a generated name unique.
func generateSuffix(prefix string, version uint64) string {
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(prefix+strconv.FormatUint(version, 10))).String()[:5]
}

// keepIdentity restores immutable metadata.
func keepIdentity(changed, old Object) {
	changed["apiVersion"], changed["kind"] = old["apiVersion"], old["kind"]
	for _, field := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(changed.Map("metadata"), field)
	}
	for _, field := range []string{"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"} {
		if value := old.Get("metadata." + field); value != nil {
			changed.Set("metadata."+field, value)
		}
	}
}

func formatKey(resource, namespace, name string) string {
	return resource + "/" + namespace + "/" + name
}

// ResourceVersion returns the version of an object, 0 if there is none, without a copy.
func (o *Objects) ResourceVersion(resource, namespace, name string) uint64 {
	found, _ := o.Find(resource, namespace, name)
	return found.Object.ResourceVersion()
}
