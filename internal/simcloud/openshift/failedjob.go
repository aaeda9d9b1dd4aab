package openshift

import (
	"errors"
	"net/http"

	"exoshift/internal/simcloud/kube"
)

// The Job of a backup that the UnexpectedAlert fault lets fail.
const (
	failingNamespace = "syn-cluster-backup"
	failingJob       = "objects-check"
)

// createFailedJob creates a failing Job, once, when its namespace exists. It is not created again after its deletion, which is
// the fix. Without the fault, it is deleted.
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
	job := kube.NewNamed(failingJob)
	job["spec"] = kube.Object{"backoffLimit": 0, "template": kube.Object{"spec": kube.Object{
		"restartPolicy": "Never", "containers": []kube.Object{{"name": "check", "image": "quay.io/appuio/oc:v4.20"}},
	}}}
	job.SetCondition(k.now(), jobFailed, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	if _, err := k.objects.Create(jobResource, failingNamespace, job); err != nil && !isStatusCode(err, http.StatusConflict) {
		return err
	}
	return k.stateRecords.Put(what, stateRecord{what, "", k.clock.Now()})
}

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
