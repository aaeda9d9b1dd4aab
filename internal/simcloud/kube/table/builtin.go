package table

import (
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

// listBuiltinColumns returns the columns of Kubernetes for a resource; nil: they are the name and the age.
func listBuiltinColumns(resource string) []column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "namespaces":
		return []column{name, newColumn("Status", "status.phase"), age}
	case "nodes":
		return []column{name, newTextColumn("Status", formatNodeStatus), newTextColumn("Roles", formatRoles), age,
			newColumn("Version", "status.nodeInfo.kubeletVersion"), newTextColumn("Internal-IP", formatNodeAddress("InternalIP")).widen(),
			newTextColumn("External-IP", formatNodeAddress("ExternalIP")).widen(), newNoticedColumn("OS-Image", "status.nodeInfo.osImage", "<unknown>").widen(),
			newNoticedColumn("Kernel-Version", "status.nodeInfo.kernelVersion", "<unknown>").widen(),
			newNoticedColumn("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", "<unknown>").widen()}
	case "pods":
		return []column{name, newTextColumn("Ready", countReadyContainers), newTextColumn("Status", formatPodStatus), newTextColumn("Restarts", countRestarts), age,
			newNoticedColumn("IP", "status.podIP", none).widen(), newNoticedColumn("Node", "spec.nodeName", none).widen(),
			newNoticedColumn("Nominated Node", "status.nominatedNodeName", none).widen(), newNoticedColumn("Readiness Gates", "", none).widen()}
	case "configmaps":
		return []column{name, newTextColumn("Data", countData), age}
	case "secrets":
		return []column{name, newColumn("Type", "type"), newTextColumn("Data", countData), age}
	case "services":
		return []column{name, newNoticedColumn("Type", "spec.type", "ClusterIP"), newTextColumn("Cluster-IP", formatClusterIP), newTextColumn("External-IP", formatExternalIP),
			newTextColumn("Port(s)", formatPorts), age, newTextColumn("Selector", formatSelector("spec.selector")).widen()}
	case "endpoints":
		return []column{name, newTextColumn("Endpoints", formatEndpoints), age}
	case "events":
		return []column{newEventAgeColumn("Last Seen", "lastTimestamp"), newColumn("Type", "type"), newColumn("Reason", "reason"),
			newTextColumn("Object", formatInvolved), newColumn("Subobject", "involvedObject.fieldPath").widen(), newColumn("Source", "source.component").widen(),
			newTextColumn("Message", func(o kube.Object) string { return strings.TrimSpace(o.GetString("message")) }),
			newEventAgeColumn("First Seen", "firstTimestamp").widen(), newNumberColumn("Count", "count").widen(), nameColumn().widen()}
	case "persistentvolumeclaims":
		return []column{name, newTextColumn("Status", formatPhase), newColumn("Volume", "spec.volumeName"), newColumn("Capacity", "status.capacity.storage"),
			newTextColumn("Access Modes", formatAccessModes("status.accessModes")), newColumn("StorageClass", "spec.storageClassName"),
			newNoticedColumn("VolumeAttributesClass", "spec.volumeAttributesClassName", "<unset>"), age, newNoticedColumn("VolumeMode", "spec.volumeMode", "<unset>").widen()}
	case "persistentvolumes":
		return []column{name, newColumn("Capacity", "spec.capacity.storage"), newTextColumn("Access Modes", formatAccessModes("spec.accessModes")),
			newColumn("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"), newTextColumn("Status", formatPhase), newTextColumn("Claim", formatClaim),
			newColumn("StorageClass", "spec.storageClassName"), newNoticedColumn("VolumeAttributesClass", "spec.volumeAttributesClassName", "<unset>"),
			newColumn("Reason", "status.reason"), age, newNoticedColumn("VolumeMode", "spec.volumeMode", "<unset>").widen()}
	}
	return listGroupColumns(resource)
}

// listGroupColumns is of the kinds outside of the core group.
func listGroupColumns(resource string) []column {
	name, age := nameColumn(), ageColumn()
	const template = "spec.template.spec.containers"
	containers, images := newTextColumn("Containers", formatContainers(template, "name")).widen(), newTextColumn("Images", formatContainers(template, "image")).widen()
	selector := newTextColumn("Selector", formatSelector("spec.selector.matchLabels")).widen()
	switch resource {
	case "deployments.apps":
		return []column{name, newTextColumn("Ready", countReadyReplicas), newNumberColumn("Up-to-date", "status.updatedReplicas"),
			newNumberColumn("Available", "status.availableReplicas"), age, containers, images, selector}
	case "statefulsets.apps":
		return []column{name, newTextColumn("Ready", countReadyReplicas), age, containers, images}
	case "daemonsets.apps":
		return []column{name, newCountColumn("Desired", "status.desiredNumberScheduled"), newCountColumn("Current", "status.currentNumberScheduled"),
			newCountColumn("Ready", "status.numberReady"), newCountColumn("Up-to-date", "status.updatedNumberScheduled"),
			newCountColumn("Available", "status.numberAvailable"), newTextColumn("Node Selector", formatSelector("spec.template.spec.nodeSelector")), age, containers, images, selector}
	case "jobs.batch":
		return []column{name, newTextColumn("Status", formatJobStatus), newTextColumn("Completions", countCompletions),
			{name: "Duration", kind: text, cell: formatJobDuration}, age, containers, images, selector}
	case "leases.coordination.k8s.io":
		return []column{name, newColumn("Holder", "spec.holderIdentity"), age}
	case "poddisruptionbudgets.policy":
		return []column{name, newTextColumn("Min Available", formatNumberOrPercent("spec.minAvailable")),
			newTextColumn("Max Unavailable", formatNumberOrPercent("spec.maxUnavailable")), newCountColumn("Allowed Disruptions", "status.disruptionsAllowed"), age}
	case "storageclasses.storage.k8s.io":
		return []column{newTextColumn("Name", formatClassName), newColumn("Provisioner", "provisioner"), newNoticedColumn("ReclaimPolicy", "reclaimPolicy", "Delete"),
			newNoticedColumn("VolumeBindingMode", "volumeBindingMode", "Immediate"),
			newTextColumn("AllowVolumeExpansion", func(o kube.Object) string { return strconv.FormatBool(o.Get("allowVolumeExpansion") == true) }), age}
	case kube.CSRResource:
		return []column{name, age, newNoticedColumn("SignerName", "spec.signerName", none), newColumn("Requestor", "spec.username"),
			{name: "RequestedDuration", kind: text, cell: formatRequestedDuration}, newTextColumn("Condition", requestCondition)}
	case kube.DefinitionResource:
		created := newColumn("Created At", "metadata.creationTimestamp")
		created.kind = date
		return []column{name, created}
	}
	return nil
}

const none = "<none>"

// newNoticedColumn has the text at a path, or what stands for its absence.
func newNoticedColumn(name, path, absent string) column {
	return newTextColumn(name, func(o kube.Object) string {
		if text := o.GetString(path); text != "" {
			return text
		}
		return absent
	})
}

// newEventAgeColumn has the age of an event's timestamp, or of the only one that newer events have.
func newEventAgeColumn(name, path string) column {
	return column{name: name, kind: text, cell: func(o kube.Object, now time.Time) any {
		for _, field := range []string{path, "firstTimestamp", "eventTime"} {
			if at := o.GetString(field); at != "" {
				return formatAge(at, now)
			}
		}
		return unknownAge
	}}
}
