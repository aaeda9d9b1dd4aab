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
	object(report, state.KindRole, role.Name, role.ID, action)
	if i.syn.unseen {
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
	object(report, state.KindAPIKey, kept.Name, "", action)
	return nil
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
		object(report, state.KindBucket, bucket, "", action)
		return nil
	})
}
