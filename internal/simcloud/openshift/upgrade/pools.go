package upgrade

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Annotations of a node by which the machine config controller and the daemon on the node speak.
const (
	prefix        = "machineconfiguration.openshift.io/"
	CurrentConfig = prefix + "currentConfig"
	DesiredConfig = prefix + "desiredConfig"
	ConfigState   = prefix + "state"
	ConfigReason  = prefix + "reason"
	DesiredDrain  = prefix + "desiredDrain"
	LastDrain     = prefix + "lastAppliedDrain"
)

// The two values of a drain, before the name of the configuration that it is for.
const (
	drainPrefix    = "drain-"
	uncordonPrefix = "uncordon-"
)

// drainRetry is when a drain that a disruption budget holds up is tried again.
const drainRetry = 15 * time.Second

// FormatDrain returns the value by which the daemon asks for its node to be drained for a configuration.
func FormatDrain(config string) string { return drainPrefix + config }

// FormatUncordon returns the value by which the daemon asks for the end of the cordon.
func FormatUncordon(config string) string { return uncordonPrefix + config }

const roleLabel = "node-role.kubernetes.io/"

// IsMember reports whether a node belongs to a pool: masters to theirs, and others to the first custom pool that selects them, or else to the
// workers.
func IsMember(node kube.Object, pool string, pools []kube.Object) bool {
	return findPool(node, pools) == pool
}

func findPool(node kube.Object, pools []kube.Object) string {
	if _, master := node.Label(roleLabel + "master"); master {
		return "master"
	}
	for _, pool := range pools {
		selector := pool.Map("spec.nodeSelector.matchLabels")
		selected := len(selector) > 0 && pool.Name() != "master" && pool.Name() != "worker"
		for key, value := range selector {
			actual, labelled := node.Label(key)
			selected = selected && labelled && actual == value
		}
		if selected {
			return pool.Name()
		}
	}
	if _, worker := node.Label(roleLabel + "worker"); worker {
		return "worker"
	}
	return ""
}

// HasConfig reports whether a node has the configuration of its pool. Until the first update that is the one that it began with.
func (u *Updates) HasConfig(node kube.Object, config string) bool {
	annotations := node.Map("metadata.annotations")
	return annotations[CurrentConfig] == annotations[DesiredConfig] && (u.cluster.ConfigVersion() == "" || annotations[CurrentConfig] == config)
}

// Roll has the nodes of a pool get its configuration, no more of them at once than the pool permits. Nodes that are cordoned or not ready
// count.
func (u *Updates) Roll(pool kube.Object, config string, members []kube.Object) error {
	if u.cluster.ConfigVersion() == "" || pool.GetBool("spec.paused") {
		return nil
	}
	room := getMaxUnavailable(pool, len(members))
	var waiting []string
	for _, node := range members {
		annotations := node.Map("metadata.annotations")
		cordoned := node.GetBool("spec.unschedulable")
		if cordoned || !node.IsReady() || annotations[CurrentConfig] != annotations[DesiredConfig] || annotations[ConfigState] != "Done" {
			room--
		}
		if annotations[DesiredConfig] != config {
			waiting = append(waiting, node.Name())
		}
	}
	slices.Sort(waiting)
	for _, name := range waiting[:max(0, min(room, len(waiting)))] {
		if err := u.annotate(name, map[string]string{DesiredConfig: config}); err != nil {
			return err
		}
	}
	return nil
}

// getMaxUnavailable: 0 counts as 1.
func getMaxUnavailable(pool kube.Object, members int) int {
	switch value := pool.Get("spec.maxUnavailable").(type) {
	case float64:
		return max(1, int(value))
	case string:
		if percent, err := strconv.Atoi(strings.TrimSuffix(value, "%")); err == nil {
			return max(1, members*percent/100)
		}
	}
	return 1
}

func (u *Updates) annotate(node string, values map[string]string) error {
	return Annotate(u.cluster, node, values)
}

// Annotate sets annotations of a node.
func Annotate(c *cluster.Cluster, node string, values map[string]string) error {
	_, err := c.Objects.Update(cluster.NodeResource, "", node, func(o kube.Object) error {
		annotations := o.Map("metadata.annotations")
		for key, value := range values {
			annotations[key] = value
		}
		return nil
	})
	return err
}

// Drain drains the nodes whose daemons ask for it, and ends the cordons of those that are done.
func (u *Updates) Drain(nodes []kube.Object, pods map[string]kube.Object) error {
	var faults error
	for _, node := range nodes {
		annotations := node.Map("metadata.annotations")
		wanted, _ := annotations[DesiredDrain].(string)
		if wanted == "" || wanted == annotations[LastDrain] {
			continue
		}
		faults = errors.Join(faults, u.drainNode(node, wanted, pods))
	}
	return faults
}

func (u *Updates) drainNode(node kube.Object, wanted string, pods map[string]kube.Object) error {
	drains := strings.HasPrefix(wanted, drainPrefix)
	left := 0
	if drains {
		if err := u.cordon(node, true); err != nil {
			return err
		}
		for _, pod := range pods {
			if pod.GetString("spec.nodeName") != node.Name() || staysOnNode(pod) {
				continue
			}
			left++
			if err := u.evict(pod); err != nil {
				return err
			}
		}
	} else if err := u.cordon(node, false); err != nil {
		return err
	}
	if left > 0 {
		u.lasted("drain of "+node.Name(), strconv.Itoa(left), drainRetry) // it is tried again
		return nil
	}
	return u.annotate(node.Name(), map[string]string{LastDrain: wanted})
}

func (u *Updates) cordon(node kube.Object, cordoned bool) error {
	if node.GetBool("spec.unschedulable") == cordoned {
		return nil
	}
	_, err := u.cluster.Objects.Update(cluster.NodeResource, "", node.Name(), func(o kube.Object) error {
		if cordoned {
			o.Set("spec.unschedulable", true)
		} else {
			delete(o.Map("spec"), "unschedulable")
		}
		return nil
	})
	return err
}

// staysOnNode reports whether a drain leaves a pod alone: static pods, those of DaemonSets, and those that have ended.
func staysOnNode(pod kube.Object) bool {
	if slices.Contains([]string{"Succeeded", "Failed"}, pod.GetString("status.phase")) {
		return true
	}
	owners := pod.List("metadata.ownerReferences")
	return len(owners) == 0 || slices.ContainsFunc(owners, func(owner kube.Object) bool {
		return slices.Contains([]string{"Node", "DaemonSet"}, owner.GetString("kind"))
	})
}

// evict deletes a pod if its disruption budgets permit that; otherwise it is tried again.
func (u *Updates) evict(pod kube.Object) error {
	for _, budget := range kube.ListBudgets(u.cluster.Objects, pod) {
		allowed := budget.GetInt("status.disruptionsAllowed")
		if allowed <= 0 && pod.IsReady() {
			return nil
		}
		if _, err := u.cluster.Objects.Update(kube.BudgetResource, budget.Namespace(), budget.Name(), func(o kube.Object) error {
			o.Set("status.disruptionsAllowed", max(0, allowed-1))
			return nil
		}); err != nil {
			return err
		}
	}
	_, err := u.cluster.Objects.Delete(cluster.PodResource, pod.Namespace(), pod.Name())
	return err
}
