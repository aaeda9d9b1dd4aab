package install

import (
	"context"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// removeBootstrap first notes that the cluster stands on its own, so that no later run starts a second bootstrap. Then
// the machine goes: out of the load balancers first. Its document, which holds the cluster's keys, goes at once too.
func (i *Installation) removeBootstrap(ctx context.Context, report provisioner.Report) error {
	if !i.bootstrapped() {
		now := i.world.Clock.Now().UTC().Truncate(time.Second)
		if err := i.remember(func(facts *state.Facts) { facts.BootstrapRemoved = now }); err != nil {
			return err
		}
	}
	action, err := i.world.Cloud.DeleteRecords(ctx, i.zone.ID, "bootstrap", "A")
	if err != nil {
		return err
	}
	object(report, "dns-record", "bootstrap A", "", action)
	if err := i.deleteBootstrapMachine(ctx, report); err != nil {
		return err
	}
	i.tellBootstrap(report, state.PhaseMemberRemoved, "the bootstrap machine is gone")
	bucket := i.spec.Bucket("bootstrap")
	if action, err = i.world.Objects.DeleteBucket(ctx, bucket); err != nil {
		return err
	}
	object(report, "object", bucket+"/"+bootstrapKey, "", action) // with its bucket
	object(report, "bucket", bucket, "", action)
	return nil
}

func (i *Installation) deleteBootstrapMachine(ctx context.Context, report provisioner.Report) error {
	labels := i.labels()
	labels["exoshift-role"] = string(state.RoleBootstrap)
	machines, err := i.world.Cloud.Instances(ctx, labels)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		action, err := i.world.Cloud.DeleteInstance(ctx, machine.ID)
		if err != nil {
			return err
		}
		object(report, "instance", machine.Name, machine.ID, action)
	}
	return nil
}
