package operators

import (
	"errors"
	"net/http"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// The Job of a backup that the UnexpectedAlert fault lets fail.
const (
	failingNamespace = "syn-cluster-backup"
	failingJob       = "objects-check"
)

// createFailedJob creates a failing Job, once, when its namespace exists. It is not created again after its deletion, which is
// the fix. Without the fault, it is deleted.
func createFailedJob(c *cluster.Cluster) error {
	const what = "job failed"
	seen, done := c.StateRecords.Get(what)
	_, exists := c.Objects.Get("namespaces", "", failingNamespace)
	switch {
	case !c.Faults.UnexpectedAlert && done && seen.State == "":
		return errors.Join(deleteFailedJob(c), c.StateRecords.Put(what, cluster.StateRecord{What: what, State: "over", Since: c.Clock.Now()}))
	case !c.Faults.UnexpectedAlert || done || !exists:
		return nil
	}
	job := kube.NewNamed(failingJob)
	job["spec"] = kube.Object{"backoffLimit": 0, "template": kube.Object{"spec": kube.Object{
		"restartPolicy": "Never", "containers": []kube.Object{{"name": "check", "image": "quay.io/appuio/oc:v4.20"}},
	}}}
	job.SetCondition(c.Timestamp(), cluster.JobFailed, "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
	if _, err := c.Objects.Create(cluster.JobResource, failingNamespace, job); err != nil && !isStatusCode(err, http.StatusConflict) {
		return err
	}
	return c.StateRecords.Put(what, cluster.StateRecord{What: what, State: "", Since: c.Clock.Now()})
}

func deleteFailedJob(c *cluster.Cluster) error {
	_, err := c.Objects.Delete(cluster.JobResource, failingNamespace, failingJob)
	if isStatusCode(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func isStatusCode(err error, code int) bool {
	var failure *kube.StatusError
	return errors.As(err, &failure) && failure.Code == code
}
