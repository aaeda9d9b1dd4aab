// Package shared keeps the folders of clusters in a store that a team shares: authenticated, encrypted where they are secret, and
// changed by one process at a time. A run works on a private copy, of which everything is stored before the cloud is called.
package shared

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/state/lease"
	"exoshift/state/store"
)

const (
	format    = 1
	configKey = "state.json"
)

// Config is what a place of shared state says of itself.
type Config struct {
	Format     int       `json:"v"`
	ID         string    `json:"id"` // of this place, whatever its address
	Created    time.Time `json:"created"`
	Recipients []string  `json:"recipients"` // age recipients or SSH public keys
	Key        []byte    `json:"key"`        // authenticates all that is stored; encrypted to the recipients
	// Lock says what holds the locks of the clusters, e.g. "kubernetes:exoshift"; "": objects that are written on conditions.
	Lock string `json:"lock,omitempty"`
	// Unconditional: the storage does not honour conditional writes, so that the lock alone keeps others away.
	Unconditional bool   `json:"unconditional,omitempty"`
	Nonce         string `json:"nonce"`
	MAC           string `json:"mac"`
}

// Place is a store that holds the clusters of a team.
type Place struct {
	repository
	leases  lease.Store
	version store.Version // of the configuration
}

// Options are what a place is opened with.
type Options struct {
	Store      store.Store
	Leases     lease.Store    // may be the same; without versions
	Identities []age.Identity // of whoever opens it
	Memory     *Memory        // what this machine has seen of it
	Lock       string         // of Initialize: see Config.Lock
	// Configure changes Store and Leases to what the configuration says, once that is authenticated; nil leaves them.
	Configure func(Config, *Options) error
}

// Initialize makes a place for these recipients. It fails with fs.ErrExist if the store is one.
func Initialize(ctx context.Context, o Options, recipients []string) (Config, error) {
	const op = "set up shared state"
	if _, err := o.Store.Get(ctx, configKey); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return Config{}, fmt.Errorf("%s: %w", op, err)
	}
	config := Config{Format: format, ID: rand.Text(), Created: time.Now().UTC(), Recipients: recipients, Lock: o.Lock}
	switch err := store.CheckConditions(ctx, o.Store, ""); {
	case o.Lock != "" && fault.Is(err, fault.Invalid):
		config.Unconditional = true
	case err != nil:
		return Config{}, err
	}
	if o.Configure != nil {
		if err := o.Configure(config, &o); err != nil {
			return Config{}, err
		}
	}
	key := make([]byte, keyLength)
	_, _ = rand.Read(key) // it never fails
	config, err := config.seal(key)
	if err != nil {
		return Config{}, err
	}
	if _, err := o.Store.Put(ctx, configKey, encode(config), ""); err != nil {
		return Config{}, fmt.Errorf("%s: %w", op, err)
	}
	return config, nil
}

// seal encrypts the key to the recipients, and authenticates the configuration.
func (c Config) seal(key []byte) (Config, error) {
	s, err := newSealer(key, c.Recipients)
	if err != nil {
		return c, err
	}
	sealed, err := s.seal(key)
	if err != nil {
		return c, err
	}
	c.Key, c.Nonce, c.MAC = sealed, rand.Text(), ""
	c.MAC = s.authenticate(encode(c))
	return c, nil
}

// ReadConfig reads what a store says of itself, which only Open authenticates. It fails with fs.ErrNotExist if it is no place.
func ReadConfig(ctx context.Context, s store.Store) (Config, error) {
	config, _, err := readConfig(ctx, s)
	return config, err
}

func readConfig(ctx context.Context, s store.Store) (config Config, version store.Version, err error) {
	const op = "open shared state"
	object, err := s.Get(ctx, configKey)
	if errors.Is(err, fs.ErrNotExist) {
		return config, "", fault.New(fault.NotFound, op, err).WithHint("set it up: exoshift state init")
	}
	if err == nil {
		err = decode(object.Content, &config)
	}
	if err != nil {
		return config, "", fmt.Errorf("%s: %w", op, err)
	}
	return config, object.Version, nil
}

// Open opens a place. It fails with fs.ErrNotExist if the store is none.
func Open(ctx context.Context, o Options) (*Place, error) {
	const op = "open shared state"
	config, version, err := readConfig(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	key, err := unseal(config.Key, o.Identities)
	if err != nil {
		return nil, fault.New(fault.Denied, op, err).
			WithHint("set EXOSHIFT_AGE_IDENTITY to an identity of one of its recipients, or have yours added: exoshift state recipients add; it has %s", strings.Join(abbreviate(config.Recipients), ", "))
	}
	sealer, err := newSealer(key, config.Recipients)
	if err != nil {
		return nil, err
	}
	sealer.identities = o.Identities
	plain := config
	plain.MAC = ""
	if !sealer.isAuthentic(encode(plain), config.MAC) {
		return nil, newTampered(op, configKey)
	}
	if err := o.Memory.CheckPlace(config.ID, key); err != nil {
		return nil, err
	}
	if o.Configure != nil {
		if err := o.Configure(config, &o); err != nil {
			return nil, err
		}
	}
	return &Place{repository: repository{store: o.Store, sealer: sealer, memory: o.Memory, config: config}, leases: o.Leases, version: version}, nil
}

// ID identifies the place, whatever its address.
func (p *Place) ID() string { return p.config.ID }

// Lock is what holds the locks of its clusters; "": objects that are written on conditions.
func (p *Place) Lock() string { return p.config.Lock }

// Recipients are those that what is secret is encrypted to.
func (p *Place) Recipients() []string { return p.config.Recipients }

// List returns the IDs of the clusters, sorted.
func (p *Place) List(ctx context.Context) ([]string, error) {
	keys, err := p.store.List(ctx, clustersPrefix)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, key := range keys {
		if id, isHead := strings.CutSuffix(strings.TrimPrefix(key, clustersPrefix), "/"+headName); isHead {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// ReadLease returns who holds the lock of a cluster; a nil holder: nobody does.
func (p *Place) ReadLease(ctx context.Context, id string) (lease.Record, error) {
	record, _, err := lease.Read(ctx, p.leases, id)
	return record, err
}

// abbreviate returns the beginning of each recipient, or the comment of an SSH key.
func abbreviate(recipients []string) []string {
	short := make([]string, len(recipients))
	for n, recipient := range recipients {
		short[n] = recipient
		if words := strings.Fields(recipient); len(words) > 2 {
			short[n] = words[0] + " " + words[len(words)-1]
		}
	}
	return short
}

func encode(value any) []byte {
	content, _ := json.Marshal(value) // plain values of this package
	return content
}

// decode checks the format of a document before it reads the rest.
func decode(content []byte, into any) error {
	var head struct {
		Format int `json:"v"`
	}
	if err := json.Unmarshal(content, &head); err != nil {
		return fault.New(fault.Invalid, "read a document of shared state", fmt.Errorf("it is truncated or damaged: %w", err))
	}
	if head.Format != format {
		return fault.Newf(fault.Invalid, "read a document of shared state", "it has format %d; this version of exoshift reads %d", head.Format, format).
			WithHint("update exoshift")
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fault.New(fault.Invalid, "read a document of shared state", err)
	}
	return nil
}

func newTampered(op, key string) error {
	return fault.Newf(fault.Invalid, op, "%s was not written by a member of the team: its authentication code is wrong", key).
		WithHint("someone else can write to this storage: restore an earlier version of the object, and replace the storage's keys")
}
