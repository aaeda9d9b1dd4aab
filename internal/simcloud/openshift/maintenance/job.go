package maintenance

import (
	"fmt"
	"slices"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// firstMaintenance is the UpgradeConfig of the maintenance at the end of an installation. Here, it has nothing to update: an installation
// is simulated often, and an update takes as long.
const firstMaintenance = "first"

// findRelease returns the newest release that is recommended; nil: there is none.
func findRelease(c *cluster.Cluster, config kube.Object) kube.Object {
	version, _ := c.Objects.Get(cluster.VersionResource, "", "version")
	if available := version.List("status.availableUpdates"); len(available) > 0 && config.Name() != firstMaintenance {
		return available[0]
	}
	return nil
}

// jobResult is a condition of a job.
type jobResult struct{ kind, status, reason, message string }

// report also sets the conditions that come with the end.
func (r jobResult) report(o kube.Object, now string) {
	if r.kind == "Succeeded" {
		for _, kind := range []string{"UpgradeCompleted", "PostHealthCheckDone"} {
			o.SetCondition(now, kind, "True", "Completed", "")
		}
	}
	o.SetCondition(now, r.kind, r.status, r.reason, r.message)
}

// advanceJob does what is next for a job that was started.
func advanceJob(c *cluster.Cluster, job kube.Object, since time.Time) (jobResult, error) {
	limit, err := parseDuration(job, "spec.config.upgradeTimeout", 12*time.Hour)
	if err != nil {
		return jobResult{}, err
	}
	version, _ := c.Objects.Get(cluster.VersionResource, "", "version")
	wanted := job.GetString("spec.desiredVersion.version")
	switch lasted := c.Clock.Now().Sub(since); {
	case lasted > limit:
		return jobResult{"Failed", "True", "TimedOut", "Upgrade timed out after " + limit.String()}, nil
	case job.Condition("PreHealthCheckDone").GetString("status") != "True" && !isIdle(c):
		return jobResult{"PreHealthCheckDone", "False", "HealthChecksFailed", "the cluster is not at rest"}, nil
	case job.Condition("PreHealthCheckDone").GetString("status") != "True", wanted == "" && lasted < c.Faults.ScaleDuration(upgradeTime):
		return jobResult{"PreHealthCheckDone", "True", "Completed", "Health checks ok"}, nil
	case wanted != "" && version.GetString("spec.desiredUpdate.version") != wanted:
		return requestUpdate(c, job, version)
	case wanted != "" && !isUpdated(c, version, wanted):
		return jobResult{"UpgradeCompleted", "False", "InProgress", "Upgrade in progress"}, nil
	}
	return jobResult{"Succeeded", "True", "Succeeded", "Upgrade succeeded"}, nil
}

func requestUpdate(c *cluster.Cluster, job, version kube.Object) (jobResult, error) {
	wanted := job.Map("spec.desiredVersion")
	offered := slices.ContainsFunc(version.List("status.availableUpdates"), func(release kube.Object) bool { return release.GetString("version") == wanted["version"] })
	if !offered {
		return jobResult{"Failed", "True", "UpgradeWithdrawn", fmt.Sprintf("Upgrade became unavailable: %v", wanted["version"])}, nil
	}
	_, err := c.Objects.Update(cluster.VersionResource, "", "version", func(o kube.Object) error {
		o.Set("spec.desiredUpdate", wanted)
		return nil
	})
	return jobResult{"UpgradeCompleted", "False", "InProgress", "Upgrade in progress"}, err
}

// isUpdated reports whether the operators and all nodes have a release.
func isUpdated(c *cluster.Cluster, version kube.Object, wanted string) bool {
	history := version.List("status.history")
	if len(history) == 0 || history[0].GetString("version") != wanted || history[0].GetString("state") != "Completed" {
		return false
	}
	return !slices.ContainsFunc(c.Objects.List(cluster.PoolResource, ""), func(pool kube.Object) bool {
		return pool.GetInt("status.updatedMachineCount") < pool.GetInt("status.machineCount")
	})
}
