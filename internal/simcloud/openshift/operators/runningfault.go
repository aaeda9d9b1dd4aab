package operators

import (
	"errors"
	"net/http"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/machineconfig"
)

// getInstalled returns when the installation was complete; zero: it is not.
func (k *loop) getInstalled() time.Time {
	version, _ := k.Objects.Get(cluster.VersionResource, "", "version")
	for _, entry := range version.List("status.history") {
		if at, err := time.Parse(time.RFC3339, entry.GetString("completionTime")); err == nil {
			return at
		}
	}
	return time.Time{}
}

// The application that the StrictBudget fault adds.
const (
	strictNamespace = "shop"
	strictName      = "web"
	appLabel        = "node-role.kubernetes.io/app"
)

// createStrictBudget creates the application once: its budget may be changed, or deleted, which is the fix.
func createStrictBudget(k *loop, seen clusterSnapshot) error {
	const what = "strict budget"
	_, done := k.StateRecords.Get(what)
	if !k.Faults.StrictBudget || done {
		return nil
	}
	replicas, nodes := len(seen.listReady(appLabel)), 0
	for _, node := range seen.nodes {
		if _, ok := node.Label(appLabel); ok {
			nodes++
		}
	}
	known := k.leaderSince.Add(nodeGracePeriod + time.Minute) // until then, what is said of nodes may be from before the zone was opened
	if replicas == 0 || replicas < nodes || k.Clock.Now().Before(known) {
		return nil
	}
	labels := kube.Object{"app": strictName}
	selector := kube.Object{"matchLabels": labels}
	pod := kube.Object{"metadata": kube.Object{"labels": labels}, "spec": kube.Object{
		"nodeSelector": kube.Object{appLabel: ""}, "containers": []kube.Object{{"name": strictName, "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}},
	}}
	application := kube.Object{"metadata": kube.Object{"name": strictName}, "spec": kube.Object{"replicas": replicas, "selector": selector, "template": pod}}
	budget := kube.Object{"metadata": kube.Object{"name": strictName}, "spec": kube.Object{"minAvailable": "100%", "selector": selector}}
	for _, one := range []struct {
		resource, namespace string
		object              kube.Object
	}{
		{"namespaces", "", kube.NewNamed(strictNamespace)}, {cluster.DeploymentResource, strictNamespace, application}, {kube.BudgetResource, strictNamespace, budget},
	} {
		if err := k.Objects.Ensure(one.resource, one.namespace, one.object, nil); err != nil {
			return err
		}
	}
	return k.StateRecords.Put(what, cluster.StateRecord{What: what, Since: k.Clock.Now()})
}

// configLag is for how long a node of the LaggingConfigs fault has an earlier configuration: longer than nodes take to join.
const configLag = 25 * time.Minute

// syncLaggingConfigs has nodes that joined after the installation lag behind the configuration of their pool.
func (k machineConfigOperator) syncLaggingConfigs(seen clusterSnapshot) error {
	installed := k.getInstalled()
	if !k.Faults.LaggingConfigs || installed.IsZero() {
		return nil
	}
	for _, node := range seen.nodes {
		wanted, _ := node.Map("metadata.annotations")[DesiredConfig].(string)
		if created, err := time.Parse(time.RFC3339, node.GetString("metadata.creationTimestamp")); err != nil || !created.After(installed) || wanted == "" {
			continue
		}
		current, configState := wanted, "Done"
		if !k.hasLasted("configuration of "+node.GetString("metadata.uid"), "", configLag) {
			current, configState = wanted+"-earlier", "Working"
			rendered, _ := k.Objects.Get(machineconfig.Resource, "", wanted)
			earlier := kube.NewNamed(current)
			earlier.Set("spec", rendered.Map("spec"))
			if err := k.Objects.Ensure(machineconfig.Resource, "", earlier, nil); err != nil {
				return err
			}
		}
		if _, err := k.Objects.Update(cluster.NodeResource, "", node.Name(), func(o kube.Object) error {
			o.Map("metadata.annotations")[CurrentConfig], o.Map("metadata.annotations")[ConfigState] = current, configState
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

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
