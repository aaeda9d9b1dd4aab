package configure

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type ingressController struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas      *int64 `json:"replicas"`
		NodePlacement struct {
			NodeSelector struct {
				MatchLabels map[string]string `json:"matchLabels"`
			} `json:"nodeSelector"`
			Tolerations []corev1.Toleration `json:"tolerations"`
		} `json:"nodePlacement"`
		Publishing struct {
			Type        string `json:"type"`
			HostNetwork struct {
				Protocol string `json:"protocol"`
			} `json:"hostNetwork"`
		} `json:"endpointPublishingStrategy"`
	} `json:"spec"`
}

// EnsureIngressPlacement moves the routers of the default ingress controller to the nodes with a label ("key" or "key=value"),
// tolerating taints of that key, on the ports of these nodes. With proxyProtocol the routers expect the PROXY protocol of the
// load balancer. Until the controller exists it is fault.Transient. What others have changed since exoshift's first change is
// left unchanged.
func (c *Configurer) EnsureIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return kubeapi.RetryOnConflict(func() (state.Action, error) {
		return ensureIngressPlacement(ctx, api, placement{nodeLabel, int64(replicas), formatProtocol(proxyProtocol), false})
	})
}

// RestoreIngressPlacement does as EnsureIngressPlacement, whoever has changed it since, and keeps workloads off the masters.
func (c *Configurer) RestoreIngressPlacement(ctx context.Context, nodeLabel string, replicas int, proxyProtocol bool) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	if err := api.Patch(ctx, kubeapi.Schedulers, "cluster", []byte(`{"spec":{"mastersSchedulable":false}}`)); err != nil {
		return "", err
	}
	return kubeapi.RetryOnConflict(func() (state.Action, error) {
		return ensureIngressPlacement(ctx, api, placement{nodeLabel, int64(replicas), formatProtocol(proxyProtocol), true})
	})
}

// placement is where the routers belong.
type placement struct {
	nodeLabel string
	replicas  int64
	protocol  string
	always    bool // whatever others have changed
}

func ensureIngressPlacement(ctx context.Context, api *kubeapi.Client, wanted placement) (state.Action, error) {
	controller, exists, err := kubeapi.Get[ingressController](ctx, api, kubeapi.IngressControllers, "default")
	if err != nil {
		return "", err
	}
	if !exists {
		return "", fault.Newf(fault.Transient, "place the routers", "the default ingress controller does not exist yet")
	}
	change := controller.diff(wanted.nodeLabel, wanted.replicas, wanted.protocol)
	if !wanted.always {
		controller.removeForeignFields(change)
	}
	if len(change) == 0 {
		return state.Found, nil
	}
	content, err := json.Marshal(map[string]any{"metadata": kubeapi.BuildChangedMetadata(controller.ObjectMeta), "spec": change})
	if err != nil {
		return "", fault.New(fault.Internal, "place the routers", err)
	}
	return state.Updated, api.Patch(ctx, kubeapi.IngressControllers, "default", content)
}

func formatProtocol(proxyProtocol bool) string {
	if proxyProtocol {
		return "PROXY"
	}
	return "TCP"
}

func (c ingressController) diff(nodeLabel string, replicas int64, protocol string) map[string]any {
	change := map[string]any{}
	if c.Spec.Replicas == nil || *c.Spec.Replicas != replicas {
		change["replicas"] = replicas
	}
	key, value, _ := strings.Cut(nodeLabel, "=")
	if placement := c.diffPlacement(key, value); len(placement) > 0 {
		change["nodePlacement"] = placement
	}
	if c.Spec.Publishing.Type != "HostNetwork" || c.Spec.Publishing.HostNetwork.Protocol != protocol {
		// Parameters of another type must be removed.
		change["endpointPublishingStrategy"] = map[string]any{
			"type": "HostNetwork", "hostNetwork": map[string]any{"protocol": protocol},
			"loadBalancer": nil, "nodePort": nil, "private": nil,
		}
	}
	return change
}

func (c ingressController) removeForeignFields(change map[string]any) {
	if !kubeapi.IsChanged(c.ObjectMeta) {
		return
	}
	for _, path := range [][]string{
		{"replicas"}, {"nodePlacement", "nodeSelector"}, {"endpointPublishingStrategy", "type"}, {"endpointPublishingStrategy", "hostNetwork", "protocol"},
	} {
		if kubeapi.IsForeignOwned(c.ObjectMeta, append([]string{"spec"}, path...)...) {
			delete(change, path[0])
		}
	}
}

func (c ingressController) diffPlacement(key, value string) map[string]any {
	change := map[string]any{}
	labels := map[string]any{}
	for other := range c.Spec.NodePlacement.NodeSelector.MatchLabels {
		if other != key {
			labels[other] = nil
		}
	}
	if got, found := c.Spec.NodePlacement.NodeSelector.MatchLabels[key]; !found || got != value {
		labels[key] = value
	}
	if len(labels) > 0 {
		change["nodeSelector"] = map[string]any{"matchLabels": labels}
	}
	tolerated := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
	present := c.Spec.NodePlacement.Tolerations
	if !slices.ContainsFunc(present, func(t corev1.Toleration) bool { return t.MatchToleration(&tolerated) }) {
		change["tolerations"] = append(slices.Clone(present), tolerated)
	}
	return change
}

// GetConsoleURL returns the URL of the web console, or "" if no router serves one (yet).
func (c *Configurer) GetConsoleURL(ctx context.Context) (string, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	console, _, err := kubeapi.Get[kubeapi.Route](ctx, api, kubeapi.ConsoleRoutes, "console")
	if err != nil {
		return "", err
	}
	if host := console.FindHost(); host != "" {
		return "https://" + host, nil
	}
	return "", nil
}

const (
	monitoringConfigs kubeapi.ResourcePath = "v1/configmaps@openshift-monitoring"

	monitoringConfig = "cluster-monitoring-config"
)

// EnsureMonitoringPlacement schedules the cluster's own monitoring on the nodes with a label, tolerating taints of that key. Its
// configuration is one ConfigMap; one that exists is somebody's decision and left unchanged. Until its namespace exists, this is
// fault.Transient.
func (c *Configurer) EnsureMonitoringPlacement(ctx context.Context, nodeLabel string) (state.Action, error) {
	const op = "place the monitoring"
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	_, exists, err := kubeapi.Get[map[string]any](ctx, api, monitoringConfigs, monitoringConfig)
	switch {
	case err != nil:
		return "", err
	case exists:
		return state.Found, nil
	}
	_, err = api.Create(ctx, monitoringConfigs, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": monitoringConfig},
		"data": map[string]any{"config.yaml": renderMonitoringConfig(nodeLabel)},
	})
	switch {
	case err == nil:
		return state.Created, nil
	case apierrors.IsNotFound(err):
		return "", fault.Newf(fault.Transient, op, "the namespace openshift-monitoring does not exist yet")
	case apierrors.IsAlreadyExists(err):
		return state.Found, nil
	}
	return "", api.ToFault(ctx, op, err)
}

// The components that every supported release has: the operator refuses a configuration with a component that it does not know.
func renderMonitoringConfig(nodeLabel string) string {
	var b strings.Builder
	for _, component := range []string{
		"alertmanagerMain", "kubeStateMetrics", "metricsServer", "monitoringPlugin", "openshiftStateMetrics", "prometheusK8s",
		"prometheusOperator", "telemeterClient", "thanosQuerier",
	} {
		_, _ = fmt.Fprintf(&b, "%s:\n  nodeSelector:\n    %s: \"\"\n  tolerations:\n  - key: %[2]s\n    operator: Exists\n", component, nodeLabel)
	}
	return b.String()
}
