package apiserver

import (
	"fmt"
	"net/http"
	"slices"

	"exoshift/internal/simcloud/kube"
)

// serveEviction deletes a pod if its PodDisruptionBudget permits that.
func serveEviction(o resources, w http.ResponseWriter, q *http.Request, r request) error {
	eviction, err := decode(q)
	if err != nil {
		return err
	}
	if name := eviction.Name(); name != "" && name != r.name {
		return newMismatchError(name, r.name)
	}
	pod, exists := o.Get(r.kind.GroupResource(), r.namespace, r.name)
	if !exists {
		return kube.NewNotFound(r.kind, r.name)
	}
	if uid := eviction.GetString("deleteOptions.preconditions.uid"); uid != "" && uid != pod.GetString("metadata.uid") {
		return newPreconditionFailed(r.kind, r.name, "UID")
	}
	if err := takeFromBudget(o, pod, r); err != nil {
		return err
	}
	if _, err := o.delete(r); err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, kube.Object{"kind": "Status", "apiVersion": "v1", "metadata": kube.Object{}, "status": "Success", "code": http.StatusCreated})
	return nil
}

// takeFromBudget counts the eviction in the budget at once, before its controller does.
func takeFromBudget(o resources, pod kube.Object, r request) error {
	if slices.Contains([]string{"Pending", "Succeeded", "Failed"}, pod.GetString("status.phase")) {
		return nil
	}
	budgets := kube.ListBudgets(o.Objects, pod)
	switch len(budgets) {
	case 0:
		return nil
	case 1:
	default:
		return &kube.StatusError{Code: http.StatusInternalServerError, Reason: "InternalError", Kind: r.kind, Name: r.name,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}
	}
	budget := budgets[0]
	healthy, wanted := budget.GetInt("status.currentHealthy"), budget.GetInt("status.desiredHealthy")
	if !pod.IsReady() && (budget.GetString("spec.unhealthyPodEvictionPolicy") == "AlwaysAllow" || healthy >= wanted && wanted > 0) {
		return nil
	}
	update := o.Update
	if o.dryRun {
		update = o.PreviewUpdate
	}
	_, err := update(kube.BudgetResource, budget.Namespace(), budget.Name(), func(b kube.Object) error {
		allowed := b.GetInt("status.disruptionsAllowed")
		if allowed <= 0 {
			return &kube.StatusError{Code: http.StatusTooManyRequests, Reason: "TooManyRequests", Kind: r.kind, Name: r.name,
				Message: "Cannot evict pod as it would violate the pod's disruption budget.",
				Causes: []kube.Object{{"reason": "DisruptionBudget", "message": fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently",
					budget.Name(), wanted, healthy)}}}
		}
		b.Set("status.disruptionsAllowed", allowed-1)
		return nil
	})
	return err
}
