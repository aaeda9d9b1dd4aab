// Package kubelease keeps the locks of shared state as Leases of a Kubernetes cluster, for object storage that does not honour
// conditional writes: the cluster's API replaces an object only for who has seen what it replaces.
package kubelease

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/lease"
	"exoshift/state/store"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	annotation  = "exoshift.io/lock"  // has the record of a lock
	stateName   = "exoshift.state"    // names the Lease that says whose locks are in a namespace
	stateField  = "exoshift.io/state" // annotation with the ID of that shared state
	namePrefix  = "exoshift-"
	timeFormat  = "2006-01-02T15:04:05.000000Z07:00" // of a MicroTime
	maxIdentity = 200                                // in bytes, for people
)

// Store is the Leases of a namespace.
type Store struct {
	api       *kubeapi.Client
	leases    kubeapi.ResourcePath
	namespace string
}

// Open returns the Leases of a namespace. It sends no requests.
func Open(net network.Network, login kubeapi.Login, namespace string) (*Store, error) {
	api, err := kubeapi.NewLoginClient(net, login)
	if err != nil {
		return nil, err
	}
	return &Store{api, kubeapi.ResourcePath("coordination.k8s.io/v1/leases@" + namespace), namespace}, nil
}

// Close closes idle connections.
func (s *Store) Close() { s.api.Close() }

// document is a Lease, as far as it is read.
type document struct {
	Metadata struct {
		Annotations     map[string]string `json:"annotations"`
		ResourceVersion string            `json:"resourceVersion"`
		UID             string            `json:"uid"`
	} `json:"metadata"`
}

// Get returns the record of a lock. Its version is the Lease's.
func (s *Store) Get(ctx context.Context, key string) (store.Object, error) {
	found, exists, err := kubeapi.Get[document](ctx, s.api, s.leases, formatName(key))
	if err != nil {
		return store.Object{}, s.explain(err)
	}
	if !exists {
		return store.Object{}, &fs.PathError{Op: "get", Path: key, Err: fs.ErrNotExist}
	}
	return store.Object{Content: []byte(found.Metadata.Annotations[annotation]), Version: formatVersion(found.Metadata.UID, found.Metadata.ResourceVersion)}, nil
}

// Put replaces the record of a lock. What others read of a Lease is kept in step: holder, times, transitions.
func (s *Store) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	op := "put " + key + " to the Leases of namespace " + s.namespace
	var record lease.Record
	if err := json.Unmarshal(content, &record); err != nil {
		return "", fault.New(fault.Internal, op, err)
	}
	metadata := map[string]any{"name": formatName(key), "annotations": map[string]any{annotation: string(content)}}
	if replaced != "" {
		// The API creates a missing Lease by a PUT, unless it is told which one is meant.
		uid, version, _ := strings.Cut(string(replaced), "/")
		metadata["uid"], metadata["resourceVersion"] = uid, version
	}
	version, err := s.write(ctx, metadata, newSpec(record), replaced)
	switch {
	case err == nil:
		return version, nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err) && replaced != "":
		return "", fmt.Errorf("%s: %w", op, store.ErrConflict)
	}
	return "", s.explain(s.api.ToFault(ctx, op, err))
}

func (s *Store) write(ctx context.Context, metadata, spec map[string]any, replaced store.Version) (store.Version, error) {
	object := map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
	metadata["labels"] = map[string]any{"app.kubernetes.io/managed-by": "exoshift"}
	if replaced == "" {
		created, err := s.api.Create(ctx, s.leases, object)
		if err != nil {
			return "", err
		}
		return formatVersion(string(created.GetUID()), created.GetResourceVersion()), nil
	}
	updated, err := s.api.Replace(ctx, s.leases, object)
	if err != nil {
		return "", err
	}
	return formatVersion(string(updated.GetUID()), updated.GetResourceVersion()), nil
}

func newSpec(record lease.Record) map[string]any {
	spec := map[string]any{
		"leaseDurationSeconds": int64(lease.Lifetime / time.Second), "leaseTransitions": int64(record.Epoch), "renewTime": record.Renewed.UTC().Format(timeFormat),
	}
	if record.Holder != nil {
		identity := record.Holder.String()
		spec["holderIdentity"] = identity[:min(len(identity), maxIdentity)]
		spec["acquireTime"] = record.Holder.Since.UTC().Format(timeFormat)
	}
	return spec
}

// Claim marks the namespace as that of a shared state. A namespace with the locks of another one is a fault.Conflict: a kubeconfig
// that leads to another cluster must not lead to two runs at once.
func (s *Store) Claim(ctx context.Context, id string) error {
	metadata := map[string]any{"name": stateName, "annotations": map[string]any{stateField: id}}
	_, err := s.write(ctx, metadata, map[string]any{}, "")
	if err == nil || apierrors.IsAlreadyExists(err) {
		return s.Verify(ctx, id)
	}
	return s.explain(s.api.ToFault(ctx, "set up the locks in namespace "+s.namespace, err))
}

// Verify fails unless the namespace has the locks of this shared state.
func (s *Store) Verify(ctx context.Context, id string) error {
	op := "open the locks in namespace " + s.namespace + " of " + s.api.Address.Host
	found, exists, err := kubeapi.Get[document](ctx, s.api, s.leases, stateName)
	switch {
	case err != nil:
		return s.explain(err)
	case !exists:
		return fault.Newf(fault.NotFound, op, "this is not where shared state has its locks").
			WithHint("name the cluster where exoshift state init has put them with KUBECONFIG")
	case found.Metadata.Annotations[stateField] != id:
		return fault.Newf(fault.Conflict, op, "they are of another shared state").WithHint("name the right cluster with KUBECONFIG; a namespace has the locks of one shared state")
	}
	return nil
}

// explain adds what a denied request needs.
func (s *Store) explain(err error) error {
	if !fault.Is(err, fault.Denied) {
		return err
	}
	return fault.New(fault.Denied, "use the Leases of namespace "+s.namespace, err).
		WithHint("the account needs get, create and update on leases.coordination.k8s.io in namespace %s", s.namespace)
}

// formatVersion returns the version of a lock. A Lease that was deleted and created anew has another UID.
func formatVersion(uid, resourceVersion string) store.Version {
	return store.Version(uid + "/" + resourceVersion)
}

// formatName returns the name of the Lease for the key of a lock, e.g. "c-demo-1.json".
func formatName(key string) string {
	return namePrefix + strings.TrimSuffix(key, ".json")
}
