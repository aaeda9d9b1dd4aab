// Package rotation replaces the API keys that a cluster uses: a new key is made, put where the old one is, proven to be used, and only then is
// the old one deleted. At any moment a valid key is in the cluster, or can be made again.
package rotation

import (
	"context"
	"slices"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/rotation"
)

// Cloud has the API keys of the organization, and what controllers of the cluster make with them.
type Cloud interface {
	// CheckKeyRights returns fault.Denied unless the program's own credentials may create and delete keys, and list events.
	CheckKeyRights(ctx context.Context, name string) error
	// ListAPIKeys returns all keys of a name, without secrets.
	ListAPIKeys(ctx context.Context, name string) ([]state.APIKey, error)
	// CreateAPIKey creates one more key of that name and role, and passes it with its secret to keep.
	CreateAPIKey(ctx context.Context, wanted state.APIKey, keep func(state.APIKey) error) (state.APIKey, error)
	// DeleteAPIKey deletes a key by its ID: state.Found if it is gone already.
	DeleteAPIKey(ctx context.Context, key state.APIKey) (state.Action, error)
	// ListKeyCalls returns the changes that were requested with a key since a time.
	ListKeyCalls(ctx context.Context, key string, since time.Time) ([]rotation.Call, error)
	// ListObjectsByKind returns the objects of one kind.
	ListObjectsByKind(ctx context.Context, kind string) ([]state.Object, error)
	// Delete deletes an object, and waits until it is gone.
	Delete(ctx context.Context, o state.Object) (state.Action, error)
}

// Cluster is the API of the cluster.
type Cluster interface {
	nodes.Poller
	// ListKeyHolders returns the Secrets that hold one of these keys.
	ListKeyHolders(ctx context.Context, keys ...state.APIKey) ([]rotation.Holder, error)
	// ReadKey returns the key in a Secret; an empty one if there is no such Secret.
	ReadKey(ctx context.Context, holder rotation.Holder) (state.APIKey, error)
	// ReplaceKey puts a key into a Secret in the place of the one that is expected there.
	ReplaceKey(ctx context.Context, holder rotation.Holder, key state.APIKey) (state.Action, error)
	// RefreshApplications has Argo CD read everything again, also what is in Vault.
	RefreshApplications(ctx context.Context) error
	// RestartReader replaces the pods of a workload, unless they are for that key: state.Found.
	RestartReader(ctx context.Context, namespace, reader, key string, now time.Time) (state.Action, error)
	// CheckReader returns fault.Transient until every pod of a workload is a new one and available.
	CheckReader(ctx context.Context, namespace, reader string) error
	// EnsureTrialService and EnsureTrialVolume create what has a controller change the cloud, and return the name of what it makes there.
	EnsureTrialService(ctx context.Context) (loadBalancer string, err error)
	EnsureTrialVolume(ctx context.Context) (volume string, err error)
	// CheckTrialPod returns fault.Transient until a pod runs that has the volume.
	CheckTrialPod(ctx context.Context) error
	// EndTrials deletes all of that: state.Found if nothing of it is left.
	EndTrials(ctx context.Context) (state.Action, error)
}

// Storage is the object storage by a key that is given.
type Storage interface {
	// CheckAccess writes, reads and deletes an object in a bucket.
	CheckAccess(ctx context.Context, key state.APIKey, bucket string) error
}

// Clients are what keys are rotated with.
type Clients struct {
	Cloud   Cloud
	Cluster Cluster
	Storage Storage
	Clock   provisioner.Clock
}

// Kinds of API keys, as they are named by the verb.
const (
	KindCloudController = "ccm"
	KindVolumes         = "csi"
	KindRegistry        = "registry"
	KindBackup          = "backup"
)

// ListKinds returns all kinds.
func ListKinds() []string {
	return []string{KindCloudController, KindVolumes, KindRegistry, KindBackup}
}

// Options are what a rotation is about.
type Options struct {
	Kinds   []string // none: all that the cluster uses
	Store   access.KeyStore
	IsVault bool // the store is Vault, and Argo CD applies what is there
	Journal state.Recorder
}

// Rotation rotates API keys of a cluster.
type Rotation struct {
	spec    state.Spec
	facts   *state.FactsStore
	clients Clients
	options Options
	review  Review // the last one
}

// New is for the cluster of these answers.
func New(spec state.Spec, facts *state.FactsStore, clients Clients, options Options) *Rotation {
	return &Rotation{spec: spec, facts: facts, clients: clients, options: options}
}

// use is what the cluster uses a key of a policy for.
type use struct {
	policy string
	id     string            // in the IDs of steps
	title  string            // who uses it
	known  []rotation.Holder // where an installation, or Project Syn, puts it
}

const registryNamespace = "openshift-image-registry"

func listUses() []use {
	return []use{
		{assets.PolicyCloudController, "ccm", "the cloud controller", []rotation.Holder{
			{Namespace: "syn-exoscale-cloud-controller-manager", Name: "exoscale-credentials", KeyField: "api-key", SecretField: "api-secret"},
			{Namespace: "exoscale-cloud-controller-manager", Name: "exoscale-credentials", KeyField: "api-key", SecretField: "api-secret"},
		}},
		{assets.PolicyVolumes, "csi", "the storage driver", []rotation.Holder{
			{Namespace: "syn-csi-exoscale", Name: "exoscale-credentials", KeyField: "EXOSCALE_API_KEY", SecretField: "EXOSCALE_API_SECRET"},
			{Namespace: "exoscale-csi-driver", Name: "exoscale-credentials", KeyField: "EXOSCALE_API_KEY", SecretField: "EXOSCALE_API_SECRET"},
		}},
		{assets.PolicyStorage, "object-storage", "the image registry and backups", []rotation.Holder{
			{Namespace: registryNamespace, Name: "image-registry-private-configuration-user", KeyField: "REGISTRY_STORAGE_S3_ACCESSKEY", SecretField: "REGISTRY_STORAGE_S3_SECRETKEY"},
		}},
	}
}

func findUse(policy string) use {
	all := listUses()
	return all[slices.IndexFunc(all, func(u use) bool { return u.policy == policy })]
}

// mapPolicy returns the policy of the key of a kind.
func mapPolicy(kind string) string {
	switch kind {
	case KindCloudController:
		return assets.PolicyCloudController
	case KindVolumes:
		return assets.PolicyVolumes
	}
	return assets.PolicyStorage
}

// Phases of the steps, by which a failure has its exit code: those of an installation.
const (
	phaseCloud     = "infrastructure"
	phaseOperators = "operators"
)

// Plan returns the steps, each after the one before it.
func (r *Rotation) Plan() provisioner.Plan {
	plan := provisioner.Plan{{ID: "check", Title: "Check whether keys can be replaced now", Phase: phaseOperators, Usual: 10 * time.Second, Do: r.check}}
	for _, key := range r.review.Keys {
		j := &job{Rotation: r, use: findUse(key.Policy)}
		plan = append(plan,
			provisioner.Step{ID: "create-" + j.use.id, Title: "Create a new API key " + key.Name + ", and put it into its Secrets", Phase: phaseCloud, Usual: 10 * time.Second, Do: j.create},
			provisioner.Step{ID: "restart-" + j.use.id, Title: "Restart what reads the key, for " + j.use.title, Phase: phaseOperators, Usual: 2 * time.Minute, Do: j.restart},
			provisioner.Step{ID: "prove-" + j.use.id, Title: "Prove that the new key is used, by " + j.use.title, Phase: phaseOperators, Usual: 3 * time.Minute, Do: j.prove},
			provisioner.Step{ID: "revoke-" + j.use.id, Title: "Delete the old API key " + key.Name, Phase: phaseCloud, Usual: 5 * time.Second, Do: j.revoke},
		)
	}
	plan = append(plan, provisioner.Step{ID: "record", Title: "Record that the rotation has ended", Phase: phaseCloud, Do: r.record})
	for i := range plan[1:] {
		plan[i+1].Needs = []string{plan[i].ID}
	}
	return plan
}

// record forgets the rotation: the next one begins anew.
func (r *Rotation) record(context.Context, provisioner.Report) error {
	return r.facts.Update(func(facts *state.Facts) { facts.Rotation = nil })
}

// known returns the rotation that has begun and not ended; nil: there is none.
func (r *Rotation) known() *rotation.Keys { return r.facts.Get().Rotation }

// update changes what is recorded of a key, and stores it.
func (r *Rotation) update(policy string, change func(*rotation.Key)) error {
	return r.facts.Update(func(facts *state.Facts) {
		if facts.Rotation == nil {
			return
		}
		changed := *facts.Rotation
		changed.Keys = slices.Clone(changed.Keys)
		for i := range changed.Keys {
			if changed.Keys[i].Policy == policy {
				changed.Keys[i].Trials = slices.Clone(changed.Keys[i].Trials)
				change(&changed.Keys[i])
			}
		}
		facts.Rotation = &changed
	})
}

func (r *Rotation) recordOf(policy string) rotation.Key {
	if begun := r.known(); begun != nil {
		for _, key := range begun.Keys {
			if key.Policy == policy {
				return key
			}
		}
	}
	return rotation.Key{}
}

const pollInterval = 10 * time.Second

// repeat repeats a check until it succeeds, fails for good, or the limit has passed.
func (r *Rotation) repeat(limit time.Duration, check provisioner.StepFunc) provisioner.StepFunc {
	var failure error
	wait := provisioner.PollUntil(r.clients.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		if failure = check(ctx, report); fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})
	return func(ctx context.Context, report provisioner.Report) error {
		if err := wait(ctx, report); err != nil {
			return err
		}
		return failure
	}
}

// Undo has what proves the use of a key deleted, after a rotation that did not end. Keys stay as they are: the same command goes on with them.
func (r *Rotation) Undo(ctx context.Context) error {
	if r.known() == nil {
		return nil
	}
	_, err := r.clients.Cluster.EndTrials(ctx)
	return err
}
