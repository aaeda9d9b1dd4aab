package restore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/backup"
	vocabulary "exoshift/state/backup"
	"exoshift/state/restoration"
)

// Actions with objects.
const (
	Create = "create" // the cluster does not have it
	Update = "update" // some fields are changed
	Same   = "same"   // as in the backup
	Leave  = "leave"  // the cluster makes it itself
	Refuse = "refuse" // something has to be done first, or elsewhere
)

// Change is what is done with an object of the backup.
type Change struct {
	Object restoration.Object // as it is applied
	Action string
	Reason string   // why it is left or refused
	Fields []Field  // that are changed
	Extra  []string // fields that only the cluster's object has, and that stay

	original restoration.Object // as the backup has it
}

// Review is what a restoration would change.
type Review struct {
	Backup  vocabulary.Manifest
	Earlier bool // the backup is of an earlier installation of the cluster
	Changes []Change
}

// Count returns how many objects have an action.
func (r Review) Count(action string) (n int) {
	for _, change := range r.Changes {
		if change.Action == action {
			n++
		}
	}
	return n
}

// HasWork reports whether anything is to be applied.
func (r Review) HasWork() bool { return r.Count(Create)+r.Count(Update) > 0 }

// Review reads the objects that are wanted from the backup, and compares them with the cluster's. fault.Invalid: the backup is damaged;
// fault.Conflict: it is not to be restored; fault.NotFound: there is none, or it has no such object. It changes nothing.
func (r *Restore) Review(ctx context.Context) (found Review, err error) {
	from, err := r.find(ctx)
	if err != nil {
		return found, err
	}
	found.Backup, found.Earlier = from.Manifest, from.InfraID != r.options.InfraID
	if r.served, err = r.clients.Cluster.ListServedKinds(ctx); err != nil {
		return found, err
	}
	kinds, err := r.options.Selection.resolve(r.served)
	if err != nil {
		return found, err
	}
	if err := checkComplete(from.Manifest, kinds); err != nil {
		return found, err
	}
	if r.applications, err = r.clients.Cluster.ListApplications(ctx); err != nil {
		return found, err
	}
	wanted, err := r.read(ctx, from.Manifest, kinds)
	if err != nil {
		return found, err
	}
	r.changes = nil
	for _, object := range wanted {
		change, err := r.review(ctx, object)
		if err != nil {
			return found, err
		}
		if change.Action == Create && object.Kind.Name() == kindNamespaces {
			r.namespaces[object.Name] = true
		}
		r.changes = append(r.changes, change)
	}
	found.Changes = r.changes
	return found, nil
}

// find returns the backup; one that cannot be used is an error.
func (r *Restore) find(ctx context.Context) (backup.Backup, error) {
	from, err := r.store.Find(ctx, r.options.From)
	switch {
	case err != nil:
		return from, err
	case from.Cluster != "" && from.Cluster != r.spec.Cluster.ID:
		return from, fault.Newf(fault.Conflict, opRestore, "the backup %s is one of another cluster, %s, and this is %s", from.Name, from.Cluster, r.spec.Cluster.ID)
	case from.Problem != "":
		return from, backup.NewUnusableError(from)
	}
	return from, nil
}

// checkComplete refuses kinds that the backup lacks since they could not be read.
func checkComplete(manifest vocabulary.Manifest, kinds map[string]restoration.Kind) error {
	for name, kind := range kinds {
		if slices.Contains(manifest.Objects.Missing, name) || kind.Group != "" && slices.Contains(manifest.Objects.Missing, kind.Group+"/"+kind.Version) {
			return fault.Newf(fault.Conflict, opRestore, "the backup %s has no %s: they could not be read when it was made", manifest.Name, name)
		}
	}
	return nil
}

// read returns the objects that are wanted, in the order in which they are applied.
func (r *Restore) read(ctx context.Context, manifest vocabulary.Manifest, kinds map[string]restoration.Kind) (wanted []restoration.Object, err error) {
	err = r.store.ReadPart(ctx, manifest, vocabulary.PartObjects, r.options.Identities, func(plain io.Reader) error {
		wanted = nil
		return readObjects(plain, func(name string) (restoration.Kind, bool) { kind, is := kinds[name]; return kind, is }, func(object restoration.Object) {
			if r.options.Selection.has(object) {
				wanted = append(wanted, object)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		return nil, fault.Newf(fault.NotFound, opRestore, "the backup %s has no such object", manifest.Name).
			WithHint("it was made at %s: what was created later is not in it", manifest.Created.Format(time.RFC3339))
	}
	stable.Sort(wanted, func(a, b restoration.Object) int {
		return cmp.Or(cmp.Compare(a.Kind.Rank, b.Kind.Rank), strings.Compare(a.Kind.Name(), b.Kind.Name()), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return wanted, nil
}

// review decides what is done with an object.
func (r *Restore) review(ctx context.Context, original restoration.Object) (change Change, err error) {
	change = Change{Object: original, original: original}
	fields, err := decodeDocument(original.Content)
	if err != nil {
		return change, fault.New(fault.Internal, "read "+original.ID(), err)
	}
	live, err := r.getLive(ctx, original)
	if err != nil {
		return change, err
	}
	if change.Reason = describeOrigin(original.Kind, fields, live); change.Reason != "" {
		change.Action = Leave
		return change, nil
	}
	if change.Reason = r.describeRefusal(fields, live); change.Reason != "" {
		change.Action = Refuse
		return change, nil
	}
	alive, err := r.listAlive(ctx, original, fields)
	if err != nil {
		return change, err
	}
	prepare(original.Kind, fields, live != nil, func(owner document) bool { return alive[owner.text("uid")] })
	if err := r.dropLostVolume(ctx, original.Kind, fields); err != nil {
		return change, err
	}
	if change.Object.Content, err = json.Marshal(fields); err != nil {
		return change, fault.New(fault.Internal, "write "+original.ID(), err)
	}
	if waits, reason, err := r.checkNamespace(ctx, original); err != nil || waits || reason != "" {
		change.Action, change.Reason = Create, reason
		if reason != "" {
			change.Action = Refuse
		}
		return change, err
	}
	return r.preview(ctx, change, live)
}

// preview has the API say what would become of the object.
func (r *Restore) preview(ctx context.Context, change Change, live document) (Change, error) {
	content, err := r.clients.Cluster.PreviewObject(ctx, change.Object)
	var refused *restoration.RefusedError
	switch {
	case errors.As(err, &refused):
		change.Action, change.Reason = Refuse, refused.Reason
		return change, nil
	case err != nil:
		return change, err
	case live == nil:
		change.Action = Create
		return change, nil
	}
	after, err := decodeDocument(content)
	original, unread := decodeDocument(change.original.Content)
	if err = errors.Join(err, unread); err != nil {
		return change, fault.New(fault.Internal, "compare "+change.Object.ID(), err)
	}
	change.Action = Same
	change.Extra = listExtra(change.Object.Kind, live, original)
	if change.Fields = diff(change.Object.Kind, live, after); len(change.Fields) > 0 {
		change.Action = Update
	}
	return change, nil
}

func (r *Restore) getLive(ctx context.Context, object restoration.Object) (document, error) {
	content, err := r.clients.Cluster.GetLiveObject(ctx, object)
	if err != nil || content == nil {
		return nil, err
	}
	live, err := decodeDocument(content)
	if err != nil {
		return nil, fault.New(fault.Internal, "read "+object.ID(), err)
	}
	return live, nil
}
