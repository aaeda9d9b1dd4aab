package alerts

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	silenceCronJobs kubeapi.ResourcePath = "batch/v1/cronjobs@openshift-monitoring"
	silenceJobs     kubeapi.ResourcePath = "batch/v1/jobs@openshift-monitoring"
)

const (
	silenceName = "silence"          // of the CronJob
	silenceJob  = "silence-exoshift" // of the Job that exoshift starts
	// manualAnnotation marks a Job that was started from a CronJob manually, like the command oc does.
	manualAnnotation = "cronjob.kubernetes.io/instantiate"
)

// SilenceAlerts starts the cluster's own job that silences the alerts that need no action, instead of waiting some hours for it,
// and deletes the job once it has ended. fault.Transient: it runs; fault.NotFound: the cluster has no such job; fault.Conflict:
// it failed.
func (c *Alertmanager) SilenceAlerts(ctx context.Context) error {
	const op = "silence the alerts without action"
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return err
	}
	job, running, err := kubeapi.Get[batchv1.Job](ctx, api, silenceJobs, silenceJob)
	if err != nil {
		return err
	}
	if running {
		return endSilencing(ctx, api, op, job)
	}
	cron, exists, err := kubeapi.Get[batchv1.CronJob](ctx, api, silenceCronJobs, silenceName)
	if err != nil {
		return err
	}
	if !exists {
		return fault.Newf(fault.NotFound, op, "there is no CronJob openshift-monitoring/%s", silenceName)
	}
	if err := startSilencing(ctx, api, op, cron); err != nil {
		return err
	}
	return fault.Newf(fault.Transient, op, "the job starts")
}

func startSilencing(ctx context.Context, api *kubeapi.Client, op string, cron batchv1.CronJob) error {
	template := cron.Spec.JobTemplate
	job := batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: silenceJob, Namespace: "openshift-monitoring", Labels: template.Labels, Annotations: map[string]string{manualAnnotation: "manual", kubeapi.CreatedAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: silenceName, UID: cron.UID, Controller: new(true)}},
		},
		Spec: template.Spec,
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&job)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	delete(fields, "status")
	_, err = api.Create(ctx, silenceJobs, fields)
	if err == nil || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return kubeapi.TruncateMessage(api.ToFault(ctx, op, err))
}

// endSilencing deletes a finished job unless somebody else created it; that counts as well.
func endSilencing(ctx context.Context, api *kubeapi.Client, op string, job batchv1.Job) error {
	done, failed := hasJobCondition(job, batchv1.JobComplete), hasJobCondition(job, batchv1.JobFailed)
	if !done && !failed {
		return fault.Newf(fault.Transient, op, "the job openshift-monitoring/%s runs", silenceJob)
	}
	if job.Annotations[kubeapi.CreatedAnnotation] != "" {
		if err := removeSilencing(ctx, api, op, job); err != nil {
			return err
		}
	}
	if failed {
		return fault.Newf(fault.Conflict, op, "the job failed").WithHint("check the CronJob openshift-monitoring/%s", silenceName)
	}
	return nil
}

func removeSilencing(ctx context.Context, api *kubeapi.Client, op string, job batchv1.Job) error {
	err := api.Delete(ctx, silenceJobs, silenceJob, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &job.UID}, PropagationPolicy: new(metav1.DeletePropagationBackground),
	})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return kubeapi.TruncateMessage(api.ToFault(ctx, op, err))
}

func hasJobCondition(job batchv1.Job, wanted batchv1.JobConditionType) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == wanted {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
