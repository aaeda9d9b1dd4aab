package sharedstate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exoshift/assets"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
	"exoshift/state/shared"
)

// roleName begins the names of the role and the key, which end with the bucket's.
const roleName = "exoshift-state-"

// Missing is what shared state lacks at an address.
type Missing struct {
	Changes []string // what Initialize does, a sentence each
	Notes   []string // what it cannot do
}

// setup creates what shared state needs.
type setup struct {
	access     Access
	recipients []string
	lock       string
	states     *sharedstore.Store // nil: in a directory
	locks      *sharedstore.Store
	owner      *owner // nil: no key of its own is created
}

// newSetup reaches buckets with the key of the organization, as that of shared state may not create any.
func (a Access) newSetup(recipients []string, lock string) (*setup, error) {
	s := &setup{access: a, recipients: recipients, lock: lock}
	if a.Address.Directory != "" {
		return s, nil
	}
	s.owner = a.findOwner()
	var at sharedstore.Location
	var err error
	if s.owner != nil {
		at = s.owner.locate(a.Address.Bucket)
	} else if at, err = a.locate(); err != nil {
		return nil, err
	}
	s.states, s.locks, err = a.newStores(at)
	return s, err
}

func (s *setup) close() {
	if s.states != nil {
		s.states.Close()
		s.locks.Close()
	}
}

// ListMissing returns what Initialize would create, and changes nothing.
func (a Access) ListMissing(ctx context.Context, recipients []string, lock string) (Missing, error) {
	s, err := a.newSetup(recipients, lock)
	if err != nil {
		return Missing{}, err
	}
	defer s.close()
	var missing Missing
	exists := true
	if s.states != nil {
		if missing.Changes, exists, err = s.listBuckets(ctx); err != nil {
			return missing, err
		}
	}
	isNew := !exists
	if exists {
		if isNew, err = s.isNew(ctx); err != nil {
			return missing, err
		}
	}
	if isNew {
		missing.Changes = append(missing.Changes, fmt.Sprintf("shared state begins there, encrypted to %d recipients, its locks held by %s", len(recipients), cmp.Or(lock, "the storage")))
	}
	if s.owner != nil {
		err = s.owner.preview(ctx, s.access, &missing)
	} else if s.states != nil {
		missing.Notes = append(missing.Notes, "no API key with access to these buckets alone is created: that needs an address of Exoscale's object storage, EXOSCALE_API_KEY and EXOSCALE_API_SECRET, and no AWS_ACCESS_KEY_ID of another key")
	}
	return missing, err
}

func (s *setup) listBuckets(ctx context.Context) (changes []string, stateExists bool, err error) {
	host := s.access.Address.Bucket.Endpoint
	for _, bucket := range []*sharedstore.Store{s.states, s.locks} {
		found, err := bucket.InspectBucket(ctx)
		keeps, suffix := bucket == s.states, "with versions"
		if !keeps {
			suffix = "without versions"
		}
		switch {
		case err != nil:
			return nil, false, err
		case !found.Exists:
			changes = append(changes, fmt.Sprintf("bucket %s at %s does not exist and is created, private, %s", bucket.Bucket(), host, suffix))
		case keeps && !found.Versioned:
			changes = append(changes, fmt.Sprintf("bucket %s at %s keeps versions of its objects from now on", bucket.Bucket(), host))
		case !keeps && found.Versioned:
			return nil, false, fault.Newf(fault.Conflict, "set up shared state", "the bucket %s keeps versions, of which locks that are renewed would make thousands", bucket.Bucket()).
				WithHint("choose another name for the bucket of shared state")
		}
		if keeps {
			stateExists = found.Exists
		}
	}
	return changes, stateExists, nil
}

// isNew fails if shared state is set up for others.
func (s *setup) isNew(ctx context.Context) (bool, error) {
	b, err := s.connect()
	if err != nil {
		return false, err
	}
	config, err := shared.ReadConfig(ctx, b.Store)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if config.Lock != s.lock {
		return false, exit.WithCode(exit.Usage, fmt.Errorf("%s is set up already, and its locks are held by %s, not by %s", s.access.Address.Text, cmp.Or(config.Lock, "the storage"), cmp.Or(s.lock, "the storage")))
	}
	if !slices.Equal(slices.Sorted(slices.Values(config.Recipients)), slices.Sorted(slices.Values(s.recipients))) {
		return false, exit.WithCode(exit.Usage, fmt.Errorf("%s is set up already, for other recipients; see: exoshift state recipients --help", s.access.Address.Text))
	}
	return false, nil
}

// connect has neither identities nor a memory, which nothing needs yet.
func (s *setup) connect() (*backend, error) {
	b := &backend{Options: shared.Options{Lock: s.lock}}
	b.Configure = func(config shared.Config, o *shared.Options) error { return b.configure(s.access, config, o) }
	if s.states != nil {
		b.Store, b.Leases = s.states, s.locks
		return b, nil
	}
	return b, s.access.openDirectories(b)
}

// Initialize creates what is missing: private buckets, that of the states with versions, the configuration, and an API key that may
// do nothing else than read and write there. It returns where that is kept; "" if none was created.
func (a Access) Initialize(ctx context.Context, recipients []string, lock string) (keyFile string, err error) {
	s, err := a.newSetup(recipients, lock)
	if err != nil {
		return "", err
	}
	defer s.close()
	if s.states != nil {
		if err := s.createBuckets(ctx); err != nil {
			return "", err
		}
	}
	if err := s.begin(ctx); err != nil {
		return "", err
	}
	if s.owner == nil {
		return "", nil
	}
	return s.owner.createKey(ctx, a)
}

// begin stores the configuration unless there is one.
func (s *setup) begin(ctx context.Context) error {
	isNew, err := s.isNew(ctx)
	if err != nil {
		return err
	}
	b, err := s.connect()
	if err != nil {
		return err
	}
	defer b.close()
	if isNew {
		_, err = shared.Initialize(ctx, b.Options, s.recipients)
	}
	if err != nil || s.lock == "" {
		return err
	}
	config, err := shared.ReadConfig(ctx, b.Store)
	if err == nil && b.cluster == nil {
		err = b.configure(s.access, config, &b.Options)
	}
	if err != nil {
		return err
	}
	return b.claim(ctx, config)
}

func (s *setup) createBuckets(ctx context.Context) error {
	for _, bucket := range []*sharedstore.Store{s.states, s.locks} {
		found, err := bucket.InspectBucket(ctx)
		if err == nil && !found.Exists {
			err = bucket.CreateBucket(ctx)
		}
		if err == nil && bucket == s.states && !found.Versioned {
			err = bucket.EnableVersions(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// owner is the key of an Exoscale organization, which creates the restricted key of shared state.
type owner struct{ zone, key, secret string }

// findOwner returns nil where there is no such organization, and where the bucket has a key of its own already.
func (a Access) findOwner() *owner {
	zone, isExoscale := a.Address.Zone()
	key, secret := a.Lookup.lookupPair("EXOSCALE_API_KEY", "EXOSCALE_API_SECRET")
	if given, _ := a.Lookup.lookupOwnKey(); !isExoscale || key == "" || given != "" {
		return nil
	}
	return &owner{zone, key, secret}
}

func (o *owner) locate(at sharedstore.Location) sharedstore.Location {
	at.Key, at.Secret = o.key, o.secret
	return at
}

func (o *owner) newRole(bucket string) (state.IAMRole, error) {
	role := state.IAMRole{Name: roleName + bucket, Description: "Reads and writes the shared state of exoshift in the bucket " + bucket + ", and nothing else"}
	text, err := assets.RenderPolicy(assets.PolicySharedState, []string{bucket, bucket + locksSuffix})
	if err == nil {
		err = json.Unmarshal(text, &role.Policy)
	}
	return role, err
}

// preview adds what createKey would do.
func (o *owner) preview(ctx context.Context, a Access, missing *Missing) error {
	kept, err := openKeyFile(a.Address.Bucket)
	if err != nil {
		return err
	}
	cloud, err := exoscale.New(a.Net, o.zone, o.key, o.secret, state.NoJournal{})
	if err != nil {
		return err
	}
	defer cloud.Close()
	role, err := o.newRole(a.Address.Bucket.Bucket)
	if err != nil {
		return err
	}
	role, action, err := cloud.WithPreview().EnsureRole(ctx, role)
	if err != nil {
		return err
	}
	if action != state.Found {
		missing.Changes = append(missing.Changes, fmt.Sprintf("IAM role %s is %s: it reads and writes objects of these two buckets, and may do nothing else", role.Name, action))
	}
	key, err := kept.load(role)
	if err != nil {
		return err
	}
	switch action, err = cloud.WithPreview().EnsureAPIKey(ctx, key, func(state.APIKey) error { return nil }); {
	case fault.Is(err, fault.Conflict) && !kept.isPending(key.Name):
		missing.Notes = append(missing.Notes, o.describeElsewhere(key.Name, kept))
	case fault.Is(err, fault.Conflict), err == nil && action != state.Found:
		missing.Changes = append(missing.Changes, fmt.Sprintf("API key %s of that role is created, and kept in %s", key.Name, kept.path()))
	default:
		return err
	}
	return nil
}

func (o *owner) describeElsewhere(name string, kept keyFile) string {
	return fmt.Sprintf("API key %s exists, and its secret is not in %s: take that file over from the machine where it was created, or delete the key if nothing uses it and run this again", name, kept.path())
}

// createKey returns the path of the file with the key, "" if that is on another machine.
func (o *owner) createKey(ctx context.Context, a Access) (path string, err error) {
	kept, err := openKeyFile(a.Address.Bucket)
	if err != nil {
		return "", err
	}
	if kept.folder, err = state.Create(kept.folder.Path()); err != nil {
		return "", err
	}
	unlock, err := kept.folder.Lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	journal, err := kept.folder.OpenJournal(time.Now)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	cloud, err := exoscale.New(a.Net, o.zone, o.key, o.secret, journal)
	if err != nil {
		return "", err
	}
	defer cloud.Close()
	role, err := o.newRole(a.Address.Bucket.Bucket)
	if err != nil {
		return "", err
	}
	if role, _, err = cloud.EnsureRole(ctx, role); err != nil {
		return "", err
	}
	key, err := kept.load(role)
	if err != nil {
		return "", err
	}
	switch _, err = cloud.EnsureAPIKey(ctx, key, kept.save); {
	case fault.Is(err, fault.Conflict):
		return "", nil
	case err != nil:
		return "", err
	}
	return kept.path(), nil
}
