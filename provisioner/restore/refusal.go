package restore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/text"
	"exoshift/state/restoration"
)

// describeOrigin returns why the cluster makes an object itself; "": it does not.
func describeOrigin(kind restoration.Kind, fields, live document) string {
	if reason := describeKind(kind.Name()); reason != "" {
		return reason
	}
	for _, of := range []document{live, fields} {
		for _, owner := range of.list("metadata", "ownerReferences") {
			if owner.get("controller") == true {
				return text.Sanitize(fmt.Sprintf("%s %s controls it, and makes it: restore that instead", owner.text("kind"), owner.text("name")))
			}
		}
	}
	name := fields.text("metadata", "name")
	switch kind.Name() {
	case "configmaps":
		if name == "kube-root-ca.crt" || name == "openshift-service-ca.crt" {
			return "the cluster publishes it in every namespace"
		}
	case "secrets":
		if account := fields.fields("metadata", "annotations")["kubernetes.io/service-account.name"]; account != nil {
			return text.Sanitize(fmt.Sprintf("the cluster makes it for the service account %v", account))
		}
	case "jobs.batch", "pods":
		if hasEnded(fields) {
			return "it has ended: to create it is to run it again"
		}
	}
	if fields.get("metadata", "deletionTimestamp") != nil {
		return "it was being deleted when the backup was made"
	}
	return ""
}

// describeKind returns why objects of a kind are not restored.
func describeKind(name string) string {
	switch name {
	case "nodes", "csinodes.storage.k8s.io":
		return "a node registers itself: see exoshift nodes"
	case "endpoints", "endpointslices.discovery.k8s.io":
		return "the cluster computes it from Services and pods"
	case "events", "leases.coordination.k8s.io", "volumeattachments.storage.k8s.io", "certificatesigningrequests.certificates.k8s.io", "apirequestcounts.apiserver.openshift.io":
		return "the cluster writes it itself, for the moment"
	case "clusteroperators.config.openshift.io":
		return "the operators write it"
	case "clusterversions.config.openshift.io":
		return "it would change the version of the cluster: see exoshift upgrade"
	}
	return ""
}

// hasEnded reports whether a job or a pod has run to its end.
func hasEnded(fields document) bool {
	if phase := fields.text("status", "phase"); phase == "Succeeded" || phase == "Failed" {
		return true
	}
	return slices.ContainsFunc(fields.list("status", "conditions"), func(condition document) bool {
		return (condition.text("type") == "Complete" || condition.text("type") == "Failed") && condition.text("status") == "True"
	})
}

// describeRefusal returns why an object is not applied from here; "": it may be.
func (r *Restore) describeRefusal(fields, live document) string {
	for _, of := range []document{live, fields} {
		if application := r.findApplication(of); application != "" {
			return text.Sanitize(fmt.Sprintf("the application %s of Argo CD applies it: change it in Git, or sync that", application))
		}
	}
	if live.get("metadata", "deletionTimestamp") != nil {
		return "it is being deleted: run this again once it is gone"
	}
	return ""
}

// findApplication returns the application of Argo CD that tracks an object; "": none. Argo CD marks what it applies by an annotation or a label.
// The label of its default settings is Helm's, too: there it counts only with an application of that name.
func (r *Restore) findApplication(of document) string {
	annotations, labels := of.fields("metadata", "annotations"), of.fields("metadata", "labels")
	if tracking, _ := annotations["argocd.argoproj.io/tracking-id"].(string); tracking != "" {
		application, _, _ := strings.Cut(tracking, ":")
		return application
	}
	if application, _ := labels["argocd.argoproj.io/instance"].(string); application != "" {
		return application
	}
	if application, _ := labels["app.kubernetes.io/instance"].(string); slices.Contains(r.applications, application) {
		return application
	}
	return ""
}

// listAlive returns the UIDs of the owners that the cluster still has.
func (r *Restore) listAlive(ctx context.Context, of restoration.Object, fields document) (map[string]bool, error) {
	alive := map[string]bool{}
	for _, owner := range fields.list("metadata", "ownerReferences") {
		at := slices.IndexFunc(r.served, func(kind restoration.Kind) bool {
			group, _, grouped := strings.Cut(owner.text("apiVersion"), "/")
			if !grouped {
				group = ""
			}
			return kind.Group == group && kind.Kind == owner.text("kind")
		})
		if at < 0 {
			continue
		}
		live, err := r.getLive(ctx, restoration.Object{Kind: r.served[at], Version: owner.text("apiVersion"), Namespace: of.Namespace, Name: owner.text("name")})
		if err != nil {
			return nil, err
		}
		if uid := owner.text("uid"); live != nil && live.text("metadata", "uid") == uid {
			alive[uid] = true
		}
	}
	return alive, nil
}

// checkNamespace returns why the namespace of an object cannot have it, or that the namespace is created first.
func (r *Restore) checkNamespace(ctx context.Context, object restoration.Object) (waits bool, reason string, err error) {
	if object.Namespace == "" {
		return false, "", nil
	}
	live, err := r.getLive(ctx, restoration.Object{Kind: restoration.Kind{Resource: kindNamespaces}, Version: "v1", Name: object.Namespace})
	switch {
	case err != nil:
		return false, "", err
	case live == nil && r.namespaces[object.Namespace]:
		return true, "", nil
	case live == nil:
		return false, fmt.Sprintf("there is no namespace %s: restore that, too, with --kind namespaces", object.Namespace), nil
	case live.get("metadata", "deletionTimestamp") != nil:
		return false, fmt.Sprintf("the namespace %s is being deleted", object.Namespace), nil
	}
	return false, "", nil
}

// dropLostVolume removes the name of a volume that is gone from a claim: it would stay lost, and so it gets a new and empty one.
func (r *Restore) dropLostVolume(ctx context.Context, kind restoration.Kind, fields document) error {
	volume := fields.text("spec", "volumeName")
	if kind.Name() != "persistentvolumeclaims" || volume == "" {
		return nil
	}
	live, err := r.getLive(ctx, restoration.Object{Kind: restoration.Kind{Resource: "persistentvolumes"}, Version: "v1", Name: volume})
	if err == nil && live == nil {
		delete(fields.fields("spec"), "volumeName")
	}
	return err
}
