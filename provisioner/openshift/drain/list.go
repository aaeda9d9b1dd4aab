package drain

import (
	"cmp"
	"context"
	"slices"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const configAnnotation = "machineconfiguration.openshift.io/"

// nodeFields leaves out most of a v1 Node: kubelets list their images.
type nodeFields struct {
	Metadata struct {
		Name        string            `json:"name"`
		UID         string            `json:"uid"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
		Created     metav1.Time       `json:"creationTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Unschedulable bool           `json:"unschedulable"`
		Taints        []corev1.Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Addresses  []corev1.NodeAddress `json:"addresses"`
		Conditions kubeapi.Conditions   `json:"conditions"`
		Info       struct {
			Version string `json:"kubeletVersion"`
		} `json:"nodeInfo"`
	} `json:"status"`
}

func (n nodeFields) toClusterNode() state.ClusterNode {
	ready := n.Status.Conditions.Find("Ready")
	node := state.ClusterNode{
		NodeStatus: state.NodeStatus{Name: n.Metadata.Name, Labels: n.Metadata.Labels, Created: n.Metadata.Created.Time, Ready: ready.Status == "True"},
		Cordoned:   n.Spec.Unschedulable, Version: n.Status.Info.Version,
		Config: n.Metadata.Annotations[configAnnotation+"currentConfig"], DesiredConfig: n.Metadata.Annotations[configAnnotation+"desiredConfig"],
		ConfigState: n.Metadata.Annotations[configAnnotation+"state"],
	}
	if !node.Ready {
		node.Reason = kubeapi.Sanitize(cmp.Or(ready.Message, ready.Reason, "it has not reported yet"))
	}
	for _, address := range n.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			node.Address = cmp.Or(node.Address, address.Address)
		}
	}
	for _, taint := range n.Spec.Taints {
		node.Taints = append(node.Taints, state.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})
	}
	return node
}

// ListClusterNodes returns the nodes, sorted by name.
func (d *Drainer) ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.List[nodeFields](ctx, api, kubeapi.Nodes, "")
	nodes := make([]state.ClusterNode, len(found))
	for i := range found {
		nodes[i] = found[i].toClusterNode()
	}
	stable.Sort(nodes, func(a, b state.ClusterNode) int { return cmp.Compare(a.Name, b.Name) })
	return nodes, err
}

// podFields leaves out most of a v1 Pod.
type podFields struct {
	Metadata struct {
		Namespace   string                  `json:"namespace"`
		Name        string                  `json:"name"`
		UID         string                  `json:"uid"`
		Labels      map[string]string       `json:"labels"`
		Annotations map[string]string       `json:"annotations"`
		Owners      []metav1.OwnerReference `json:"ownerReferences"`
		Deleted     *metav1.Time            `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Volumes []struct {
			EmptyDir *struct{} `json:"emptyDir"`
		} `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Phase      corev1.PodPhase    `json:"phase"`
		Conditions kubeapi.Conditions `json:"conditions"`
	} `json:"status"`
}

func (p podFields) toPod() state.Pod {
	pod := state.Pod{
		Namespace: p.Metadata.Namespace, Name: p.Metadata.Name, UID: p.Metadata.UID, Labels: p.Metadata.Labels,
		Finished: p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed, Ready: p.Status.Conditions.Is("Ready"),
		Ending: p.Metadata.Deleted != nil,
	}
	_, pod.Mirror = p.Metadata.Annotations[corev1.MirrorPodAnnotationKey]
	for _, owner := range p.Metadata.Owners {
		if owner.Controller != nil && *owner.Controller {
			pod.Owner = owner.Kind + "/" + owner.Name
		}
	}
	for _, volume := range p.Spec.Volumes {
		pod.EmptyDir = pod.EmptyDir || volume.EmptyDir != nil
	}
	return pod
}

// ListNodePods returns the pods of a node, sorted by namespace and name.
func (d *Drainer) ListNodePods(ctx context.Context, node string) ([]state.Pod, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.ListByField[podFields](ctx, api, podsOfAll, "spec.nodeName="+node)
	return toPods(found), err
}

// ListRouters returns the routers of all ingress controllers, sorted by name.
func (d *Drainer) ListRouters(ctx context.Context) ([]state.Pod, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.List[podFields](ctx, api, routers, "")
	return toPods(found), err
}

func toPods(found []podFields) []state.Pod {
	pods := make([]state.Pod, len(found))
	for i := range found {
		pods[i] = found[i].toPod()
	}
	stable.Sort(pods, func(a, b state.Pod) int { return cmp.Compare(a.ID(), b.ID()) })
	return pods
}

// ListBudgets returns the disruption budgets of all namespaces.
func (d *Drainer) ListBudgets(ctx context.Context) ([]state.DisruptionBudget, error) {
	api, err := d.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.List[policyv1.PodDisruptionBudget](ctx, api, budgets, "")
	if err != nil {
		return nil, err
	}
	all := make([]state.DisruptionBudget, 0, len(found))
	for _, budget := range found {
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			continue // the API did not accept it either
		}
		all = append(all, state.DisruptionBudget{Namespace: budget.Namespace, Name: budget.Name, Allowed: int(budget.Status.DisruptionsAllowed),
			Selects: func(pod state.Pod) bool {
				return pod.Namespace == budget.Namespace && selector.Matches(labels.Set(pod.Labels))
			}})
	}
	return all, nil
}

type attachmentFields struct {
	Spec struct {
		NodeName string `json:"nodeName"`
		Source   struct {
			Volume string `json:"persistentVolumeName"`
		} `json:"source"`
	} `json:"spec"`
}

// volumeFields has where a persistent volume can be used.
type volumeFields struct {
	Spec struct {
		Claim struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
		Affinity struct {
			Required corev1.NodeSelector `json:"required"`
		} `json:"nodeAffinity"`
	} `json:"spec"`
}

func (v volumeFields) isBoundTo(node string) bool {
	for _, term := range v.Spec.Affinity.Required.NodeSelectorTerms {
		for _, expression := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			if expression.Operator == corev1.NodeSelectorOpIn && slices.Equal(expression.Values, []string{node}) {
				return true
			}
		}
	}
	return false
}
