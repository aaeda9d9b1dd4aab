// Package maintenance schedules the first maintenance of a cluster, and reads how it goes.
package maintenance

import (
	"cmp"
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // a machine may lack time zone data, and maintenance is scheduled in a time zone

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	upgradeConfigs kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradeconfigs@appuio-openshift-upgrade-controller"
	upgradeJobs    kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradejobs@appuio-openshift-upgrade-controller"
	upgradeKind                         = "upgradeconfigs.managedupgrade.appuio.io"
)

const (
	firstMaintenance = "first"
	jobLabel         = "upgradeconfig/name"
	maintenanceZone  = "Europe/Zurich"
)

// Scheduler schedules the first maintenance of the cluster, and reads how it goes.
type Scheduler struct{ connector *kubeapi.Connector }

// New returns a scheduler for the connector's cluster.
func New(connector *kubeapi.Connector) *Scheduler { return &Scheduler{connector} }

// EnsureMaintenance schedules the first maintenance like the UpgradeConfig window, but in a minute or two. It is created once;
// one that failed is scheduled again. fault.NotFound: the cluster has no such controller; fault.Transient: that UpgradeConfig
// does not exist yet.
func (c *Scheduler) EnsureMaintenance(ctx context.Context, window string) (state.Action, error) {
	const op = "schedule the first maintenance"
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	seen, err := getMaintenance(ctx, api)
	if err != nil {
		return "", err
	}
	if seen.scheduled && !seen.isOurs() {
		return "", fault.Newf(fault.Conflict, op, "someone else created an UpgradeConfig %q", firstMaintenance).
			WithHint("wait for that maintenance to end, or delete the UpgradeConfig, and run again")
	}
	if seen.toState().State != maintenanceFailed && (seen.scheduled || len(seen.jobs) > 0) {
		return state.Found, nil
	}
	template, err := getMaintenanceTemplate(ctx, api, op, window)
	if err != nil {
		return "", err
	}
	if err := removeMaintenance(ctx, api, seen); err != nil {
		return "", err
	}
	return state.Created, scheduleMaintenance(ctx, api, op, template, computeStart(api.Network.Clock.Now()))
}

func getMaintenanceTemplate(ctx context.Context, api *kubeapi.Client, op, window string) (map[string]any, error) {
	if window == "" || window == firstMaintenance {
		return nil, fault.Newf(fault.Invalid, op, "%q is not a maintenance window", kubeapi.Sanitize(window))
	}
	template, exists, err := kubeapi.Get[map[string]any](ctx, api, upgradeConfigs, window)
	if err != nil || exists {
		return template, err
	}
	if _, defined, err := kubeapi.Get[struct{}](ctx, api, kubeapi.Definitions, upgradeKind); err != nil || !defined {
		return nil, cmp.Or(err, error(fault.Newf(fault.NotFound, op, "the cluster has no controller of maintenance windows").
			WithHint("add the component openshift-upgrade-controller to the catalog, or postpone the first maintenance")))
	}
	return nil, fault.Newf(fault.Transient, op, "the UpgradeConfig %q does not exist yet", kubeapi.Sanitize(window))
}

// scheduleMaintenance creates the UpgradeConfig of the first maintenance from a template. Its creation timestamp is the cluster's
// time, by which the controller starts it: if the local time differs much, it is scheduled again by the cluster's.
func scheduleMaintenance(ctx context.Context, api *kubeapi.Client, op string, template map[string]any, at time.Time) error {
	config, err := buildUpgradeConfig(template, at)
	if err != nil {
		return fault.New(fault.Invalid, op, err)
	}
	made, err := api.Create(ctx, upgradeConfigs, config.Object)
	if apierrors.IsAlreadyExists(err) {
		return fault.Newf(fault.Transient, op, "the previous UpgradeConfig still exists")
	}
	if err != nil {
		return kubeapi.TruncateMessage(api.ToFault(ctx, op, err))
	}
	if ahead := at.Sub(made.GetCreationTimestamp().Time); ahead > 0 && ahead < kubeapi.MaxClockSkew {
		return nil
	}
	cron, err := formatCron(computeStart(made.GetCreationTimestamp().Time))
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	return api.Patch(ctx, upgradeConfigs, firstMaintenance, fmt.Appendf(nil, `{"spec": {"schedule": {"cron": %q}}}`, cron))
}

// GetMaintenance returns the progress of the first maintenance; an empty state if there is none.
func (c *Scheduler) GetMaintenance(ctx context.Context) (state.Maintenance, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return state.Maintenance{}, err
	}
	seen, err := getMaintenance(ctx, api)
	if err != nil {
		return state.Maintenance{}, err
	}
	return seen.toState(), nil
}

// EndMaintenance deletes what EnsureMaintenance created: it would start again every day.
func (c *Scheduler) EndMaintenance(ctx context.Context) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	seen, err := getMaintenance(ctx, api)
	if err != nil {
		return "", err
	}
	if !seen.scheduled || !seen.isOurs() {
		return state.Found, nil
	}
	return state.Deleted, removeMaintenance(ctx, api, seen)
}

// removeMaintenance has the UID of what was seen as a precondition.
func removeMaintenance(ctx context.Context, api *kubeapi.Client, seen firstRun) error {
	if !seen.scheduled {
		return nil
	}
	uid := seen.config.Metadata.UID
	err := api.Delete(ctx, upgradeConfigs, firstMaintenance, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return api.ToFault(ctx, "delete the UpgradeConfig "+firstMaintenance, err)
}
