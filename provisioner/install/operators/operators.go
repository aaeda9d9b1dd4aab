// Package operators completes a new cluster: it labels the nodes, places the ingress, gives the image registry its
// bucket, and waits for the cluster's version.
package operators

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/provisioner/install/watch"
	"exoshift/state"
)

// Cluster is the OpenShift cluster that is completed. Errors of an API that does not answer (yet) are fault.Transient.
type Cluster interface {
	// EnsureRegistryAccess gives the image registry the key of its bucket and its place, as early as the API allows;
	// fault.Transient before that.
	EnsureRegistryAccess(ctx context.Context, bucket state.Bucket, key state.APIKey, placement state.Placement) (state.Action, error)
	// EnsureMonitoringPlacement schedules the cluster's own monitoring on the nodes with that label, unless it is configured
	// already.
	EnsureMonitoringPlacement(ctx context.Context, nodeLabel string) (state.Action, error)
	// LabelNode adds the labels and taints that are missing.
	LabelNode(ctx context.Context, name string, labels map[string]string, taints []state.Taint) (state.Action, error)
	// EnsureIngressPlacement schedules the routers of the default ingress controller on the nodes with that label.
	EnsureIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error)
	// RestoreIngressPlacement does so whatever others have changed, and keeps the masters free.
	RestoreIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error)
	// GetConsoleURL returns the address of the web console, or "" if there is none.
	GetConsoleURL(ctx context.Context) (string, error)
}

const (
	interval = 10 * time.Second
	// Slow disks and networks make installations exceed openshift-install's own limits and complete nevertheless, so this
	// is longer.
	limit = 60 * time.Minute
)

// Operators completes a cluster.
type Operators struct {
	spec    state.Spec
	facts   *state.FactsStore
	cluster Cluster
	clock   provisioner.Clock
	keys    *access.Keys
	watcher *watch.Watcher
}

// New returns the operators of a cluster that a watcher polls; keys has the key of the registry's bucket.
func New(spec state.Spec, facts *state.FactsStore, cluster Cluster, clock provisioner.Clock, keys *access.Keys, watcher *watch.Watcher) *Operators {
	return &Operators{spec: spec, facts: facts, cluster: cluster, clock: clock, keys: keys, watcher: watcher}
}

// LabelNodes adds the labels and taints of the roles.
func (o *Operators) LabelNodes(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, o.spec.ComputeNodes(), func(ctx context.Context, machine state.Machine) error {
		labels, taints := getRoleLabels(machine.Role, o.spec.RouterRole())
		action, err := o.cluster.LabelNode(ctx, machine.Name, labels, taints)
		if err != nil {
			return err
		}
		report.EmitObject("node", machine.Name, "", string(action))
		return nil
	})
}

// The labels and taints are those that APPUiO's components expect.
const (
	infraLabel   = "node-role.kubernetes.io/infra"
	storageLabel = "node-role.kubernetes.io/storage"
	appLabel     = "node-role.kubernetes.io/app"
	// Of the workers where there are no infra nodes: additional groups have the label of workers too, but no traffic is sent there.
	routerLabel = "node-role.kubernetes.io/router"
)

func getRoleLabels(role, routers state.Role) (map[string]string, []state.Taint) {
	switch role {
	case state.RoleInfra:
		return map[string]string{infraLabel: ""}, nil
	case state.RoleStorage:
		return map[string]string{storageLabel: ""},
			[]state.Taint{{Key: "storagenode", Value: "True", Effect: "NoSchedule"}}
	}
	if role == routers {
		return map[string]string{appLabel: "", routerLabel: ""}, nil
	}
	return map[string]string{appLabel: ""}, nil
}

// PlaceIngress moves the ingress to the nodes that are for it, once the cluster permits.
func (o *Operators) PlaceIngress() provisioner.StepFunc {
	return provisioner.PollUntil(o.clock, interval, limit, o.placeIngress)
}

func (o *Operators) placeIngress(ctx context.Context, report provisioner.Report) error {
	action, err := o.cluster.EnsureIngressPlacement(ctx, o.getRouterLabel(), o.countRouters(), isProxied(o.spec))
	if err != nil {
		return err
	}
	report.EmitObject(kindIngressController, "default", "", string(action))
	protocol := o.formatProtocol()
	if o.facts.Get().RouterProtocol == protocol {
		return nil
	}
	return o.facts.Update(func(facts *state.Facts) { facts.RouterProtocol = protocol })
}

// RestoreRouters moves the routers back to the nodes that are for them, whoever has moved them.
func (o *Operators) RestoreRouters(ctx context.Context, report provisioner.Report) error {
	action, err := o.cluster.RestoreIngressPlacement(ctx, o.getRouterLabel(), o.countRouters(), isProxied(o.spec))
	if err != nil {
		return err
	}
	report.EmitObject(kindIngressController, "default", "", string(action))
	return nil
}

func (o *Operators) getRouterLabel() string {
	if o.spec.RouterRole() == state.RoleWorker {
		return routerLabel
	}
	return infraLabel
}

const kindIngressController = "ingress-controller"

// PreviewIngress reports whether the routers would change their protocol.
func (o *Operators) PreviewIngress(_ context.Context, report provisioner.Report) error {
	if known := o.facts.Get().RouterProtocol; known != "" && known != o.formatProtocol() {
		report.EmitObject(kindIngressController, "default", "", string(state.Updated))
	}
	return nil
}

func (o *Operators) formatProtocol() string { return FormatProtocol(o.spec) }

// FormatProtocol returns what the routers of a cluster expect of load balancers, as facts have it.
func FormatProtocol(spec state.Spec) string {
	if isProxied(spec) {
		return "PROXY"
	}
	return "TCP"
}

// Without load balancers, each node that the ingress's name resolves to needs a router.
func (o *Operators) countRouters() int {
	nodes := len(o.spec.Machines(o.spec.RouterRole()))
	if o.spec.IsRoundRobin() {
		return nodes
	}
	return min(2, nodes)
}

// Load balancers send the PROXY protocol.
func isProxied(spec state.Spec) bool {
	return spec.LoadBalancer.ProxyProtocol && !spec.IsRoundRobin()
}

const registryBucket = "image-registry"

// EnsureRegistry gives the image registry its bucket. It runs as early as the cluster permits: operators that depend on
// the registry give up without it.
func (o *Operators) EnsureRegistry() provisioner.StepFunc {
	return provisioner.PollUntil(o.clock, interval, limit, o.ensureRegistryAccess)
}

func (o *Operators) ensureRegistryAccess(ctx context.Context, report provisioner.Report) error {
	key, err := o.keys.Load(ctx, report, assets.PolicyStorage)
	if err != nil {
		return err
	}
	if key.Secret == "" {
		return fault.Newf(fault.Internal, "configure the bucket of the image registry", "the secret of the API key %s is not stored", key.Name)
	}
	action, err := o.cluster.EnsureRegistryAccess(ctx, o.newRegistryBucket(), key, o.placeRegistry())
	if err != nil {
		return err
	}
	report.EmitObject("image-registry", "cluster", "", string(action))
	return nil
}

// With one replica, every drain of its node would stop the pulls of the cluster's own images. The operator puts two on different
// nodes, so there are no more than nodes.
func (o *Operators) placeRegistry() state.Placement {
	placement := state.Placement{Replicas: min(2, len(o.spec.Machines(o.spec.RouterRole())))}
	if o.spec.RouterRole() == state.RoleInfra {
		placement.NodeLabel = infraLabel
	}
	return placement
}

// PlaceMonitoring moves the cluster's own monitoring to the infra nodes.
func (o *Operators) PlaceMonitoring() provisioner.StepFunc {
	return provisioner.PollUntil(o.clock, interval, limit, func(ctx context.Context, report provisioner.Report) error {
		action, err := o.cluster.EnsureMonitoringPlacement(ctx, infraLabel)
		if err != nil {
			return err
		}
		report.EmitObject("config-map", "cluster-monitoring-config", "", string(action))
		return nil
	})
}

func (o *Operators) newRegistryBucket() state.Bucket {
	zone := o.spec.Exoscale.Zone
	return state.Bucket{Name: o.spec.Bucket(registryBucket), Region: zone, Endpoint: "https://" + state.ObjectStorageHost(zone)}
}

// WaitClusterVersion waits until the version is installed and every operator is stable.
func (o *Operators) WaitClusterVersion() provisioner.StepFunc {
	return o.watcher.Until(limit, func(_ provisioner.Report, seen state.Snapshot) error { return checkVersion(seen.Version) })
}

func checkVersion(version state.VersionStatus) error {
	switch {
	case !version.IsInstalled():
		return errors.New(cmp.Or(version.Message, "waiting for the first report of the version operator"))
	case version.Total == 0:
		return errors.New("no operator has reported yet")
	case len(version.Unstable) > 0:
		return fmt.Errorf("%d of %d operators are not stable: %s", len(version.Unstable), version.Total, strings.Join(version.Unstable, ", "))
	}
	return nil
}

// RecordConsole records the address of the web console, and that the cluster is installed.
func (o *Operators) RecordConsole(ctx context.Context, report provisioner.Report) error {
	console, err := o.cluster.GetConsoleURL(ctx)
	if err != nil {
		return err
	}
	if console != "" {
		report.EmitProgress(console)
	}
	return o.facts.Update(func(facts *state.Facts) {
		facts.ConsoleURL = console
		if facts.Installed.IsZero() {
			facts.Installed = o.clock.Now().UTC().Truncate(time.Second)
		}
	})
}
