// Package syn is Lieutenant with its operator, and the single sign-on that its users pass. Lieutenant answers as its code
// does, which is not everywhere what its description says.
//
// Nothing runs by itself: what the operator would have done by now is done as soon as anybody looks.
package syn

import (
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
)

// Config is what Lieutenant and the sign-on need of the world.
type Config struct {
	DB *store.DB
	// Clock is the time of Lieutenant and its operator.
	Clock network.Clock
	// Now is what the clock of the sign-on shows to whoever asks from an address; nil is the wall clock. Sign-ins live by the
	// wall clock as certificates do: whoever gets a token looks at its end by the clock of their machine.
	Now func(asker netip.Addr) time.Time
	// HostKey is the line of known hosts of the Git host: "git.example.net ssh-ed25519 AAAA…".
	HostKey string
	// Repositories are those of the Git host; nil: nobody makes any.
	Repositories Repositories
	// Secrets are those of Vault; nil: nobody keeps any.
	Secrets Secrets
	Faults  Faults
}

// Repositories makes, changes and archives Git repositories, by their paths without ".git". All may be repeated.
type Repositories interface {
	Create(path string) error
	Archive(path string) error
	// Files returns the files of the newest commit.
	ReadFiles(path string) (files map[string][]byte, commit string, err error)
	// Commit changes files; those whose content is nil are deleted.
	Commit(path, message string, files map[string][]byte) (commit string, err error)
}

// Secrets keeps secrets of clusters by their paths below the mount.
type Secrets interface {
	Put(path string, values map[string]string) error
	SoftDeleteBelow(path string) error
}

// Faults are what is wrong with Lieutenant. The zero Troubles are none.
type Faults struct {
	// TokenLife is how long a bootstrap token lives; 0 is as long as usual.
	TokenLife time.Duration
	// UsedAfter is how long after its creation somebody else uses the bootstrap token of a cluster; 0 is never.
	UsedAfter time.Duration
}

// Syn is Lieutenant and the sign-on. It is safe for concurrent use.
type Syn struct {
	config Config

	mu       sync.Mutex // guards the tables' consistency
	tenants  *store.Table[tenant]
	clusters *store.Table[cluster]
	keysLock sync.Mutex // of keys
	keys     *store.Table[secretKey]
	grants   *store.Table[grant]
}

// New returns what config.DB holds, or a Lieutenant with its first tenants.
func New(config Config) (*Syn, error) {
	if config.Now == nil {
		config.Now = func(netip.Addr) time.Time { return time.Now() }
	}
	s := &Syn{config: config}
	var err error
	if s.tenants, err = store.Load[tenant](config.DB, "syn/tenant"); err != nil {
		return nil, err
	}
	if s.clusters, err = store.Load[cluster](config.DB, "syn/cluster"); err != nil {
		return nil, err
	}
	if s.keys, err = store.Load[secretKey](config.DB, "syn/key"); err != nil {
		return nil, err
	}
	if s.grants, err = store.Load[grant](config.DB, "syn/grant"); err != nil {
		return nil, err
	}
	return s, s.createInitial()
}

// now is the time of Lieutenant.
func (s *Syn) now() time.Time { return s.config.Clock.Now() }
