package install

import (
	"context"
	"encoding/json"
	"fmt"

	"exoshift/assets"
	"exoshift/provisioner"
	"exoshift/state"
)

// Each component that calls Exoscale gets a key of a role with its own permissions only. The keys are stored, in the
// folder or in Vault: the API returns a secret once.
func (i *Installation) ensureAccess(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, assets.ListPolicies(), func(ctx context.Context, policy string) error {
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
		return nil // whether the key exists is known to Vault only
	}
	kept, err := i.loadKey(ctx, report, policy)
	if err != nil {
		return err
	}
	kept.Name, kept.RoleID = i.spec.ObjectName(policy), role.ID
	action, err = i.clients.Cloud.EnsureAPIKey(ctx, kept, i.newKeySaver(ctx, report, policy))
	if err != nil {
		return err
	}
	report.EmitObject(state.KindAPIKey, kept.Name, "", string(action))
	return nil
}

func (i *Installation) loadKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	if !i.syn.IsConnected() {
		return i.folder.LoadAPIKey(i.spec.ObjectName(policy))
	}
	key, err := i.syn.LoadAPIKey(ctx, report, policy)
	key.Name = i.spec.ObjectName(policy)
	return key, err
}

// Vault takes precedence over the folder.
func (i *Installation) newKeySaver(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error {
	if !i.syn.IsConnected() {
		return i.folder.SaveAPIKey
	}
	return i.syn.KeepAPIKey(ctx, report, policy)
}

func (i *Installation) newRole(policy string) (state.IAMRole, error) {
	role := state.IAMRole{Name: i.spec.ObjectName(policy), Description: i.spec.ObjectDescription(policy), Labels: i.spec.Labels()}
	text, err := assets.RenderPolicy(policy, i.listPersistentBuckets())
	if err != nil {
		return role, err
	}
	if err := json.Unmarshal(text, &role.Policy); err != nil {
		return role, fmt.Errorf("policy %s: %w", policy, err)
	}
	return role, nil
}

// They are created here because the cluster's own key may not create buckets.
func (i *Installation) listPersistentBuckets() []string {
	var buckets []string
	for _, purpose := range state.ListPersistentBuckets() {
		buckets = append(buckets, i.spec.Bucket(purpose))
	}
	return buckets
}

func (i *Installation) ensureBuckets(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, i.listPersistentBuckets(), func(ctx context.Context, bucket string) error {
		action, err := i.clients.Objects.EnsureBucket(ctx, bucket)
		if err != nil {
			return err
		}
		report.EmitObject(state.KindBucket, bucket, "", string(action))
		return nil
	})
}
