package upgrade

import (
	"cmp"
	"context"
	"time"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/upgrade"
)

const (
	controllerNamespace = "@appuio-openshift-upgrade-controller"

	managedVersions kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/clusterversions" + controllerNamespace
	schedules       kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradeconfigs" + controllerNamespace
	jobs            kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradejobs" + controllerNamespace

	// firstMaintenance is the UpgradeConfig of the installation, which is deleted after it.
	firstMaintenance = "first"
)

// GetManaged reads what the cluster's own upgrade controller is told to do: nothing if the cluster has none.
func (u *Updater) GetManaged(ctx context.Context) (found upgrade.Managed, err error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return found, err
	}
	version, _, err := kubeapi.Get[struct {
		Spec struct {
			Template struct {
				Spec struct {
					Channel string `json:"channel"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}](ctx, api, managedVersions, versionName)
	if err != nil {
		return found, err
	}
	found.Channel = kubeapi.Sanitize(version.Spec.Template.Spec.Channel)
	if found.Schedules, err = listSchedules(ctx, api); err != nil {
		return found, err
	}
	all, err := kubeapi.List[struct {
		Metadata kubeapi.Named `json:"metadata"`
		Status   struct {
			Conditions kubeapi.Conditions `json:"conditions"`
		} `json:"status"`
	}](ctx, api, jobs, "")
	for _, job := range all {
		if !job.Status.Conditions.Is("Succeeded") && !job.Status.Conditions.Is("Failed") {
			found.Jobs = append(found.Jobs, kubeapi.Sanitize(job.Metadata.Name))
		}
	}
	return found, err
}

func listSchedules(ctx context.Context, api *kubeapi.Client) (found []upgrade.Schedule, err error) {
	all, err := kubeapi.List[struct {
		Metadata kubeapi.Named `json:"metadata"`
		Spec     struct {
			Schedule struct {
				Cron     string `json:"cron"`
				IsoWeek  string `json:"isoWeek"`
				Location string `json:"location"`
				Suspend  bool   `json:"suspend"`
			} `json:"schedule"`
		} `json:"spec"`
		Status struct {
			Next []struct {
				Time time.Time `json:"time"`
			} `json:"nextPossibleSchedules"`
		} `json:"status"`
	}](ctx, api, schedules, "")
	for _, config := range all {
		if config.Metadata.Name == firstMaintenance {
			continue
		}
		schedule := config.Spec.Schedule
		one := upgrade.Schedule{
			Name: kubeapi.Sanitize(config.Metadata.Name), Cron: kubeapi.Sanitize(schedule.Cron), IsoWeek: kubeapi.Sanitize(schedule.IsoWeek),
			Location: kubeapi.Sanitize(schedule.Location), Suspended: schedule.Suspend,
		}
		for _, next := range config.Status.Next {
			if one.Next.IsZero() || next.Time.Before(one.Next) {
				one.Next = next.Time
			}
		}
		found = append(found, one)
	}
	stable.Sort(found, func(a, b upgrade.Schedule) int { return cmp.Compare(a.Name, b.Name) })
	return found, err
}
