package restore

import (
	"strings"

	"exoshift/state/restoration"
)

// prepare removes from an object of a backup what belongs to the object that was, or to the cluster. exists: the cluster has the object.
// isAlive reports whether an owner is the one that the object had.
func prepare(kind restoration.Kind, fields document, exists bool, isAlive func(owner document) bool) {
	metadata := fields.fields("metadata")
	for _, field := range []string{"resourceVersion", "uid", "selfLink", "generation", "creationTimestamp", "managedFields"} {
		delete(metadata, field)
	}
	delete(fields, "status")
	removeKeys(fields.fields("metadata", "annotations"), "deployment.kubernetes.io/revision", "control-plane.alpha.kubernetes.io/leader")
	keepOwners(fields, isAlive)
	switch kind.Name() {
	case kindNamespaces:
		delete(fields, "spec") // the finalizer of the API itself
	case "services":
		prepareService(fields)
	case "persistentvolumeclaims":
		prepareClaim(fields, exists)
	case "persistentvolumes":
		removeKeys(fields.fields("spec", "claimRef"), "uid", "resourceVersion")
	case "jobs.batch":
		prepareJob(fields)
	case "pods":
		delete(fields.fields("spec"), "nodeName")
	case "serviceaccounts":
		prepareAccount(fields)
	}
}

func removeKeys(from map[string]any, keys ...string) {
	for _, key := range keys {
		delete(from, key)
	}
}

// keepOwners removes the references to owners that are gone: whatever refers to one is deleted.
func keepOwners(fields document, isAlive func(owner document) bool) {
	var kept []any
	for _, owner := range fields.list("metadata", "ownerReferences") {
		if isAlive(owner) {
			kept = append(kept, map[string]any(owner))
		}
	}
	metadata := fields.fields("metadata")
	delete(metadata, "ownerReferences")
	if len(kept) > 0 {
		metadata["ownerReferences"] = kept
	}
}

// prepareService has the cluster give the service an address, which may be another one's by now.
func prepareService(fields document) {
	spec := fields.fields("spec")
	if spec["clusterIP"] != "None" {
		removeKeys(spec, "clusterIP", "clusterIPs")
	}
	delete(spec, "healthCheckNodePort")
}

// prepareClaim leaves the binding of a claim that exists to the cluster. A claim that is created names its volume, which may still be there.
func prepareClaim(fields document, exists bool) {
	removeKeys(fields.fields("metadata", "annotations"), "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
		"volume.kubernetes.io/selected-node", "volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner")
	if exists {
		delete(fields.fields("spec"), "volumeName")
	}
}

// prepareJob removes the selector of the job that was.
func prepareJob(fields document) {
	if fields.get("spec", "manualSelector") == true {
		return
	}
	delete(fields.fields("spec"), "selector")
	for _, labels := range []map[string]any{fields.fields("metadata", "labels"), fields.fields("spec", "template", "metadata", "labels")} {
		removeKeys(labels, "controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name")
	}
}

// prepareAccount removes the secrets that OpenShift has made for a service account, which it makes again.
func prepareAccount(fields document) {
	for _, field := range []string{"secrets", "imagePullSecrets"} {
		var kept []any
		for _, reference := range fields.list(field) {
			name := reference.text("name")
			if account := fields.text("metadata", "name"); !strings.HasPrefix(name, account+"-dockercfg-") && !strings.HasPrefix(name, account+"-token-") {
				kept = append(kept, map[string]any(reference))
			}
		}
		delete(fields, field)
		if len(kept) > 0 {
			fields[field] = kept
		}
	}
}
