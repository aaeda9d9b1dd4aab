package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/clusterevents"
	"exoshift/state"
	"exoshift/state/backup"
)

const opCreate = "make a backup"

// Clients are what a backup is made with.
type Clients struct {
	Cluster Cluster
	Objects Objects
	Clock   provisioner.Clock
}

// Options of a backup.
type Options struct {
	Keys    Keys
	InfraID string
	Program string // name and version of this program
	// Without is a master that is about to be replaced: neither its health nor that of its member counts. "": there is none.
	Without string
}

// Create makes a backup.
type Create struct {
	spec    state.Spec
	clients Clients
	options Options
	store   *Store
	changes clusterevents.Emitter

	manifest backup.Manifest // as far as the backup has come
	snapshot backup.Snapshot
}

// NewCreate is for the cluster of these answers.
func NewCreate(spec state.Spec, clients Clients, options Options) *Create {
	return &Create{spec: spec, clients: clients, options: options, store: NewStore(spec, clients.Objects)}
}

// Manifest describes the backup that was made.
func (c *Create) Manifest() backup.Manifest { return c.manifest }

// Bucket is the name of the bucket of the cluster's backups.
func (c *Create) Bucket() string { return c.store.bucket }

// Plan returns the steps, each after the one before it. Whatever becomes of them, End has to be called.
func (c *Create) Plan() provisioner.Plan {
	plan := provisioner.Plan{
		{ID: "check", Title: "Check that the control plane is at rest", Phase: phaseEtcd, Usual: 5 * time.Second, Do: c.check},
		{ID: "clean", Title: "Delete what earlier backups have left", Phase: phaseStorage, Usual: 5 * time.Second, Do: c.clean},
		{ID: "snapshot", Title: "Make a snapshot of etcd on a master", Phase: phaseEtcd, Usual: time.Minute, Do: c.makeSnapshot},
		{ID: "upload", Title: "Encrypt the snapshot, and store it", Phase: phaseStorage, Usual: time.Minute, Do: c.upload},
		{ID: "end-snapshot", Title: "Delete the snapshot from the master", Phase: phaseEtcd, Usual: 30 * time.Second, Do: c.endSnapshot},
		{ID: "objects", Title: "Encrypt the objects of the API, and store them", Phase: phaseStorage, Usual: time.Minute, Do: c.archive},
		{ID: "verify", Title: "Read the backup back", Phase: phaseEtcd, Usual: time.Minute, Do: c.verify},
		{ID: "record", Title: "Record the backup", Phase: phaseStorage, Usual: 5 * time.Second, Do: c.record},
	}
	for i := range plan[1:] {
		plan[i+1].Needs = []string{plan[i].ID}
	}
	return plan
}

// Run carries out all steps as one, and ends what it began.
func (c *Create) Run(ctx context.Context, report provisioner.Report) (err error) {
	defer func() { err = errors.Join(err, c.End(ctx)) }()
	for _, step := range c.Plan() {
		report.EmitProgress(step.Title)
		if err := step.Do(ctx, report); err != nil {
			var inner *provisioner.PhaseError
			if errors.As(err, &inner) {
				return err
			}
			return &provisioner.PhaseError{Phase: step.Phase, Err: err}
		}
	}
	return nil
}

// endTimeout is for how long the end of what a backup has begun is tried, by the cluster's clock.
const endTimeout = 2 * time.Minute

// End deletes from the cluster what a backup needed there, also after the run was stopped.
func (c *Create) End(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := repeat(ctx, c.clients.Clock, func(provisioner.Event) {}, endTimeout, func(ctx context.Context) error {
		_, err := c.clients.Cluster.EndSnapshot(ctx)
		return err
	})
	if err != nil {
		return fault.New(fault.KindOf(err), "delete the snapshot from the master", err).WithHint("the same command does it, and so does exoshift backup prune")
	}
	return nil
}

func (c *Create) check(ctx context.Context, report provisioner.Report) error {
	return repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) error {
		seen, err := c.inspect(ctx)
		if err != nil {
			return err
		}
		c.changes.EmitEtcd(report, seen.status)
		now := c.clients.Clock.Now().UTC()
		c.snapshot.Node = seen.node
		c.manifest = backup.Manifest{
			Format: backup.Format, Name: now.Format(nameFormat), Cluster: c.spec.Cluster.ID, InfraID: c.options.InfraID, Created: now,
			OpenShift: seen.version, Recipients: c.options.Keys.Recipients, Program: c.options.Program,
		}
		return seen.refusal()
	})
}

func (c *Create) clean(ctx context.Context, report provisioner.Report) error {
	err := repeat(ctx, c.clients.Clock, report, podLimit, func(ctx context.Context) error {
		_, err := c.clients.Cluster.EndSnapshot(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) error {
		action, err := c.clients.Objects.EnsureBucket(ctx, c.store.bucket)
		if err != nil {
			return err
		}
		if action == state.Created {
			report.EmitObject(state.KindBucket, c.store.bucket, "", string(action))
		}
		deleted, err := c.store.Clean(ctx)
		for _, key := range deleted {
			report.EmitObject(kindStored, c.store.bucket+"/"+key, "", string(state.Deleted))
		}
		return err
	})
}

// kindStored is the kind of an object in a bucket in events.
const kindStored = "object"

func (c *Create) makeSnapshot(ctx context.Context, report provisioner.Report) error {
	node := c.snapshot.Node
	report.EmitProgress("on " + node)
	err := repeat(ctx, c.clients.Clock, report, podLimit, func(ctx context.Context) error { return c.clients.Cluster.PrepareSnapshot(ctx, node) })
	if err != nil {
		return err
	}
	err = repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) (err error) {
		c.snapshot, err = c.clients.Cluster.MakeSnapshot(ctx, node)
		return err
	})
	return classify(err, backup.ErrProgressing)
}

func (c *Create) endSnapshot(ctx context.Context, report provisioner.Report) error {
	return repeat(ctx, c.clients.Clock, report, podLimit, func(ctx context.Context) error {
		_, err := c.clients.Cluster.EndSnapshot(ctx)
		return err
	})
}

// verify reads the backup back. What is damaged is a finding, and no backup.
func (c *Create) verify(ctx context.Context, report provisioner.Report) error {
	verified := false
	var etcd backup.Status
	err := repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) (err error) {
		etcd, verified, err = c.store.Verify(ctx, c.manifest, c.options.Keys.Identities)
		return err
	})
	if err != nil {
		EmitUnreadable(report, c.clients.Clock, c.spec, c.manifest.Name, err)
		return err
	}
	c.manifest.Etcd.Node = c.snapshot.Node
	switch {
	case verified && c.snapshot.Status != nil && *c.snapshot.Status != etcd:
		c.manifest.Etcd.Status = *c.snapshot.Status
		err := NewOtherStatusError(c.manifest, etcd)
		EmitUnreadable(report, c.clients.Clock, c.spec, c.manifest.Name, err)
		return err
	case verified:
		c.manifest.Etcd.Status = etcd
	case c.snapshot.Status != nil:
		c.manifest.Etcd.Status = *c.snapshot.Status
	}
	c.manifest.Verified = backup.Verification{At: c.clients.Clock.Now().UTC(), Decrypted: verified}
	if !verified {
		report.EmitProgress("what is stored is what was sent; without an identity it was not decrypted (EXOSHIFT_AGE_IDENTITY)")
	}
	return nil
}

// record writes the manifest, with which the backup is one, and reads it again.
func (c *Create) record(ctx context.Context, report provisioner.Report) error {
	content, err := json.MarshalIndent(c.manifest, "", "  ")
	if err != nil {
		return fault.New(fault.Internal, opCreate, err)
	}
	key := formatKey(c.manifest.Name, manifestName)
	return repeat(ctx, c.clients.Clock, report, storageLimit, func(ctx context.Context) error {
		action, err := c.clients.Objects.EnsureObject(ctx, c.store.bucket, key, append(content, '\n'))
		if err != nil {
			return err
		}
		report.EmitObject(kindStored, c.store.bucket+"/"+key, "", string(action))
		made, err := c.store.Find(ctx, c.manifest.Name)
		if err == nil && !made.IsVerified() {
			err = fault.Newf(fault.Conflict, opCreate, "the backup %s cannot be used: %s", made.Name, cmp.Or(made.Problem, "it was not verified"))
		}
		if err == nil {
			report.EmitProgress(fmt.Sprintf("%s: etcd's revision %d, %d keys", made.Name, made.Etcd.Revision, made.Etcd.TotalKeys))
		}
		return err
	})
}
