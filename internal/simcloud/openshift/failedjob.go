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
func createFailedJob(c *cluster) error {
	const what = "job failed"
	seen, done := c.stateRecords.Get(what)
	_, exists := c.objects.Get("namespaces", "", failingNamespace)
	switch {
	case !c.faults.UnexpectedAlert && done && seen.State == "":
		return errors.Join(deleteFailedJob(c), c.stateRecords.Put(what, stateRecord{what, "over", c.clock.Now()}))
	case !c.faults.UnexpectedAlert || done || !exists:
		return nil
	}
	job := kube.NewNamed(failingJob)
	job["spec"] = kube.Object{"backoffLimit": 0, "template": kube.Object{"spec": kube.Object{
		"restartPolicy": "Never", "containers": []kube.Object{{"name": "check", "image": "quay.io/appuio/oc:v4.20"}},
	}}}
	job.SetCondition(c.now(), jobFailed, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	if _, err := c.objects.Create(jobResource, failingNamespace, job); err != nil && !isStatusCode(err, http.StatusConflict) {
		return err
	}
	return c.stateRecords.Put(what, stateRecord{what, "", c.clock.Now()})
}

func deleteFailedJob(c *cluster) error {
	_, err := c.objects.Delete(jobResource, failingNamespace, failingJob)
	if isStatusCode(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func isStatusCode(err error, code int) bool {
	var failure *kube.StatusError
	return errors.As(err, &failure) && failure.Code == code
}
