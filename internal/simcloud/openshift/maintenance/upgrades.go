// Package maintenance is the controllers that look after a running cluster: upgrades in maintenance windows, and emergency access.
package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	upgradeConfigs  = "upgradeconfigs.managedupgrade.appuio.io"
	upgradeJobs     = "upgradejobs.managedupgrade.appuio.io"
	upgradeInterval = 15 * time.Second
	// upgradeTime is how long a maintenance without an upgrade takes (inferred).
	upgradeTime = 6 * time.Minute
	// maxScheduleDelay is the maximum delay at which a missed schedule is still executed.
	maxScheduleDelay = 2 * time.Hour
)

// RunUpgrades is openshift-upgrade-controller in a pod: it creates a job some time before the window of an UpgradeConfig begins, for
// the newest release that is recommended then, and runs it in the window.
func RunUpgrades(ctx context.Context, c container.Container) error {
	c.Running()
	for ctx.Err() == nil {
		if c.Cluster.Members.CheckQuorum() == nil {
			if err := setChannel(c.Cluster); err != nil {
				c.Machine.Console("openshift-upgrade-controller: %v", err)
			}
			for _, config := range c.Cluster.Objects.List(upgradeConfigs, "") {
				if err := errors.Join(scheduleUpgrade(c.Cluster, config), announceWindow(c.Cluster, config)); err != nil {
					c.Machine.Console("openshift-upgrade-controller: %s: %v", config.Name(), err)
				}
			}
			for _, job := range c.Cluster.Objects.List(upgradeJobs, "") {
				if err := runUpgradeJob(c.Cluster, job); err != nil {
					c.Machine.Console("openshift-upgrade-controller: %s: %v", job.Name(), err)
				}
			}
		}
		_ = c.Cluster.Clock.Sleep(ctx, upgradeInterval)
	}
	return ctx.Err()
}

func scheduleUpgrade(c *cluster.Cluster, config kube.Object) error {
	what, now := "upgradeconfig/"+config.GetString("metadata.uid"), c.Clock.Now()
	last, known := c.StateRecords.Get(what)
	if !known {
		last.Since, _ = time.Parse(time.RFC3339, config.GetString("metadata.creationTimestamp"))
	}
	if now.Truncate(time.Minute).Equal(last.Since.Truncate(time.Minute)) {
		return nil
	}
	if err := c.StateRecords.Put(what, cluster.StateRecord{What: what, Since: now}); err != nil {
		return err
	}
	if config.GetBool("spec.schedule.suspend") {
		return nil
	}
	place, err := time.LoadLocation(config.GetString("spec.schedule.location"))
	if err != nil {
		return err
	}
	pinned, err := parseDuration(config, "spec.pinVersionWindow", 4*time.Hour)
	if err != nil {
		return err
	}
	from := last.Since.Truncate(time.Minute).Add(time.Minute)
	if oldest := now.Add(-maxScheduleDelay); from.Before(oldest) {
		from = oldest.Truncate(time.Minute)
	}
	for minute := from; !minute.After(now); minute = minute.Add(time.Minute) {
		starts := minute.Add(pinned)
		isDue, err := MatchSchedule(config.GetString("spec.schedule.cron"), starts.In(place))
		if err != nil {
			return err
		}
		if isDue {
			return createUpgrade(c, config, starts.UTC())
		}
	}
	return nil
}

// createUpgrade pins the release. A job without one has nothing to update.
func createUpgrade(c *cluster.Cluster, config kube.Object, starts time.Time) error {
	delay, err := parseDuration(config, "spec.maxUpgradeStartDelay", time.Hour)
	if err != nil {
		return err
	}
	release := findRelease(c, config)
	job := kube.NewNamed(fmt.Sprintf("%s-%s-%d", config.Name(), strings.ReplaceAll(cmp.Or(release.GetString("version"), "noop"), ".", "-"), starts.Unix()))
	for _, field := range []string{"labels", "annotations"} {
		if given := config.Map("spec.jobTemplate.metadata." + field); given != nil {
			job.Set("metadata."+field, given)
		}
	}
	job.Set("metadata.ownerReferences", []kube.Object{{"apiVersion": config.GetString("apiVersion"), "kind": "UpgradeConfig", "name": config.Name(),
		"uid": config.GetString("metadata.uid"), "controller": true}})
	spec := kube.Object{"startAfter": starts.Format(time.RFC3339), "startBefore": starts.Add(delay).Format(time.RFC3339)}
	if given := config.Map("spec.jobTemplate.spec.config"); given != nil {
		spec["config"] = given
	}
	if release != nil {
		spec["desiredVersion"] = kube.Object{"version": release.GetString("version"), "image": release.GetString("image")}
	}
	job["spec"] = spec
	return c.Objects.Ensure(upgradeJobs, config.Namespace(), job, nil)
}

func parseDuration(o kube.Object, path string, usual time.Duration) (time.Duration, error) {
	text := o.GetString(path)
	if text == "" {
		return usual, nil
	}
	return time.ParseDuration(text)
}

func runUpgradeJob(c *cluster.Cluster, job kube.Object) error {
	now := c.Clock.Now()
	starts, err := time.Parse(time.RFC3339, job.GetString("spec.startAfter"))
	latest, _ := time.Parse(time.RFC3339, job.GetString("spec.startBefore"))
	started := job.Condition("Started")
	done := job.Condition("Succeeded") != nil || job.Condition("Failed") != nil
	if err != nil || done || now.Before(starts) {
		return err
	}
	var result jobResult
	switch since, _ := time.Parse(time.RFC3339, started.GetString("lastTransitionTime")); {
	case started == nil && now.After(latest):
		result = jobResult{"Failed", "True", "Expired", "Job expired"}
	case started == nil:
		result = jobResult{"Started", "True", "Started", "Upgrade started"}
	default:
		if result, err = advanceJob(c, job, since); err != nil {
			return err
		}
	}
	_, err = c.Objects.Update(upgradeJobs, job.Namespace(), job.Name(), func(o kube.Object) error {
		result.report(o, c.Timestamp())
		return nil
	})
	return err
}

func isIdle(c *cluster.Cluster) bool {
	version, _ := c.Objects.Get(cluster.VersionResource, "", "version")
	return version.Condition("Available").GetString("status") == "True" && version.Condition("Failing").GetString("status") != "True"
}
