package install

import (
	"context"
	"encoding/json"
	"fmt"

	"exoshift/assets"
	"exoshift/provisioner"
	"exoshift/state"
)

// access makes an API key for each part of the cluster that speaks to Exoscale, with a role that allows what that part
// does and nothing else. The keys are kept, in the folder or in Vault: Exoscale tells a secret once.
func (i *Installation) access(ctx context.Context, report provisioner.Report) error {
	return sideBySide(ctx, assets.Policies(), func(ctx context.Context, policy string) error {
		return i.restrictedKey(ctx, report, policy)
	})
}

func (i *Installation) restrictedKey(ctx context.Context, report provisioner.Report, policy string) error {
	role, err := i.role(policy)
	if err != nil {
		return err
	}
	role, action, err := i.world.Cloud.EnsureRole(ctx, role)
	if err != nil {
		return err
	}
	report.Object(state.KindRole, role.Name, role.ID, string(action))
	if i.syn.Unseen() {
		return nil // whether it has its key, only Vault can tell
	}
	kept, err := i.keptKey(ctx, report, policy)
	if err != nil {
		return err
	}
	kept.Name, kept.RoleID = i.name(policy), role.ID
	action, err = i.world.Cloud.EnsureAPIKey(ctx, kept, i.keeper(ctx, report, policy))
	if err != nil {
		return err
	}
	report.Object(state.KindAPIKey, kept.Name, "", string(action))
	return nil
}

// keptKey returns the API key of a policy that an earlier step or run has kept, or one without key and secret.
func (i *Installation) keptKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	if !i.syn.Connected() {
		return i.folder.APIKey(i.name(policy))
	}
	key, err := i.syn.APIKey(ctx, report, policy)
	key.Name = i.name(policy)
	return key, err
}

// keeper keeps an API key where it belongs: in Vault where there is one, else in the folder.
func (i *Installation) keeper(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error {
	if !i.syn.Connected() {
		return i.folder.SaveAPIKey
	}
	return i.syn.KeepAPIKey(ctx, report, policy)
}

func (i *Installation) role(policy string) (state.IAMRole, error) {
	role := state.IAMRole{Name: i.name(policy), Description: i.about(policy), Labels: i.labels()}
	text, err := assets.Policy(policy, i.keptBuckets())
	if err != nil {
		return role, err
	}
	if err := json.Unmarshal(text, &role.Policy); err != nil {
		return role, fmt.Errorf("policy %s: %w", policy, err)
	}
	return role, nil
}

// keptBuckets are the buckets that the cluster works with as long as it lives. They are made here because its key may
// not make buckets.
func (i *Installation) keptBuckets() []string {
	var buckets []string
	for _, purpose := range state.KeptBuckets() {
		buckets = append(buckets, i.spec.Bucket(purpose))
	}
	return buckets
}

func (i *Installation) buckets(ctx context.Context, report provisioner.Report) error {
	return sideBySide(ctx, i.keptBuckets(), func(ctx context.Context, bucket string) error {
		action, err := i.world.Objects.EnsureBucket(ctx, bucket)
		if err != nil {
			return err
		}
		report.Object(state.KindBucket, bucket, "", string(action))
		return nil
	})
}
