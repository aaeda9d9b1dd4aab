package openshift

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"exoshift/internal/fault"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	registrySecrets resourcePath = "v1/secrets@openshift-image-registry"
	registryConfigs resourcePath = "imageregistry.operator.openshift.io/v1/configs"
	sampleConfigs   resourcePath = "samples.operator.openshift.io/v1/configs"
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
		ManagementState string         `json:"managementState"`
		Storage         map[string]any `json:"storage"` // of the registry
	} `json:"spec"`
}

// EnsureRegistryAccess gives the image registry the key of its bucket, configures it to use that bucket, and restores the samples
// operator, which removes itself where there is no registry. On a platform without storage of its own the registry starts as
// Removed; until its operator has started, this is fault.Transient, and so is whatever else must exist first. The secret is
// created first, as soon as its namespace exists.
//
// What others have changed is left unchanged: another storage, a registry that was removed since, a key that others wrote.
// Nothing of the key but its name is part of errors.
func (c *Cluster) EnsureRegistryAccess(ctx context.Context, bucket state.Bucket, key state.APIKey) (state.Action, error) {
	const op = "give the image registry its storage"
	if bucket.Name == "" || key.Key == "" || key.Secret == "" {
		return "", fault.Newf(fault.Invalid, op, "the bucket %q or the API key %q is not complete", bucket.Name, key.Name)
	}
	api, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	result := state.Found
	for _, ensure := range []func() (state.Action, error){
		func() (state.Action, error) { return api.ensureRegistrySecret(ctx, key) },
		func() (state.Action, error) { return api.ensureRegistryStorage(ctx, bucket) },
		func() (state.Action, error) { return api.ensureSamples(ctx) },
	} {
		action, err := retryOnConflict(ensure)
		if err != nil {
			return "", err
		}
		if result == state.Found {
			result = action
		}
	}
	return result, nil
}

func (a *api) ensureRegistrySecret(ctx context.Context, key state.APIKey) (state.Action, error) {
	wanted := map[string][]byte{accessKeyField: []byte(key.Key), secretKeyField: []byte(key.Secret)}
	found, exists, err := getObject[corev1.Secret](ctx, a, registrySecrets, registrySecret)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return state.Created, a.createSecret(ctx, wanted)
	case hasData(found.Data, wanted), hasKeyPair(found) && isForeignOwned(found.ObjectMeta, "data", secretKeyField):
		return state.Found, nil
	}
	change, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": found.ResourceVersion}, "data": wanted})
	if err != nil {
		return "", fault.New(fault.Internal, "change the secret "+registrySecret, errors.New("it cannot be written"))
	}
	return state.Updated, redactMessage(a.patch(ctx, registrySecrets, registrySecret, change))
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

func (a *api) createSecret(ctx context.Context, data map[string][]byte) error {
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
	_, err = registrySecrets.toClient(a).Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{FieldManager: fieldManager})
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return fault.Newf(fault.Transient, op, "the namespace openshift-image-registry does not exist yet")
	case apierrors.IsAlreadyExists(err):
		return fault.Newf(fault.Transient, op, "somebody else has just created it")
	}
	return redactMessage(a.toFault(ctx, op, err))
}

// redactMessage removes the API's message from an error: it may quote what it refuses.
func redactMessage(err error) error {
	var failure *fault.Error
	var answer apierrors.APIStatus
	if !errors.As(err, &failure) || !errors.As(err, &answer) {
		return err
	}
	said := answer.Status()
	silent := *failure
	silent.Err = &apierrors.StatusError{ErrStatus: metav1.Status{Status: said.Status, Code: said.Code, Reason: said.Reason,
		Message: "the API refused it: " + string(said.Reason)}}
	return &silent
}
