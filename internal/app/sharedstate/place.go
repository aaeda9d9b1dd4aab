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
	"time"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/network"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/provisioner/openshift/kubelease"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

// locksSuffix is of the bucket or directory of the locks: it has no versions, of which a lock that is renewed would make thousands.
const locksSuffix = "-locks"

// Lookup returns a variable of the environment.
type Lookup func(name string) (value string, given bool)

// Access is what opens shared state: where it is, and what this machine and its user have.
type Access struct {
	Address Address
	Net     network.Network
	Lookup  Lookup              // variables of the environment
	Person  *environment.Access // signs in at Vault, and presents the sign-in page; nil: this machine's user, and nobody is there
}

// backend is an open address.
type backend struct {
	shared.Options
	cluster *kubelease.Store // has the locks; nil: something else has
	closers []func()
}

func (b *backend) close() {
	for _, end := range b.closers {
		end()
	}
}

func (a Access) connect(ctx context.Context) (*backend, error) {
	b := new(backend)
	if !a.Address.IsShared() {
		return b, exit.WithCode(exit.Usage, fmt.Errorf("--state %s is a folder of this machine; shared state is at file:///DIRECTORY or s3://BUCKET/PREFIX?endpoint=https://HOST", a.Address.Text))
	}
	b.Configure = func(config shared.Config, o *shared.Options) error { return b.configure(a, config, o) }
	path, err := a.memoryPath()
	if err != nil {
		return b, err
	}
	if b.Memory, err = shared.OpenMemory(path); err != nil {
		return b, err
	}
	if b.Identities, err = (identities{a}).read(ctx); err != nil {
		return b, err
	}
	if a.Address.Directory != "" {
		return b, a.openDirectories(b)
	}
	return b, a.openBuckets(b)
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
	at, err := a.locate()
	if err != nil {
		return err
	}
	states, locks, err := a.newStores(at)
	if err == nil {
		b.Store, b.Leases, b.closers = states, locks, []func(){states.Close, locks.Close}
	}
	return err
}

func (a Access) newStores(at sharedstore.Location) (states, locks *sharedstore.Store, err error) {
	if states, err = sharedstore.New(a.Net, at); err != nil {
		return nil, nil, err
	}
	at.Bucket += locksSuffix
	locks, err = sharedstore.New(a.Net, at)
	return states, locks, err
}

// locate adds the credentials: those of the environment that are for object storage alone, those that this machine has kept of
// the bucket, or those of the organization.
func (a Access) locate() (sharedstore.Location, error) {
	at := a.Address.Bucket
	if at.Key, at.Secret = a.Lookup.lookupOwnKey(); at.Key != "" {
		return at, nil
	}
	file, err := openKeyFile(at)
	if err != nil {
		return at, err
	}
	kept, err := file.load(state.IAMRole{})
	if err != nil {
		return at, err
	}
	if at.Key, at.Secret = kept.Key, kept.Secret; at.Key != "" {
		return at, nil
	}
	if at.Key, at.Secret = a.Lookup.lookupPair("EXOSCALE_API_KEY", "EXOSCALE_API_SECRET"); at.Key != "" {
		return at, nil
	}
	return at, exit.WithCode(exit.Denied, fmt.Errorf("open shared state: no API key for the bucket %s; set EXOSCALE_API_KEY and EXOSCALE_API_SECRET, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", at.Bucket))
}

// lookupOwnKey returns the key that is for the buckets alone. That of the organization under the names of object storage is none.
func (l Lookup) lookupOwnKey() (key, secret string) {
	key, secret = l.lookupPair(keyVariable, secretVariable)
	if organization, _ := l("EXOSCALE_API_KEY"); key == organization {
		return "", ""
	}
	return key, secret
}

// lookupPair returns both variables, or none.
func (l Lookup) lookupPair(keyName, secretName string) (key, secret string) {
	key, hasKey := l(keyName)
	secret, hasSecret := l(secretName)
	if !hasKey || !hasSecret {
		return "", ""
	}
	return key, secret
}

// Open opens the place. Call close when it is no longer needed.
func (a Access) Open(ctx context.Context) (place *shared.Place, end func(), err error) {
	b, err := a.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	if place, err = shared.Open(ctx, b.Options); err == nil {
		err = b.verify(ctx, place.ID())
	}
	if err != nil {
		b.close()
		return nil, nil, err
	}
	return place, b.close, nil
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
	holder := lease.Holder{Run: rand.Text()[:12], Verb: verb, User: "unknown", Host: "unknown", Since: time.Now().UTC()}
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
