package operators

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

// registryOperator is the operator of the image registry, and that of the samples.
type registryOperator struct{ *loop }

// sync sets, on a platform without storage of its own, the management state to Removed at its first start. An
// existing configuration is kept.
func (k registryOperator) sync(_ context.Context, seen clusterSnapshot) error {
	if _, exists := k.Objects.Get(registryResource, "", "cluster"); exists || seen.schedulingError != "" || requireControlPlane(k.loop, seen) != "" {
		return nil
	}
	if !k.hasLasted("image-registry", "", settleTime) {
		return nil
	}
	config := kube.NewNamed("cluster")
	config.Set("spec", kube.Object{"managementState": registryRemoved, "logLevel": "Normal", "operatorLogLevel": "Normal",
		"replicas": 1, "rolloutStrategy": "RollingUpdate", "storage": kube.Object{}})
	_, err := k.Objects.Create(registryResource, "", config)
	return err
}

// syncSamples is the samples operator at its start: without a registry it removes itself, permanently.
func (k registryOperator) syncSamples(_ context.Context, seen clusterSnapshot) error {
	registry, configured := k.Objects.Get(registryResource, "", "cluster")
	if _, exists := k.Objects.Get(samplesResource, "", "cluster"); exists || !configured || !seen.bootstrapped || !k.hasLasted("samples", "", settleTime) {
		return nil
	}
	config := kube.NewNamed("cluster")
	config.Set("spec", kube.Object{"managementState": "Managed", "architectures": []string{"x86_64"}})
	if registry.GetString("spec.managementState") == registryRemoved {
		config.Set("spec.managementState", registryRemoved)
	}
	_, err := k.Objects.Create(samplesResource, "", config)
	return err
}

// requireRegistry returns what keeps the registry from running. Removed is a valid state: installations complete without
// storage, too. The wording of what is missing is ours.
func requireRegistry(k *loop, seen clusterSnapshot) string {
	if missing := requireBootstrapped(k, seen); missing != "" {
		return missing
	}
	config, exists := k.Objects.Get(registryResource, "", "cluster")
	switch {
	case !exists:
		return "the registry has no configuration"
	case config.GetString("spec.managementState") != "Managed":
		return ""
	case config.Map("spec.storage.s3") != nil:
		return seen.probes.registry
	case len(config.Map("spec.storage")) > 0:
		return "" // no other kind of storage is simulated
	}
	return "unable to sync storage configuration: storage backend not configured"
}
