package githost

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
)

// engineer is the one account of the host; it maintains all projects.
const engineer = "engineer"

type token struct {
	ID      int
	Scopes  []string
	Created time.Time
}

const tokenLife = 365 * 24 * time.Hour

func (t token) hasScope(scopes ...string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(t.Scopes, scope) })
}

func (t token) canRead() bool { return t.hasScope("api", "read_repository", "write_repository") }

func (t token) canWrite() bool { return t.hasScope("api", "write_repository") }

type key struct {
	ID      int
	Key     string // "<type> <key>"
	Created time.Time
}

// Accounts are the tokens and keys that the host accepts.
type Accounts struct {
	clock        network.Clock
	mu           sync.Mutex // guards numbers
	tokens       *store.Table[token]
	keys         *store.Table[key]
	repositories *Repositories
	clusters     func(id string) (Cluster, bool)
}

// CreateToken creates a personal access token with scopes as GitLab's: api, read_api, read_repository, write_repository. The
// default is api. The host stores its hash only.
func (a *Accounts) CreateToken(scopes ...string) string {
	if len(scopes) == 0 {
		scopes = []string{"api"}
	}
	secret := make([]byte, 15)
	_, _ = rand.Read(secret) // never fails
	text := "glpat-" + base64.RawURLEncoding.EncodeToString(secret)
	a.mu.Lock()
	defer a.mu.Unlock()
	// A token that could not be stored is valid until the host is closed.
	_ = a.tokens.Put(hashSecret(text), token{ID: 1 + len(a.tokens.List()), Scopes: scopes, Created: a.clock.Now()})
	return text
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// AddKey authorizes an SSH key, one line as in authorized_keys.
func (a *Accounts) AddKey(line string) error {
	parsed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return fmt.Errorf("add an SSH key: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	text := formatKey(parsed)
	if _, known := a.keys.Get(text); known {
		return nil
	}
	return a.keys.Put(text, key{ID: 1 + len(a.keys.List()), Key: text, Created: a.clock.Now()})
}

func formatKey(public ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
}

// findDeployKey returns the path of the catalog that a deploy key may read.
func (a *Accounts) findDeployKey(public string) (string, bool) {
	for _, found := range a.repositories.table.List() {
		cluster, ok := a.clusters(found.clusterID())
		if ok && normalizePath(cluster.Catalog) == found.Path && isSameKey(cluster.DeployKey, public) {
			return found.Path, true
		}
	}
	return "", false
}

func isSameKey(line, public string) bool {
	fields := strings.Fields(line)
	return len(fields) >= 2 && fields[0]+" "+fields[1] == public
}

// findToken accepts each of GitLab's ways to send a token. given reports whether the request had any.
func (a *Accounts) findToken(r *http.Request) (found token, given, valid bool) {
	text := r.Header.Get("PRIVATE-TOKEN")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		text = bearer
	}
	if _, password, ok := r.BasicAuth(); ok {
		text = password
	}
	if text == "" {
		return token{}, false, false
	}
	found, ok := a.tokens.Get(hashSecret(text))
	return found, true, ok && a.clock.Now().Before(found.Created.Add(tokenLife))
}
