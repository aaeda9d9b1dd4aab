package conformance

import (
	"context"
	"net/http"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/objects"
)

// bucketAnswers is the purpose of the bucket that machines put their answers into. No policy of the cluster's own keys names it.
const bucketAnswers = "bootstrap"

// accessPart looks at keys and what they may do.
type accessPart struct{ *run }

// settleSSHKey registers one public key under two names.
func (r accessPart) settleSSHKey(ctx context.Context) error {
	register := func(name string) error {
		body := map[string]string{"name": name, "public-key": r.spec.OpenShift.SSHKey}
		return r.raw.Execute(ctx, "register SSH key "+name, http.MethodPost, "/ssh-key", body)
	}
	if err := register(r.spec.SSHKeyName()); err != nil {
		return err
	}
	err := register(r.spec.SSHKeyName() + "-again")
	switch {
	case err == nil:
		r.ledger.settle(KnownSSHKey, false, "a public key can be registered under a second name; an installation registers none and does not depend on it")
	case isRefused(err):
		r.ledger.settle(KnownSSHKey, true, "a public key that is registered under another name is rejected, so keys are reused: %v", err)
	default:
		return err
	}
	return nil
}

// policyLimit is how long, by the zone's clock, a new key may need until its policy is known everywhere.
const (
	policyLimit = 2 * time.Minute
	policyPause = 5 * time.Second
)

// settleRoles makes the roles and keys of a cluster, and works with the one for its buckets.
func (r accessPart) settleRoles(ctx context.Context) error {
	keys := access.NewKeys(r.spec, r.cloud, access.FolderStore{Spec: r.spec, Folder: r.folder})
	if err := keys.Ensure(ctx, r.report); err != nil {
		return err
	}
	key, err := keys.Load(ctx, r.report, assets.PolicyStorage)
	if err != nil {
		return err
	}
	theirs, err := objects.New(r.options.Network, r.options.Zone, key.Key, key.Secret, r.journal)
	if err != nil {
		return err
	}
	defer theirs.Close()
	own := access.ListPersistentBuckets(r.spec)[0]
	err = r.retry(ctx, policyLimit, policyPause, func() error {
		_, err := theirs.EnsureObject(ctx, own, "conformance", []byte("written by the cluster's own key"))
		return err
	})
	r.ledger.check(OwnBucket, err, "a key with the role of a cluster's object storage writes into the cluster's own buckets")
	if err != nil {
		return err
	}
	return r.settleOtherBucket(ctx, theirs)
}

func (r accessPart) settleOtherBucket(ctx context.Context, theirs *objects.Client) error {
	const key = "conformance"
	other := r.spec.Bucket(bucketAnswers)
	if _, err := r.storage.EnsureObject(ctx, other, key, []byte("not for the cluster's own key")); err != nil {
		return err
	}
	_, err := theirs.GetObject(ctx, other, key, 1<<10)
	switch {
	case err == nil:
		r.ledger.settle(OtherBucket, false, "a key with this role can also read another bucket of the organization: the cluster's software could read all buckets")
	case fault.Is(err, fault.Denied):
		r.ledger.settle(OtherBucket, true, "the same key is rejected for every other bucket")
	default:
		return err
	}
	return nil
}
