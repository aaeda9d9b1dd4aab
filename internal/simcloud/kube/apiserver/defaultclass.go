package apiserver

import (
	"exoshift/internal/simcloud/kube"
)

const (
	claims  = "persistentvolumeclaims"
	classes = "storageclasses.storage.k8s.io"

	isDefaultClass = "storageclass.kubernetes.io/is-default-class"
)

// setDefaultClass gives a new claim without a class the newest default one, if there is any. An empty class is a decision.
func setDefaultClass(objects *kube.Objects, claim kube.Object) {
	if claim.Get("spec.storageClassName") != nil {
		return
	}
	var newest kube.Object
	for _, class := range objects.List(classes, "") {
		if class.Map("metadata.annotations")[isDefaultClass] == "true" && class.GetString("metadata.creationTimestamp") >= newest.GetString("metadata.creationTimestamp") {
			newest = class
		}
	}
	if newest != nil {
		claim.Set("spec.storageClassName", newest.Name())
	}
}
