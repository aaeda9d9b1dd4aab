// Package nodeprobe checks from a node of the cluster whether a load balancer answers: by a pod whose readiness is what the node's kubelet
// finds out about that address.
package nodeprobe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

const (
	pods    kubeapi.ResourcePath = "v1/pods@default"
	allPods kubeapi.ResourcePath = "v1/pods"

	podName = "exoshift-load-balancer-check"
	// addressLabel has the address that a pod is about.
	addressLabel = "exoshift.load-balancer"
	// podLife ends a pod whose maker has died, in seconds.
	podLife int64 = 1800
)

// Prober checks from nodes.
type Prober struct{ connector *kubeapi.Connector }

// New returns a prober of the connector's cluster.
func New(connector *kubeapi.Connector) *Prober { return &Prober{connector} }

// podFields is what is read of a v1 Pod.
type podFields struct {
	Metadata struct {
		Name      string                  `json:"name"`
		Namespace string                  `json:"namespace"`
		Labels    map[string]string       `json:"labels"`
		Owners    []metav1.OwnerReference `json:"ownerReferences"`
		Deleted   *metav1.Time            `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Node       string `json:"nodeName"`
		Containers []struct {
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase      string             `json:"phase"`
		Conditions kubeapi.Conditions `json:"conditions"`
		Containers []struct {
			Name  string `json:"name"`
			Ready bool   `json:"ready"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

func (p podFields) isEnded() bool { return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" }

// CheckAPI returns nil if the API answers.
func (p *Prober) CheckAPI(ctx context.Context) error {
	api, err := p.connector.Connect(ctx)
	if err == nil {
		_, err = api.ListResources(ctx, "v1")
	}
	return err
}

// CheckFromNode returns nil if a node reaches the API (/readyz), the machine config server (/healthz) and the ingress by the load balancer
// with that address. It is called again until then: the pod that checks is made by the first call, and stays until EndNodeChecks.
// fault.Transient: not yet, or not any more.
func (p *Prober) CheckFromNode(ctx context.Context, node, address string) error {
	op := "check " + address + " from " + node
	api, err := p.connector.Connect(ctx)
	if err != nil {
		return err
	}
	found, exists, err := kubeapi.Get[podFields](ctx, api, pods, podName)
	switch {
	case err != nil:
		return err
	case !exists:
		if err := p.create(ctx, api, node, address); err != nil {
			return err
		}
		return fault.Newf(fault.Transient, op, "the pod %s has not started", podName)
	case found.Metadata.Labels[addressLabel] != address, found.Spec.Node != node, found.isEnded(), found.Metadata.Deleted != nil:
		if _, err := p.EndNodeChecks(ctx); err != nil {
			return err
		}
		return fault.Newf(fault.Transient, op, "an earlier check has to end")
	case found.Status.Conditions.Is("Ready"):
		return nil
	}
	var failing []string
	for _, container := range found.Status.Containers {
		if !container.Ready && container.Name != "" {
			failing = append(failing, container.Name)
		}
	}
	if len(failing) == 0 {
		return fault.Newf(fault.Transient, op, "the pod %s has not started", podName)
	}
	return fault.Newf(fault.Transient, op, "no answer for: %s", strings.Join(failing, ", "))
}

// EndNodeChecks deletes the pod that checks: state.Found if there is none.
func (p *Prober) EndNodeChecks(ctx context.Context) (state.Action, error) {
	api, err := p.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	if _, exists, err := kubeapi.Get[podFields](ctx, api, pods, podName); err != nil || !exists {
		return state.Found, err
	}
	err = api.Delete(ctx, pods, podName, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	switch {
	case apierrors.IsNotFound(err):
		return state.Found, nil
	case err != nil:
		return "", api.ToFault(ctx, "delete pod "+podName, err)
	}
	return state.Deleted, nil
}

func (p *Prober) create(ctx context.Context, api *kubeapi.Client, node, address string) error {
	image, err := FindImage(ctx, api, node)
	if err != nil {
		return err
	}
	_, err = api.Create(ctx, pods, buildPod(node, address, image))
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return api.ToFault(ctx, "create pod "+podName, err)
	}
	return nil
}

// FindImage returns an image of OpenShift's own that the node has already, or else that of the release, which every node can pull.
func FindImage(ctx context.Context, api *kubeapi.Client, node string) (string, error) {
	there, err := kubeapi.ListByField[podFields](ctx, api, allPods, "spec.nodeName="+node)
	if err != nil {
		return "", err
	}
	for _, pod := range there {
		ofEveryNode := slices.ContainsFunc(pod.Metadata.Owners, func(o metav1.OwnerReference) bool { return o.Kind == "DaemonSet" })
		if ofEveryNode && strings.HasPrefix(pod.Metadata.Namespace, "openshift-") && pod.Status.Conditions.Is("Ready") && len(pod.Spec.Containers) > 0 {
			return pod.Spec.Containers[0].Image, nil
		}
	}
	version, _, err := kubeapi.Get[struct {
		Status struct {
			Desired struct {
				Image string `json:"image"`
			} `json:"desired"`
		} `json:"status"`
	}](ctx, api, kubeapi.ClusterVersions, "version")
	if err == nil && version.Status.Desired.Image == "" {
		err = fault.Newf(fault.Transient, "find an image for "+node, "the cluster version has none")
	}
	return version.Status.Desired.Image, err
}

// buildPod returns a pod that only sleeps. Probes with a host of their own are what a kubelet carries out in the node's network, with
// whatever certificate the host has.
func buildPod(node, address, image string) map[string]any {
	web := func(port int64, path string) map[string]any {
		return map[string]any{"httpGet": map[string]any{"host": address, "port": port, "path": path, "scheme": "HTTPS"}}
	}
	socket := func(port int64) map[string]any {
		return map[string]any{"tcpSocket": map[string]any{"host": address, "port": port}}
	}
	var containers []any
	for _, check := range []struct {
		name  string
		probe map[string]any
	}{{"api", web(6443, "/readyz")}, {"machine-config", web(22623, "/healthz")}, {"http", socket(80)}, {"https", socket(443)}} {
		check.probe["periodSeconds"], check.probe["timeoutSeconds"], check.probe["failureThreshold"] = int64(10), int64(5), int64(1)
		containers = append(containers, map[string]any{
			"name": check.name, "image": image, "command": []any{"sleep", fmt.Sprint(podLife)}, "readinessProbe": check.probe,
			"resources":       map[string]any{"requests": map[string]any{"cpu": "1m", "memory": "8Mi"}},
			"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
		})
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": podName, "namespace": "default", "labels": map[string]any{addressLabel: address}},
		"spec": map[string]any{
			"nodeName": node, "restartPolicy": "Never", "activeDeadlineSeconds": podLife, "terminationGracePeriodSeconds": int64(0),
			"automountServiceAccountToken": false, "tolerations": []any{map[string]any{"operator": "Exists"}}, "containers": containers,
		},
	}
}
