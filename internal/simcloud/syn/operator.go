package syn

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"
)

const (
	// preparing is the delay of the operator for a new cluster, and ending that for a deleted one.
	preparing = 3 * time.Second
	ending    = 2 * time.Second
	// tokenLife is the validity of a bootstrap token.
	tokenLife = 24 * time.Hour
	// syncPeriod is the interval at which the operator reconciles unchanged objects.
	syncPeriod = 5 * time.Minute

	protectedDelete = "syn.tools/protected-delete"
	autoRepo        = "auto"
	unmanagedRepo   = "unmanaged"
)

// Reconcile does what the operator would have done by now.
func (s *Syn) Reconcile() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reconcileAll()
}

func (s *Syn) reconcileAll() error {
	var err error
	for _, t := range s.tenants.List() {
		switch {
		case t.Annotations[protectedDelete] == "":
			t = t.clone()
			t.Annotations[protectedDelete] = "true"
			err = errors.Join(err, s.tenants.Put(t.ID, t))
		case s.isDeletionDue(t.Deleted, t.Annotations):
			err = errors.Join(err, s.archiveRepository(t.URL), s.tenants.Delete(t.ID))
		}
	}
	for _, c := range s.clusters.List() {
		err = errors.Join(err, s.reconcileCluster(c))
	}
	return err
}

func (s *Syn) hasElapsed(since time.Time, period time.Duration) bool {
	return !s.now().Before(since.Add(period))
}

// isDeletionDue reports whether a deletion was requested long enough ago. Protected objects are kept.
func (s *Syn) isDeletionDue(deleted time.Time, annotations map[string]string) bool {
	return !deleted.IsZero() && annotations[protectedDelete] != "true" && s.hasElapsed(deleted, ending)
}

func (s *Syn) reconcileCluster(c cluster) error {
	before := c.Token
	switch {
	case !c.Prepared && !s.hasElapsed(c.Created, preparing):
		return nil
	case !c.Prepared, c.Annotations[protectedDelete] == "":
		prepared, err := s.prepare(c.clone())
		if err != nil {
			return err
		}
		c = prepared
	}
	if s.isDeletionDue(c.Deleted, c.Annotations) {
		return s.end(c)
	}
	c.Token = s.updateToken(c)
	if c.Token == before {
		return nil
	}
	return s.clusters.Put(c.ID, c)
}

// prepare creates what the operator provides and the cluster lacks: a repository, a token, and its secrets in Vault.
func (s *Syn) prepare(c cluster) (cluster, error) {
	if c.Type != unmanagedRepo {
		c.Type = autoRepo
		if c.URL == "" {
			c.URL = gitBase + "syn/cluster-catalogs/" + c.ID + ".git"
		}
		c.HostKeys = s.config.HostKey
	}
	if c.Annotations[protectedDelete] == "" {
		c.Annotations[protectedDelete] = "true"
	}
	if !c.Prepared {
		c.Token = bootstrapToken{Secret: generateToken(), ValidUntil: c.Created.Add(preparing + s.getTokenLife()), Valid: true}
	}
	c.Prepared = true
	account, err := s.ensureAccountToken(c.ID)
	if err != nil {
		return c, err
	}
	err = errors.Join(s.createRepository(c.URL), s.registerFile(c))
	if s.config.Secrets != nil {
		err = errors.Join(err, s.config.Secrets.Put(c.Tenant+"/"+c.ID+"/steward", map[string]string{"token": account}))
	}
	return c, errors.Join(err, s.clusters.Put(c.ID, c))
}

func (s *Syn) getTokenLife() time.Duration {
	if life := s.config.Faults.TokenLife; life > 0 {
		return life
	}
	return tokenLife
}

// updateToken returns a cluster's token as of now. Its expiry is recorded at the operator's next reconciliation only.
func (s *Syn) updateToken(c cluster) bootstrapToken {
	token := c.Token
	if after := s.config.Faults.UsedAfter; after > 0 && !token.Taken && s.hasElapsed(c.Created, after) {
		token.Valid, token.Taken = false, true
	}
	looked := c.Created.Add(preparing + syncPeriod/2)
	if due := s.now().Sub(looked); due >= 0 && looked.Add(due.Truncate(syncPeriod)).After(token.ValidUntil) {
		token.Valid = false
	}
	return token
}

// end applies the deletion policy: the repository is archived, and secrets are soft-deleted.
func (s *Syn) end(c cluster) error {
	err := errors.Join(s.archiveRepository(c.URL), s.removeFile(c))
	if s.config.Secrets != nil {
		err = errors.Join(err, s.config.Secrets.SoftDeleteBelow(c.Tenant+"/"+c.ID))
	}
	return errors.Join(err, s.clusters.Delete(c.ID))
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

func generateToken() string {
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // never fails
	return base64.URLEncoding.EncodeToString(secret)
}
