// Package syn is Lieutenant with its operator, and the single sign-on of its users. Lieutenant behaves as its code
// does, which differs from its description in places.
//
// There is no background goroutine: each request first reconciles what the operator would have done by now.
package syn

import (
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// Config configures Lieutenant and the sign-on.
type Config struct {
	DB *store.DB
	// Clock is the clock of Lieutenant and its operator.
	Clock network.Clock
	// Now is the sign-on's time for a client's address; nil is the wall clock. Sign-ins expire by the wall clock as certificates
	// do: clients check a token's expiry by their machine's clock.
	Now func(asker netip.Addr) time.Time
	// HostKey is the Git host's line in known_hosts: "git.example.net ssh-ed25519 AAAA…".
	HostKey string
	// Repositories are those of the Git host; nil: none are created.
	Repositories Repositories
	// Secrets are those of Vault; nil: none are stored.
	Secrets Secrets
	Faults  scenario.Lieutenant
}

// Repositories creates, changes and archives Git repositories, by their paths without ".git". All methods are idempotent.
type Repositories interface {
	Create(path string) error
	Archive(path string) error
	// ReadFiles returns the files of the newest commit.
	ReadFiles(path string) (files map[string][]byte, commit string, err error)
	// Commit changes files; those whose content is nil are deleted.
	Commit(path, message string, files map[string][]byte) (commit string, err error)
}

// Secrets stores secrets of clusters by their paths below the mount.
type Secrets interface {
	Put(path string, values map[string]string) error
	SoftDeleteBelow(path string) error
	RemoveBelow(path string) error
}

// Syn is Lieutenant and the sign-on. It is safe for concurrent use.
type Syn struct {
	Lieutenant *Lieutenant
	SignOn     *SignOn

	mu sync.Mutex // guards the consistency of records
	*records
	operator *operator
	accounts *accounts
}

// New returns the state in config.DB, or a Lieutenant with its first tenants.
func New(config Config) (*Syn, error) {
	if config.Now == nil {
		config.Now = func(netip.Addr) time.Time { return time.Now() }
	}
	stored := &records{clock: config.Clock}
	var err error
	if stored.tenants, err = store.Load[tenant](config.DB, "syn/tenant"); err != nil {
		return nil, err
	}
	if stored.clusters, err = store.Load[cluster](config.DB, "syn/cluster"); err != nil {
		return nil, err
	}
	keys := &keyring{}
	if keys.table, err = store.Load[secretKey](config.DB, "syn/key"); err != nil {
		return nil, err
	}
	pending, err := store.Load[grant](config.DB, "syn/grant")
	if err != nil {
		return nil, err
	}
	s := &Syn{
		SignOn:  &SignOn{clock: config.Clock, serverTime: config.Now, keys: keys, grants: grants{pending}},
		records: stored, accounts: &accounts{keys: keys, clusters: stored.clusters},
	}
	s.operator = &operator{records: stored, config: config, accounts: s.accounts}
	s.Lieutenant = &Lieutenant{
		mu: &s.mu, operator: s.operator, accounts: s.accounts, signOn: s.SignOn,
		tenants: &tenantAPI{records: stored, operator: s.operator}, clusters: &clusterAPI{records: stored, faults: config.Faults},
		accepted: map[string]bool{},
	}
	return s, s.createInitial()
}

// Reconcile does what the operator would have done by now.
func (s *Syn) Reconcile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.operator.reconcileAll()
}

// ResetToken replaces the cluster's bootstrap token, as an administrator of Lieutenant's objects does.
func (s *Syn) ResetToken(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.clusters.Get(id)
	if !ok {
		return newNotFound(clusterKind, id)
	}
	c.Token = bootstrapToken{Secret: generateToken(), ValidUntil: s.now().Add(tokenLife), Valid: true, Taken: true}
	return s.clusters.Put(id, c)
}

// CreateAPIToken returns a token of the service account with all permissions.
func (s *Syn) CreateAPIToken() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts.ensureToken(engineer)
}
