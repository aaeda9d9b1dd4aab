package operators

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// disruption is the controller of PodDisruptionBudgets: it says how many pods of each may be evicted.
type disruption struct{ *loop }

func (k disruption) sync(_ context.Context, seen clusterSnapshot) error {
	var faults error
	for _, budget := range k.Objects.List(kube.BudgetResource, "") {
		faults = errors.Join(faults, k.syncBudget(budget, seen))
	}
	return faults
}

func (k disruption) syncBudget(budget kube.Object, seen clusterSnapshot) error {
	var pods []kube.Object
	healthy := 0
	for _, pod := range seen.pods {
		if pod.Namespace() != budget.Namespace() || !kube.IsSelected(budget, pod) {
			continue
		}
		pods = append(pods, pod)
		if pod.IsReady() {
			healthy++
		}
	}
	expected := k.countExpected(pods)
	wanted := computeDesired(budget, expected)
	allowed := max(0, healthy-wanted)
	if expected == 0 {
		allowed = 0
	}
	_, err := k.Objects.Update(kube.BudgetResource, budget.Namespace(), budget.Name(), func(o kube.Object) error {
		o.Set("status.observedGeneration", o.Get("metadata.generation"))
		o.Set("status.expectedPods", expected)
		o.Set("status.currentHealthy", healthy)
		o.Set("status.desiredHealthy", wanted)
		o.Set("status.disruptionsAllowed", allowed)
		return nil
	})
	return err
}

// countExpected adds the replicas of the pods' owners, of pods without one their number.
func (k disruption) countExpected(pods []kube.Object) int {
	total, counted := 0, map[string]bool{}
	for _, pod := range pods {
		kind, name, replicas := k.findOwner(pod)
		if counted[kind+name] && replicas > 0 {
			continue
		}
		counted[kind+name] = true
		total += max(replicas, 1)
	}
	return total
}

// findOwner returns 0 replicas for a pod whose owner has no such number.
func (k disruption) findOwner(pod kube.Object) (kind, name string, replicas int) {
	for _, owner := range pod.List("metadata.ownerReferences") {
		kind, name = owner.GetString("kind"), owner.GetString("name")
	}
	resource, namespace := map[string]string{"Deployment": cluster.DeploymentResource, "StatefulSet": cluster.StatefulSetResource}[kind], pod.Namespace()
	if kind == "ReplicaSet" && namespace == ingressNamespace {
		resource, namespace, name = cluster.IngressResource, operatorNamespace, "default"
	}
	if resource == "" {
		return kind, name, 0
	}
	owner, exists := k.Objects.Get(resource, namespace, name)
	if count, ok := owner.Get("spec.replicas").(float64); ok {
		return kind, name, int(count)
	}
	if !exists {
		return kind, name, 0
	}
	return kind, name, 1
}

// computeDesired rounds percentages up, as Kubernetes does for both fields.
func computeDesired(budget kube.Object, expected int) int {
	if least := budget.Get("spec.minAvailable"); least != nil {
		return scaleValue(least, expected)
	}
	if most := budget.Get("spec.maxUnavailable"); most != nil {
		return max(0, expected-scaleValue(most, expected))
	}
	return expected
}

func scaleValue(value any, total int) int {
	if text, ok := value.(string); ok {
		percent, _ := strconv.Atoi(strings.TrimSuffix(text, "%")) // an invalid one is 0
		return int(math.Ceil(float64(percent) * float64(total) / 100))
	}
	number, _ := value.(float64)
	return int(number)
}
