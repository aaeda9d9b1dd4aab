package kube

// Condition returns the condition of a type from status.conditions, or nil.
func (o Object) Condition(kind string) Object {
	conditions, _ := o.Get("status.conditions").([]any)
	for _, item := range conditions {
		if found, _ := item.(map[string]any); found["type"] == kind {
			return found
		}
	}
	return nil
}

// SetCondition sets a condition in status.conditions. Its transition time changes only when its status changes.
func (o Object) SetCondition(now, kind, status, reason, message string) {
	wanted := Object{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}
	conditions := o.List("status.conditions")
	for i, old := range conditions {
		if old.GetString("type") != kind {
			continue
		}
		if old.GetString("status") == status {
			wanted["lastTransitionTime"] = old.GetString("lastTransitionTime")
		}
		conditions[i] = wanted
		o.Set("status.conditions", conditions)
		return
	}
	o.Set("status.conditions", append(conditions, wanted))
}

// IsReady reports whether the condition Ready is true.
func (o Object) IsReady() bool { return o.Condition("Ready").GetString("status") == "True" }

// FormatStatus returns the status of a condition.
func FormatStatus(yes bool) string {
	if yes {
		return "True"
	}
	return "False"
}
