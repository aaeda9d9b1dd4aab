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

// operator creates, keeps and removes what belongs to tenants and clusters.
type operator struct {
	*records
	config   Config
	accounts *accounts
}

func (o *operator) reconcileAll() error {
	var err error
	for _, t := range o.tenants.List() {
		switch {
		case t.Annotations[protectedDelete] == "":
			t = t.clone()
			t.Annotations[protectedDelete] = "true"
			err = errors.Join(err, o.tenants.Put(t.ID, t))
		case o.isDeletionDue(t.Deleted, t.Annotations):
			err = errors.Join(err, o.archiveRepository(t.URL), o.tenants.Delete(t.ID))
		}
	}
	for _, c := range o.clusters.List() {
		err = errors.Join(err, o.reconcileCluster(c))
	}
	return err
}

func (o *operator) hasElapsed(since time.Time, period time.Duration) bool {
	return !o.now().Before(since.Add(period))
}

// isDeletionDue reports whether a deletion was requested long enough ago. Protected objects are kept.
func (o *operator) isDeletionDue(deleted time.Time, annotations map[string]string) bool {
	return !deleted.IsZero() && annotations[protectedDelete] != "true" && o.hasElapsed(deleted, ending)
}

func (o *operator) reconcileCluster(c cluster) error {
	before := c.Token
	switch {
	case !c.Prepared && (!o.hasElapsed(c.Created, preparing) || !o.hasTenant(c.Tenant)):
		return nil
	case !c.Prepared, c.Annotations[protectedDelete] == "":
		prepared, err := o.prepare(c.clone())
		if err != nil {
			return err
		}
		c = prepared
	}
	if o.isDeletionDue(c.Deleted, c.Annotations) {
		return o.end(c)
	}
	c.Token = o.updateToken(c)
	if c.Token == before {
		return nil
	}
	return o.clusters.Put(c.ID, c)
}

// prepare creates what the operator provides and the cluster lacks: a repository, a token, and its secrets in Vault.
func (o *operator) prepare(c cluster) (cluster, error) {
	if c.Type != unmanagedRepo {
		c.Type = autoRepo
		if c.URL == "" {
			c.URL = gitBase + "syn/cluster-catalogs/" + c.ID + ".git"
		}
		c.HostKeys = o.config.HostKey
	}
	if c.Annotations[protectedDelete] == "" {
		c.Annotations[protectedDelete] = "true"
	}
	if !c.Prepared {
		c.Token = bootstrapToken{Secret: generateToken(), ValidUntil: c.Created.Add(preparing + o.getTokenLife()), Valid: true}
	}
	c.Prepared = true
	account, err := o.accounts.ensureToken(c.ID)
	if err != nil {
		return c, err
	}
	err = errors.Join(o.createRepository(c.URL), o.registerFile(c))
	if o.config.Secrets != nil {
		err = errors.Join(err, o.config.Secrets.Put(c.Tenant+"/"+c.ID+"/steward", map[string]string{"token": account}))
	}
	return c, errors.Join(err, o.clusters.Put(c.ID, c))
}

func (o *operator) getTokenLife() time.Duration {
	if life := o.config.Faults.TokenLife; life > 0 {
		return life
	}
	return tokenLife
}

// updateToken returns a cluster's token as of now. Its expiry is recorded at the operator's next reconciliation only.
func (o *operator) updateToken(c cluster) bootstrapToken {
	token := c.Token
	if after := o.config.Faults.UsedAfter; after > 0 && !token.Taken && o.hasElapsed(c.Created, after) {
		token.Valid, token.Taken = false, true
	}
	looked := c.Created.Add(preparing + syncPeriod/2)
	if due := o.now().Sub(looked); due >= 0 && looked.Add(due.Truncate(syncPeriod)).After(token.ValidUntil) {
		token.Valid = false
	}
	return token
}

// end applies the deletion policy: the repository is archived, and secrets are soft-deleted, or removed with their metadata.
func (o *operator) end(c cluster) error {
	err := errors.Join(o.archiveRepository(c.URL), o.removeFile(c))
	if o.config.Secrets != nil {
		remove := o.config.Secrets.SoftDeleteBelow
		if o.config.Faults.DeletesSecrets {
			remove = o.config.Secrets.RemoveBelow
		}
		err = errors.Join(err, remove(c.Tenant+"/"+c.ID))
	}
	return errors.Join(err, o.clusters.Delete(c.ID))
}

func generateToken() string {
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // never fails
	return base64.URLEncoding.EncodeToString(secret)
}
