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

// failJob lets a Job fail once its namespace exists. Whoever has looked at it deletes it, and it does not come again. Once
// there is no such trouble any more, somebody has.
func (k *controllers) failJob() error {
	const what = "job failed"
	seen, done := k.sightings.Get(what)
	_, exists := k.objects.Get("namespaces", "", failingNamespace)
	switch {
	case !k.troubles.UnexpectedAlert && done && seen.State == "":
		return errors.Join(k.lookedAt(), k.sightings.Put(what, sighting{what, "over", k.clock.Now()}))
	case !k.troubles.UnexpectedAlert || done || !exists:
		return nil
	}
	job := named(failingJob)
	job["spec"] = kube.Object{"backoffLimit": 0, "template": kube.Object{"spec": kube.Object{
		"restartPolicy": "Never", "containers": []kube.Object{{"name": "check", "image": "quay.io/appuio/oc:v4.20"}},
	}}}
	setCondition(job, k.now(), jobFailed, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	if _, err := k.objects.Create(jobResource, failingNamespace, job); err != nil && !failedWith(err, http.StatusConflict) {
		return err
	}
	return k.sightings.Put(what, sighting{what, "", k.clock.Now()})
}

// lookedAt deletes the Job.
func (k *controllers) lookedAt() error {
	_, err := k.objects.Delete(jobResource, failingNamespace, failingJob)
	if failedWith(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func failedWith(err error, code int) bool {
	var failure *kube.Failure
	return errors.As(err, &failure) && failure.Code == code
}
