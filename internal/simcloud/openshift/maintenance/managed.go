package maintenance

import (
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

const managedVersions = "clusterversions.managedupgrade.appuio.io"

// setChannel has the ClusterVersion of the cluster follow the channel of the managed one.
func setChannel(c *cluster.Cluster) error {
	for _, managed := range c.Objects.List(managedVersions, "") {
		channel := managed.GetString("spec.template.spec.channel")
		version, found := c.Objects.Get(cluster.VersionResource, "", managed.Name())
		if !found || channel == "" || version.GetString("spec.channel") == channel {
			continue
		}
		_, err := c.Objects.Update(cluster.VersionResource, "", managed.Name(), func(o kube.Object) error {
			o.Set("spec.channel", channel)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// announceLimit is how far ahead the next window is looked for.
const announceLimit = 8 * 24 * time.Hour

// announceWindow says in the status of an UpgradeConfig when its next window begins, once it is over.
func announceWindow(c *cluster.Cluster, config kube.Object) error {
	now := c.Clock.Now()
	for _, known := range config.List("status.nextPossibleSchedules") {
		if next, err := time.Parse(time.RFC3339, known.GetString("time")); err == nil && next.After(now) {
			return nil
		}
	}
	place, err := time.LoadLocation(config.GetString("spec.schedule.location"))
	if err != nil {
		return err
	}
	for minute := now.Truncate(time.Minute).Add(time.Minute); minute.Before(now.Add(announceLimit)); minute = minute.Add(time.Minute) {
		isDue, err := MatchSchedule(config.GetString("spec.schedule.cron"), minute.In(place))
		if err != nil {
			return err
		}
		if isDue {
			_, err := c.Objects.Update(upgradeConfigs, config.Namespace(), config.Name(), func(o kube.Object) error {
				o.Set("status.nextPossibleSchedules", []any{map[string]any{"time": minute.UTC().Format(time.RFC3339)}})
				return nil
			})
			return err
		}
	}
	return nil
}
