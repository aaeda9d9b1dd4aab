package configure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	registrySecrets kubeapi.ResourcePath = "v1/secrets@openshift-image-registry"
	registryConfigs kubeapi.ResourcePath = "imageregistry.operator.openshift.io/v1/configs"
	sampleConfigs   kubeapi.ResourcePath = "samples.operator.openshift.io/v1/configs"
)

// The secret with the storage credentials for the image registry's operator.
const (
	registrySecret = "image-registry-private-configuration-user"
	accessKeyField = "REGISTRY_STORAGE_S3_ACCESSKEY"
	secretKeyField = "REGISTRY_STORAGE_S3_SECRETKEY"
)

const (
	managed   = "Managed"
	unmanaged = "Unmanaged"
	removed   = "Removed"
)

type operatorConfig struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ManagementState string              `json:"managementState"`
		Storage         map[string]any      `json:"storage"` // of the registry, and the following fields too
		Replicas        int                 `json:"replicas"`
		NodeSelector    map[string]string   `json:"nodeSelector"`
		Tolerations     []corev1.Toleration `json:"tolerations"`
	} `json:"spec"`
}

// EnsureRegistryAccess gives the image registry the key of its bucket, configures it to use that bucket and to run where the
// placement says, and restores the samples operator, which removes itself where there is no registry. On a platform without storage of its own the registry starts as
// Removed; until its operator has started, this is fault.Transient, and so is whatever else must exist first. The secret is
// created first, as soon as its namespace exists.
//
// What others have changed is left unchanged: another storage, a registry that was removed since, a key that others wrote, another
// number of replicas, another place.
// Nothing of the key but its name is part of errors.
func (c *Configurer) EnsureRegistryAccess(ctx context.Context, bucket state.Bucket, key state.APIKey, placement state.Placement) (state.Action, error) {
	const op = "configure the storage of the image registry"
	if bucket.Name == "" || key.Key == "" || key.Secret == "" {
		return "", fault.Newf(fault.Invalid, op, "the bucket %q or the API key %q is not complete", bucket.Name, key.Name)
	}
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	result := state.Found
	for _, ensure := range []func() (state.Action, error){
		func() (state.Action, error) { return ensureRegistrySecret(ctx, api, key) },
		func() (state.Action, error) { return ensureRegistryConfig(ctx, api, bucket, placement) },
		func() (state.Action, error) { return ensureSamples(ctx, api) },
	} {
		action, err := kubeapi.RetryOnConflict(ensure)
		if err != nil {
			return "", err
		}
		if result == state.Found {
			result = action
		}
	}
	return result, nil
}

func ensureRegistrySecret(ctx context.Context, api *kubeapi.Client, key state.APIKey) (state.Action, error) {
	wanted := map[string][]byte{accessKeyField: []byte(key.Key), secretKeyField: []byte(key.Secret)}
	found, exists, err := kubeapi.Get[corev1.Secret](ctx, api, registrySecrets, registrySecret)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return state.Created, createSecret(ctx, api, wanted)
	case hasData(found.Data, wanted), hasKeyPair(found) && kubeapi.IsForeignOwned(found.ObjectMeta, "data", secretKeyField):
		return state.Found, nil
	}
	change, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": found.ResourceVersion}, "data": wanted})
	if err != nil {
		return "", fault.New(fault.Internal, "change the secret "+registrySecret, errors.New("it cannot be written"))
	}
	return state.Updated, kubeapi.RedactMessage(api.Patch(ctx, registrySecrets, registrySecret, change))
}

func hasData(data, wanted map[string][]byte) bool {
	for name, value := range wanted {
		if !bytes.Equal(data[name], value) {
			return false
		}
	}
	return true
}

func hasKeyPair(secret corev1.Secret) bool {
	return len(secret.Data[accessKeyField]) > 0 && len(secret.Data[secretKeyField]) > 0
}

func createSecret(ctx context.Context, api *kubeapi.Client, data map[string][]byte) error {
	const op = "create the secret " + registrySecret
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: registrySecret},
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(secret)
	if err != nil {
		return fault.Newf(fault.Internal, op, "it cannot be written")
	}
	_, err = api.Create(ctx, registrySecrets, content)
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return fault.Newf(fault.Transient, op, "the namespace openshift-image-registry does not exist yet")
	case apierrors.IsAlreadyExists(err):
		return fault.Newf(fault.Transient, op, "someone else has just created it")
	}
	return kubeapi.RedactMessage(api.ToFault(ctx, op, err))
}

// ensureRegistryConfig sets the bucket as unmanaged: the operator must not delete it, nor change its configuration.
func ensureRegistryConfig(ctx context.Context, api *kubeapi.Client, bucket state.Bucket, placement state.Placement) (state.Action, error) {
	const op = "configure the bucket of the image registry"
	found, exists, err := kubeapi.Get[operatorConfig](ctx, api, registryConfigs, "cluster")
	switch {
	case err != nil:
		return "", err
	case !exists:
		return "", fault.Newf(fault.Transient, op, "the image registry's operator has not started yet")
	case found.Spec.ManagementState == unmanaged, hasBackend(found.Spec.Storage) && !usesBucket(found, bucket):
		return state.Found, nil
	}
	change := found.diffPlacement(placement)
	if !hasBackend(found.Spec.Storage) {
		change["managementState"] = managed
		change["storage"] = map[string]any{"managementState": unmanaged, "s3": map[string]any{
			"bucket": bucket.Name, "region": bucket.Region, "regionEndpoint": bucket.Endpoint,
		}}
	}
	if len(change) == 0 {
		return state.Found, nil
	}
	return patchOperatorConfig(ctx, api, registryConfigs, found, change)
}

func usesBucket(config operatorConfig, bucket state.Bucket) bool {
	s3, _ := config.Spec.Storage["s3"].(map[string]any)
	return s3["bucket"] == bucket.Name
}

// registryOperator is the field manager of the registry's own operator, whose defaults are nobody's decision.
const registryOperator = "cluster-image-registry-operator"

// diffPlacement returns the fields that differ and that nobody else has decided about. More replicas than wanted are kept.
func (c operatorConfig) diffPlacement(placement state.Placement) map[string]any {
	change := map[string]any{}
	if c.Spec.Replicas < placement.Replicas && !kubeapi.IsDecided(c.ObjectMeta, registryOperator, "spec", "replicas") {
		change["replicas"] = placement.Replicas
	}
	label := placement.NodeLabel
	if label != "" && len(c.Spec.NodeSelector) == 0 && len(c.Spec.Tolerations) == 0 {
		change["nodeSelector"] = map[string]string{label: ""}
		change["tolerations"] = []corev1.Toleration{{Key: label, Operator: corev1.TolerationOpExists}}
	}
	return change
}

// hasBackend reports whether a storage was chosen: there is a field beside managementState.
func hasBackend(storage map[string]any) bool {
	for name := range storage {
		if name != "managementState" {
			return true
		}
	}
	return false
}

// ensureSamples restores the samples operator once: it removed itself if it started before there was a registry. A release may
// lack it, and then there is no such cluster operator either.
func ensureSamples(ctx context.Context, api *kubeapi.Client) (state.Action, error) {
	found, exists, err := kubeapi.Get[operatorConfig](ctx, api, sampleConfigs, "cluster")
	switch {
	case err != nil:
		return "", err
	case !exists:
		return awaitSamples(ctx, api)
	case found.Spec.ManagementState != removed, kubeapi.IsChanged(found.ObjectMeta):
		return state.Found, nil
	}
	return patchOperatorConfig(ctx, api, sampleConfigs, found, map[string]any{"managementState": managed})
}

func awaitSamples(ctx context.Context, api *kubeapi.Client) (state.Action, error) {
	_, expected, err := kubeapi.Get[operatorConfig](ctx, api, kubeapi.ClusterOperators, "openshift-samples")
	if err == nil && expected {
		err = fault.Newf(fault.Transient, "enable the samples operator", "the samples operator has not started yet")
	}
	return state.Found, err
}

func patchOperatorConfig(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath, found operatorConfig, spec map[string]any) (state.Action, error) {
	change, err := json.Marshal(map[string]any{"metadata": kubeapi.BuildChangedMetadata(found.ObjectMeta), "spec": spec})
	if err != nil {
		return "", fault.New(fault.Internal, "change "+where.String(), err)
	}
	return state.Updated, api.Patch(ctx, where, found.Name, change)
}
