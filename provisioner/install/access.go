package install

import (
	"context"
	"encoding/json"
	"fmt"

	"exoshift/assets"
	"exoshift/provisioner"
	"exoshift/state"
)

// ensureAccess makes an API key for each part of the cluster that speaks to Exoscale, with a role that allows what that part
// does and nothing else. The keys are kept, in the folder or in Vault: Exoscale tells a secret once.
func (i *Installation) ensureAccess(ctx context.Context, report provisioner.Report) error {
	return forEachParallel(ctx, assets.ListPolicies(), func(ctx context.Context, policy string) error {
		return i.ensureRestrictedKey(ctx, report, policy)
	})
}

func (i *Installation) ensureRestrictedKey(ctx context.Context, report provisioner.Report, policy string) error {
	role, err := i.newRole(policy)
	if err != nil {
		return err
	}
	role, action, err := i.clients.Cloud.EnsureRole(ctx, role)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindRole, role.Name, role.ID, string(action))
	if i.syn.IsSignedOut() {
		return nil // whether it has its key, only Vault can tell
	}
	kept, err := i.loadKey(ctx, report, policy)
	if err != nil {
		return err
	}
	kept.Name, kept.RoleID = i.formatName(policy), role.ID
	action, err = i.clients.Cloud.EnsureAPIKey(ctx, kept, i.newKeySaver(ctx, report, policy))
	if err != nil {
		return err
	}
	report.EmitObject(state.KindAPIKey, kept.Name, "", string(action))
	return nil
}

// loadKey returns the API key of a policy that an earlier step or run has kept, or one without key and secret.
func (i *Installation) loadKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	if !i.syn.IsConnected() {
		return i.folder.LoadAPIKey(i.formatName(policy))
	}
	key, err := i.syn.LoadAPIKey(ctx, report, policy)
	key.Name = i.formatName(policy)
	return key, err
}

// newKeySaver keeps an API key where it belongs: in Vault where there is one, else in the folder.
func (i *Installation) newKeySaver(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error {
	if !i.syn.IsConnected() {
		return i.folder.SaveAPIKey
	}
	return i.syn.KeepAPIKey(ctx, report, policy)
}

func (i *Installation) newRole(policy string) (state.IAMRole, error) {
	role := state.IAMRole{Name: i.formatName(policy), Description: i.formatDescription(policy), Labels: i.buildLabels()}
	text, err := assets.RenderPolicy(policy, i.listPersistentBuckets())
	if err != nil {
		return role, err
	}
	if err := json.Unmarshal(text, &role.Policy); err != nil {
		return role, fmt.Errorf("policy %s: %w", policy, err)
	}
	return role, nil
}

// listPersistentBuckets are the buckets that the cluster works with as long as it lives. They are made here because its key may
// not make buckets.
func (i *Installation) listPersistentBuckets() []string {
	var buckets []string
	for _, purpose := range state.ListPersistentBuckets() {
		buckets = append(buckets, i.spec.Bucket(purpose))
	}
	return buckets
}

func (i *Installation) ensureBuckets(ctx context.Context, report provisioner.Report) error {
	return forEachParallel(ctx, i.listPersistentBuckets(), func(ctx context.Context, bucket string) error {
		action, err := i.clients.Objects.EnsureBucket(ctx, bucket)
		if err != nil {
			return err
		}
		report.EmitObject(state.KindBucket, bucket, "", string(action))
		return nil
	})
}
