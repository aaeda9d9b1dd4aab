package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

const (
	gatesNamespace = "openshift-config-managed"
	acksNamespace  = "openshift-config"
	requestCounts  = "apirequestcounts.apiserver.openshift.io"
)

// publishGates has the release ask for a decision about an API that the next minor version removes, and count who uses it.
func publishGates(c *cluster.Cluster) error {
	minor := parseMinor(c.TargetVersion())
	removed := fmt.Sprintf("1.%d", minor+14) // 4.N has Kubernetes 1.(N+13)
	gates := kube.NewNamed("admin-gates")
	gates["data"] = kube.Object{
		fmt.Sprintf("ack-4.%d-kube-%s-api-removals-in-4.%d", minor, removed, minor+1): fmt.Sprintf("Kubernetes %s and therefore OpenShift 4.%d remove several APIs which require admin consideration.", removed, minor+1),
	}
	current, exists := c.Objects.Get(cluster.ConfigMapResource, gatesNamespace, "admin-gates")
	if exists && slices.Equal(slices.Sorted(maps.Keys(current.Map("data"))), slices.Sorted(maps.Keys(gates.Map("data")))) {
		return nil
	}
	if err := c.Objects.Ensure(cluster.ConfigMapResource, gatesNamespace, gates, func(o kube.Object) error {
		o["data"] = gates["data"]
		return nil
	}); err != nil {
		return err
	}
	counts := kube.NewNamed("validatingadmissionpolicies.v1beta1.admissionregistration.k8s.io")
	counts["spec"] = kube.Object{"numberOfUsersToReport": 10}
	counts["status"] = kube.Object{"removedInRelease": removed, "requestCount": 12, "last24h": []kube.Object{{"byNode": []kube.Object{{"byUser": []kube.Object{
		{"username": "system:serviceaccount:shop:deployer", "userAgent": "kubectl/v1.27.4", "requestCount": 12},
	}}}}}}
	return c.Objects.Ensure(requestCounts, "", counts, func(o kube.Object) error {
		o["status"] = counts["status"]
		return nil
	})
}

// listMissingAcks returns the gates of this minor version that nobody has acknowledged.
func listMissingAcks(c *cluster.Cluster) []string {
	gates, _ := c.Objects.Get(cluster.ConfigMapResource, gatesNamespace, "admin-gates")
	acks, _ := c.Objects.Get(cluster.ConfigMapResource, acksNamespace, "admin-acks")
	prefix := fmt.Sprintf("ack-4.%d-", parseMinor(c.TargetVersion()))
	var missing []string
	for _, key := range slices.Sorted(maps.Keys(gates.Map("data"))) {
		if strings.HasPrefix(key, prefix) && acks.Map("data")[key] != "true" {
			missing = append(missing, key)
		}
	}
	return missing
}
