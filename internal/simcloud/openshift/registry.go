package openshift

import (
	"context"

	"exoshift/internal/simcloud/kube"
)

const (
	registryResource  = "configs.imageregistry.operator.openshift.io"
	samplesResource   = "configs.samples.operator.openshift.io"
	registryNamespace = "openshift-image-registry"
	registryRemoved   = "Removed"
)

// imageRegistry is the image registry's operator as it starts: on a platform without storage of its own it makes itself a
// configuration that says that there is no registry. One that is there already stays.
func (k *controllers) imageRegistry(_ context.Context, seen view) error {
	if _, exists := k.objects.Get(registryResource, "", "cluster"); exists || seen.homeless != "" || needsControlPlane(k, seen) != "" {
		return nil
	}
	if !k.held("image-registry", "", settleTime) {
		return nil
	}
	config := named("cluster")
	config.Set("spec", kube.Object{"managementState": registryRemoved, "logLevel": "Normal", "operatorLogLevel": "Normal",
		"replicas": 1, "rolloutStrategy": "RollingUpdate", "storage": kube.Object{}})
	_, err := k.objects.Create(registryResource, "", config)
	return err
}

// samples is the samples operator as it starts: it goes away if there is no registry then, and does not come back by
// itself.
func (k *controllers) samples(_ context.Context, seen view) error {
	registry, configured := k.objects.Get(registryResource, "", "cluster")
	if _, exists := k.objects.Get(samplesResource, "", "cluster"); exists || !configured || !seen.bootstrapped || !k.held("samples", "", settleTime) {
		return nil
	}
	config := named("cluster")
	config.Set("spec", kube.Object{"managementState": "Managed", "architectures": []string{"x86_64"}})
	if registry.Text("spec.managementState") == registryRemoved {
		config.Set("spec.managementState", registryRemoved)
	}
	_, err := k.objects.Create(samplesResource, "", config)
	return err
}

// needsRegistry tells what keeps the registry from running. One that is removed is as it should be: installations end
// without storage, too. The wording of what is missing is ours.
func needsRegistry(k *controllers, seen view) string {
	if missing := needsBootstrapped(k, seen); missing != "" {
		return missing
	}
	config, exists := k.objects.Get(registryResource, "", "cluster")
	switch {
	case !exists:
		return "the registry has no configuration"
	case config.Text("spec.managementState") != "Managed":
		return ""
	case config.Map("spec.storage.s3") != nil:
		return seen.reach.registry
	case len(config.Map("spec.storage")) > 0:
		return "" // no other kind of storage is simulated
	}
	return "unable to sync storage configuration: storage backend not configured"
}
