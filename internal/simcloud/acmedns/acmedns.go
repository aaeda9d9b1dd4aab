// Package acmedns is acme-dns as joohoi's program serves it: a registration creates a name below one zone, and its credentials
// may publish the responses to an authority's challenges there.
package acmedns

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/store"
)

// DefaultZone is the zone of the names.
const DefaultZone = "acme-dns.vshn.net"

// Config configures a server.
type Config struct {
	DB   *store.DB
	Zone string // "": DefaultZone
}

// Server serves acme-dns.
type Server struct {
	zone     string
	accounts *store.Table[account]
}

// account is stored by its subdomain.
type account struct {
	Subdomain, User string
	Password        string   // its hash
	AllowFrom       []string // networks that may update; empty: all
	TXT             []string // the newest first
}

// keptValues is the number of TXT values: a name and its wildcard are validated together.
const keptValues = 2

// New returns a server whose accounts are in db.
func New(config Config) (*Server, error) {
	accounts, err := store.Load[account](config.DB, "acmedns/account")
	if config.Zone == "" {
		config.Zone = DefaultZone
	}
	return &Server{zone: config.Zone, accounts: accounts}, err
}

// TXT returns the records of a name, and whether there is such an account.
func (s *Server) TXT(name string) (values []string, known bool) {
	subdomain, inZone := strings.CutSuffix(strings.ToLower(strings.TrimSuffix(name, ".")), "."+s.zone)
	found, known := s.accounts.Get(subdomain)
	return slices.Clone(found.TXT), inZone && known
}

// register returns the account's password, which is stored as a hash only.
func (s *Server) register(allowFrom []string) (account, string, error) {
	made := account{Subdomain: uuid.NewString(), User: uuid.NewString(), AllowFrom: allowFrom}
	password := strings.ReplaceAll(uuid.NewString()+uuid.NewString(), "-", "")[:40]
	made.Password = hashPassword(password)
	return made, password, s.accounts.Put(made.Subdomain, made)
}

func hashPassword(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

func (s *Server) findAccount(subdomain, user, password string, from netip.Addr) (account, bool) {
	found, ok := s.accounts.Get(subdomain)
	right := subtle.ConstantTimeCompare([]byte(found.Password), []byte(hashPassword(password))) == 1
	return found, ok && right && found.User == user && isAllowed(found.AllowFrom, from)
}

func isAllowed(networks []string, from netip.Addr) bool {
	return len(networks) == 0 || slices.ContainsFunc(networks, func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err == nil && prefix.Contains(from)
	})
}

// challenge is the value of an ACME challenge in a TXT record: 32 bytes in base64 without padding.
var challenge = regexp.MustCompile(`^[-_A-Za-z0-9]{43}$`)

func (s *Server) update(of account, txt string) error {
	of.TXT = append([]string{txt}, of.TXT...)
	of.TXT = of.TXT[:min(keptValues, len(of.TXT))]
	return s.accounts.Put(of.Subdomain, of)
}
