package rotation

import (
	"context"
	"slices"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rotation"
)

// registryBucket is the purpose of the image registry's bucket.
const registryBucket = "image-registry"

// registryOperator is the cluster operator of the image registry.
const registryOperator = "image-registry"

// prove has the users of the key use it, and requires that the cloud has seen that.
func (j *job) prove(ctx context.Context, report provisioner.Report) error {
	switch j.use.policy {
	case assets.PolicyCloudController:
		return j.proveByTrial(ctx, report, state.KindLoadBalancer, j.tryService)
	case assets.PolicyVolumes:
		return j.proveByTrial(ctx, report, state.KindVolume, j.tryVolume)
	}
	return j.proveStorage(ctx, report)
}

// tryService creates a Service for which the cloud controller makes a load balancer.
func (j *job) tryService(ctx context.Context) (string, error) {
	return j.clients.Cluster.EnsureTrialService(ctx)
}

// tryVolume also waits until a pod has the volume: the driver on its node has started with the key.
func (j *job) tryVolume(ctx context.Context) (string, error) {
	name, err := j.clients.Cluster.EnsureTrialVolume(ctx)
	if err == nil {
		err = j.clients.Cluster.CheckTrialPod(ctx)
	}
	return name, err
}

// proveByTrial has a controller change the cloud, until a change is seen that it requested with the new key. What it made is deleted then.
func (j *job) proveByTrial(ctx context.Context, report provisioner.Report, kind string, try func(context.Context) (string, error)) error {
	err := j.repeat(proofLimit, func(ctx context.Context, report provisioner.Report) error {
		name, err := try(ctx)
		if name != "" && !slices.Contains(j.record().Trials, name) {
			if unsaved := j.update(j.use.policy, func(key *rotation.Key) { key.Trials = append(key.Trials, name) }); unsaved != nil {
				return unsaved
			}
		}
		if err != nil {
			return err
		}
		return j.findCall(ctx, report)
	})(ctx, report)
	if err != nil {
		return err
	}
	return j.endTrials(ctx, report, kind)
}

// findCall returns fault.Transient until a change with the new key was accepted.
func (j *job) findCall(ctx context.Context, report provisioner.Report) error {
	calls, err := j.clients.Cloud.ListKeyCalls(ctx, j.current.Key, j.known().Begun.Add(-time.Hour))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(calls, func(c rotation.Call) bool { return c.Accepted })
	if at < 0 {
		return fault.Newf(fault.Transient, op, "the cloud has not seen a change with the key %s yet", j.current.Key)
	}
	report.EmitProgress("the cloud has seen " + calls[at].Operation + " with the key " + j.current.Key)
	return nil
}

// endTrials waits until nothing is left of what proves the use of a key, in the cluster and in the cloud.
func (j *job) endTrials(ctx context.Context, report provisioner.Report, kind string) error {
	began := j.clients.Clock.Now()
	err := j.repeat(endLimit, func(ctx context.Context, report provisioner.Report) error {
		action, err := j.clients.Cluster.EndTrials(ctx)
		switch {
		case err != nil:
			return err
		case action != state.Found:
			return fault.Newf(fault.Transient, op, "what proved the use of the key is being deleted")
		}
		return j.deleteLeft(ctx, report, kind, j.clients.Clock.Now().Sub(began) > ownTime)
	})(ctx, report)
	if err != nil {
		return err
	}
	return j.update(j.use.policy, func(key *rotation.Key) { key.Trials = nil })
}

// deleteLeft waits until the controller has deleted what it made for a trial, or deletes it for it. Its name has the UID of an object of ours.
func (j *job) deleteLeft(ctx context.Context, report provisioner.Report, kind string, overdue bool) error {
	trials := j.record().Trials
	if len(trials) == 0 {
		return nil
	}
	all, err := j.clients.Cloud.ListObjectsByKind(ctx, kind)
	if err != nil {
		return err
	}
	for _, object := range all {
		switch {
		case !slices.Contains(trials, object.Name):
		case !overdue:
			return fault.Newf(fault.Transient, op, "the %s %s is being deleted", kind, object.Name)
		default:
			action, err := j.clients.Cloud.Delete(ctx, object)
			if err != nil {
				return err
			}
			report.EmitObject(kind, object.Name, object.ID, string(action))
		}
	}
	return nil
}

// proveStorage uses the key in each bucket that it is for, and has the operator of the image registry accept it: the audit trail of the cloud
// has no requests to the object storage.
func (j *job) proveStorage(ctx context.Context, report provisioner.Report) error {
	buckets := []string{j.spec.Bucket(state.BucketBackups)}
	hasRegistry := slices.ContainsFunc(j.holders, func(h rotation.Holder) bool { return h.Namespace == registryNamespace })
	if hasRegistry {
		buckets = []string{j.spec.Bucket(registryBucket), j.spec.Bucket(state.BucketBackups)}
	}
	err := j.repeat(proofLimit, func(ctx context.Context, _ provisioner.Report) error {
		for _, bucket := range buckets {
			if err := j.clients.Storage.CheckAccess(ctx, j.current, bucket); err != nil {
				return err
			}
		}
		return nil
	})(ctx, report)
	if err != nil || !hasRegistry {
		return err
	}
	well := time.Time{} // since when; zero: it is not
	return j.repeat(proofLimit, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := j.poll(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(seen.Operators, func(o state.OperatorStatus) bool { return o.Name == registryOperator })
		if at < 0 || !seen.Operators[at].Available || seen.Operators[at].Degraded || seen.Operators[at].Progressing {
			well = time.Time{}
			return fault.Newf(fault.Transient, op, "the operator image-registry is not well: %s", describeOperator(seen.Operators, at))
		}
		if well.IsZero() {
			well = j.clients.Clock.Now()
		}
		if j.clients.Clock.Now().Sub(well) < settleTime {
			return fault.Newf(fault.Transient, op, "the operator image-registry is available with the new key, and has to stay so for %s", settleTime)
		}
		return nil
	})(ctx, report)
}

func describeOperator(all []state.OperatorStatus, at int) string {
	if at < 0 {
		return "it does not report"
	}
	return all[at].State() + ": " + all[at].Message
}
