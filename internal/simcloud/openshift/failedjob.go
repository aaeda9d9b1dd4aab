package openshift

import (
	"errors"
	"net/http"

	"exoshift/internal/simcloud/kube"
)

// What fails is a backup's job, in one kind of trouble.
const (
	failingNamespace = "syn-cluster-backup"
	failingJob       = "objects-check"
)

// createFailedJob lets a Job fail once its namespace exists. Whoever has looked at it deletes it, and it does not come again. Once
// there is no such trouble any more, somebody has.
func (k *controllers) createFailedJob() error {
	const what = "job failed"
	seen, done := k.stateRecords.Get(what)
	_, exists := k.objects.Get("namespaces", "", failingNamespace)
	switch {
	case !k.faults.UnexpectedAlert && done && seen.State == "":
		return errors.Join(k.deleteFailedJob(), k.stateRecords.Put(what, stateRecord{what, "over", k.clock.Now()}))
	case !k.faults.UnexpectedAlert || done || !exists:
		return nil
	}
	job := newNamedObject(failingJob)
	job["spec"] = kube.Object{"backoffLimit": 0, "template": kube.Object{"spec": kube.Object{
		"restartPolicy": "Never", "containers": []kube.Object{{"name": "check", "image": "quay.io/appuio/oc:v4.20"}},
	}}}
	setCondition(job, k.now(), jobFailed, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	if _, err := k.objects.Create(jobResource, failingNamespace, job); err != nil && !isStatusCode(err, http.StatusConflict) {
		return err
	}
	return k.stateRecords.Put(what, stateRecord{what, "", k.clock.Now()})
}

// deleteFailedJob deletes the Job.
func (k *controllers) deleteFailedJob() error {
	_, err := k.objects.Delete(jobResource, failingNamespace, failingJob)
	if isStatusCode(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func isStatusCode(err error, code int) bool {
	var failure *kube.StatusError
	return errors.As(err, &failure) && failure.Code == code
}
