package table

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

func formatNodeAddress(kind string) func(kube.Object) string {
	return func(o kube.Object) string {
		for _, address := range o.List("status.addresses") {
			if address.GetString("type") == kind {
				return address.GetString("address")
			}
		}
		return none
	}
}

func countRestarts(o kube.Object) string {
	restarts := 0
	for _, container := range o.List("status.containerStatuses") {
		restarts += container.GetInt("restartCount")
	}
	return strconv.Itoa(restarts)
}

func formatClusterIP(o kube.Object) string {
	if address := o.GetString("spec.clusterIP"); address != "" {
		return address
	}
	return none
}

func formatExternalIP(o kube.Object) string {
	addresses := o.GetStrings("spec.externalIPs")
	switch o.GetString("spec.type") {
	case "ExternalName":
		return o.GetString("spec.externalName")
	case "LoadBalancer":
		for _, ingress := range o.List("status.loadBalancer.ingress") {
			addresses = append(addresses, ingress.GetString("ip")+ingress.GetString("hostname"))
		}
		if len(addresses) == 0 {
			return "<pending>"
		}
	}
	return joinOr(addresses, none)
}

func joinOr(texts []string, absent string) string {
	if len(texts) == 0 {
		return absent
	}
	return strings.Join(texts, ",")
}

func formatPorts(o kube.Object) string {
	var ports []string
	for _, port := range o.List("spec.ports") {
		protocol := port.GetString("protocol")
		if protocol == "" {
			protocol = "TCP"
		}
		number := strconv.Itoa(port.GetInt("port"))
		if outside := port.GetInt("nodePort"); outside > 0 {
			number += ":" + strconv.Itoa(outside)
		}
		ports = append(ports, number+"/"+protocol)
	}
	return joinOr(ports, none)
}

func formatSelector(path string) func(kube.Object) string {
	return func(o kube.Object) string {
		selector := o.Map(path)
		var terms []string
		for _, key := range slices.Sorted(maps.Keys(selector)) {
			terms = append(terms, fmt.Sprintf("%s=%v", key, selector[key]))
		}
		return joinOr(terms, none)
	}
}

// formatEndpoints names at most three addresses, as the API server does.
func formatEndpoints(o kube.Object) string {
	const shown = 3
	var all []string
	for _, subset := range o.List("subsets") {
		for _, port := range subset.List("ports") {
			for _, address := range subset.List("addresses") {
				all = append(all, fmt.Sprintf("%s:%d", address.GetString("ip"), port.GetInt("port")))
			}
		}
	}
	if len(all) > shown {
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:shown], ","), len(all)-shown)
	}
	return joinOr(all, none)
}

func formatInvolved(o kube.Object) string {
	kind, name := strings.ToLower(o.GetString("involvedObject.kind")), o.GetString("involvedObject.name")
	if name == "" {
		return kind
	}
	return kind + "/" + name
}

func formatPhase(o kube.Object) string {
	if o.Get("metadata.deletionTimestamp") != nil {
		return terminating
	}
	return o.GetString("status.phase")
}

func formatAccessModes(path string) func(kube.Object) string {
	short := map[string]string{"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
	return func(o kube.Object) string {
		var modes []string
		for _, mode := range o.GetStrings(path) {
			modes = append(modes, short[mode])
		}
		return strings.Join(modes, ",")
	}
}

func formatClaim(o kube.Object) string {
	if name := o.GetString("spec.claimRef.name"); name != "" {
		return o.GetString("spec.claimRef.namespace") + "/" + name
	}
	return ""
}

// formatClassName marks the default storage class.
func formatClassName(o kube.Object) string {
	if o.Map("metadata.annotations")["storageclass.kubernetes.io/is-default-class"] == "true" {
		return o.Name() + " (default)"
	}
	return o.Name()
}

func formatJobStatus(o kube.Object) string {
	for _, state := range []string{"Complete", "Failed", "Suspended"} {
		if o.Condition(state).GetString("status") == "True" {
			return state
		}
	}
	if o.Get("metadata.deletionTimestamp") != nil {
		return terminating
	}
	return "Running"
}

func countCompletions(o kube.Object) string {
	wanted := 1
	if o.Get("spec.completions") != nil {
		wanted = o.GetInt("spec.completions")
	}
	return fmt.Sprintf("%d/%d", o.GetInt("status.succeeded"), wanted)
}

func formatJobDuration(o kube.Object, now time.Time) any {
	started := o.GetString("status.startTime")
	if started == "" {
		return ""
	}
	if ended, err := time.Parse(time.RFC3339, o.GetString("status.completionTime")); err == nil {
		now = ended
	}
	return formatAge(started, now)
}

func formatNumberOrPercent(path string) func(kube.Object) string {
	return func(o kube.Object) string {
		switch value := o.Get(path).(type) {
		case string:
			return value
		case float64:
			return strconv.Itoa(int(value))
		}
		return "N/A"
	}
}

func formatRequestedDuration(o kube.Object, now time.Time) any {
	seconds := o.GetInt("spec.expirationSeconds")
	if seconds == 0 {
		return none
	}
	return formatAge(now.Add(-time.Duration(seconds)*time.Second).Format(time.RFC3339Nano), now)
}

// formatContainers joins a field of the containers at a path.
func formatContainers(path, key string) func(kube.Object) string {
	return func(o kube.Object) string {
		var values []string
		for _, container := range o.List(path) {
			values = append(values, container.GetString(key))
		}
		return strings.Join(values, ",")
	}
}
