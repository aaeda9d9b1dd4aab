package kube

// BudgetResource is the resource of PodDisruptionBudgets.
const BudgetResource = "poddisruptionbudgets.policy"

// ListBudgets returns the PodDisruptionBudgets that are about a pod.
func ListBudgets(o *Objects, pod Object) []Object {
	var found []Object
	for _, budget := range o.List(BudgetResource, pod.Namespace()) {
		if IsSelected(budget, pod) {
			found = append(found, budget)
		}
	}
	return found
}

// IsSelected reports whether the selector in an object's spec selects a pod. An empty selector selects all, none selects none.
func IsSelected(object, pod Object) bool {
	if object.Get("spec.selector") == nil {
		return false
	}
	var terms Selector
	for key, value := range object.Map("spec.selector.matchLabels") {
		text, _ := value.(string)
		terms = append(terms, Term{Key: key, Operator: "=", Values: []string{text}})
	}
	operators := map[string]string{"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!exists"}
	for _, expression := range object.List("spec.selector.matchExpressions") {
		terms = append(terms, Term{Key: expression.GetString("key"), Operator: operators[expression.GetString("operator")], Values: expression.GetStrings("values")})
	}
	return Filter{Labels: terms}.IsMatch(pod)
}
