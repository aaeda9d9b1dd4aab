package sharedstate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

// locksSuffix is of the bucket or directory of the locks: it has no versions, of which a lock that is renewed would make thousands.
const locksSuffix = "-locks"

// Access is what opens shared state: where it is, and what this machine and its user have.
type Access struct {
	Address Address
	Net     network.Network
	Lookup  func(string) (string, bool) // variables of the environment
}

// backend is an open address.
type backend struct {
	shared.Options
	close func()
}

func (a Access) connect() (backend, error) {
	var b backend
	if !a.Address.IsShared() {
		return b, exit.WithCode(exit.Usage, fmt.Errorf("--state %s is a folder of this machine; shared state is at file:///DIRECTORY or s3://BUCKET/PREFIX?endpoint=https://HOST", a.Address.Text))
	}
	path, err := a.memoryPath()
	if err != nil {
		return b, err
	}
	if b.Memory, err = shared.OpenMemory(path); err != nil {
		return b, err
	}
	if b.Identities, err = ReadIdentities(a.Lookup); err != nil {
		return b, err
	}
	if a.Address.Directory != "" {
		b.close = func() {}
		return b, a.openDirectories(&b)
	}
	return b, a.openBuckets(&b)
}

func (a Access) openDirectories(b *backend) (err error) {
	var states, locks store.Directory
	if states, err = store.OpenDirectory(a.Address.Directory); err != nil {
		return err
	}
	locks, err = store.OpenDirectory(a.Address.Directory + locksSuffix)
	b.Store, b.Leases = states, locks
	return err
}

func (a Access) openBuckets(b *backend) error {
	states, locks, err := a.newStores()
	if err == nil {
		b.Store, b.Leases, b.close = states, locks, func() { states.Close(); locks.Close() }
	}
	return err
}

func (a Access) newStores() (states, locks *sharedstore.Store, err error) {
	at, err := a.locate()
	if err != nil {
		return nil, nil, err
	}
	if states, err = sharedstore.New(a.Net, at); err != nil {
		return nil, nil, err
	}
	at.Bucket += locksSuffix
	locks, err = sharedstore.New(a.Net, at)
	return states, locks, err
}

// locate adds the credentials, of which object storage has names of its own.
func (a Access) locate() (sharedstore.Location, error) {
	at := a.Address.Bucket
	for _, names := range [][2]string{{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}, {"EXOSCALE_API_KEY", "EXOSCALE_API_SECRET"}} {
		key, hasKey := a.Lookup(names[0])
		secret, hasSecret := a.Lookup(names[1])
		if hasKey && hasSecret {
			at.Key, at.Secret = key, secret
			return at, nil
		}
	}
	return at, exit.WithCode(exit.Denied, fmt.Errorf("open shared state: there is no key for the bucket %s; set EXOSCALE_API_KEY and EXOSCALE_API_SECRET, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", at.Bucket))
}

// Open opens the place. Call close when it is no longer needed.
func (a Access) Open(ctx context.Context) (place *shared.Place, end func(), err error) {
	b, err := a.connect()
	if err != nil {
		return nil, nil, err
	}
	if place, err = shared.Open(ctx, b.Options); err != nil {
		b.close()
		return nil, nil, err
	}
	return place, b.close, nil
}

// ListMissing returns the buckets that do not exist, which Initialize creates.
func (a Access) ListMissing(ctx context.Context) ([]string, error) {
	if a.Address.Directory != "" {
		return nil, nil
	}
	states, locks, err := a.newStores()
	if err != nil {
		return nil, err
	}
	defer states.Close()
	defer locks.Close()
	var missing []string
	for _, bucket := range []*sharedstore.Store{states, locks} {
		exists, err := bucket.BucketExists(ctx)
		if err != nil {
			return nil, err
		}
		if !exists {
			missing = append(missing, bucket.Bucket())
		}
	}
	return missing, nil
}

// Initialize creates what is missing: private buckets, that of the states with versions, and the configuration.
func (a Access) Initialize(ctx context.Context, recipients []string) (shared.Config, error) {
	missing, err := a.ListMissing(ctx)
	if err != nil {
		return shared.Config{}, err
	}
	b, err := a.connect()
	if err != nil {
		return shared.Config{}, err
	}
	defer b.close()
	for _, one := range []any{b.Store, b.Leases} {
		bucket, isBucket := one.(*sharedstore.Store)
		if !isBucket || !slices.Contains(missing, bucket.Bucket()) {
			continue
		}
		if err := bucket.CreateBucket(ctx, one == any(b.Store)); err != nil {
			return shared.Config{}, err
		}
	}
	return shared.Initialize(ctx, b.Options, recipients)
}

// WorkPath is where private copies are.
func WorkPath() (string, error) {
	base, err := state.DefaultPath(".shared")
	return filepath.Join(base, "work"), err
}

func (a Access) memoryPath() (string, error) {
	base, err := state.DefaultPath(".shared")
	sum := sha256.Sum256([]byte(a.Address.Text))
	return filepath.Join(base, hex.EncodeToString(sum[:8])+".json"), err
}

// NewHolder describes this run to others.
func (a Access) NewHolder(verb string) lease.Holder {
	holder := lease.Holder{Run: rand.Text()[:12], Verb: verb, User: "unknown", Host: "unknown"}
	if u, err := user.Current(); err == nil {
		holder.User = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		holder.Host = host
	}
	for _, name := range []string{"EXOSHIFT_JOB_URL", "CI_JOB_URL"} {
		if job, given := a.Lookup(name); given && holder.Job == "" {
			holder.Job = job
		}
	}
	return holder
}
