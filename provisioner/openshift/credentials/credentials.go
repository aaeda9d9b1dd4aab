// Package credentials finds the Secrets of a cluster that hold an API key of Exoscale, replaces the key in them, and restarts the workloads
// that got it. Nothing of a key but its ID is part of errors.
package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
	"exoshift/state/rotation"

	corev1 "k8s.io/api/core/v1"
)

const allSecrets kubeapi.ResourcePath = "v1/secrets"

// derived is a Secret that the operator of the image registry makes of the one that it is given.
const derived = "openshift-image-registry/image-registry-private-configuration"

// Keeper replaces API keys in the Secrets of a cluster.
type Keeper struct{ connector *kubeapi.Connector }

// New returns a keeper of the connector's cluster.
func New(connector *kubeapi.Connector) *Keeper { return &Keeper{connector} }

func secretsIn(namespace string) kubeapi.ResourcePath {
	return allSecrets + kubeapi.ResourcePath("@"+namespace)
}

// ListKeyHolders returns the Secrets, sorted, that hold one of some API keys, as the whole values of two fields: its ID and its secret. Of a
// key without a secret, the field of the secret stays "". The Secret that an operator derives from another one is left out.
func (k *Keeper) ListKeyHolders(ctx context.Context, keys ...state.APIKey) ([]rotation.Holder, error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	secrets, err := kubeapi.List[corev1.Secret](ctx, api, allSecrets, "")
	if err != nil {
		return nil, err
	}
	var holders []rotation.Holder
	for _, secret := range secrets {
		for _, key := range keys {
			holder := findKey(secret, key)
			if holder.KeyField == "" || holder.ID() == derived {
				continue
			}
			if holder.Readers, err = listReaders(ctx, api, holder); err != nil {
				return nil, err
			}
			holders = append(holders, holder)
		}
	}
	stable.Sort(holders, func(a, b rotation.Holder) int { return strings.Compare(a.ID(), b.ID()) })
	return holders, nil
}

func findKey(secret corev1.Secret, key state.APIKey) rotation.Holder {
	holder := rotation.Holder{Namespace: secret.Namespace, Name: secret.Name, Key: key.Key, Managed: isManaged(secret)}
	for field, value := range secret.Data {
		switch {
		case key.Key != "" && string(value) == key.Key:
			holder.KeyField = field
		case key.Secret != "" && string(value) == key.Secret:
			holder.SecretField = field
		}
	}
	return holder
}

// isManaged reports whether Argo CD applies an object: it tracks what it applies by one of these.
func isManaged(secret corev1.Secret) bool {
	return secret.Annotations["argocd.argoproj.io/tracking-id"] != "" || secret.Labels["argocd.argoproj.io/instance"] != "" ||
		secret.Labels["app.kubernetes.io/managed-by"] == "argocd"
}

// ReadKey returns the key in a Secret, whose fields are given; an empty one if there is no such Secret.
func (k *Keeper) ReadKey(ctx context.Context, holder rotation.Holder) (state.APIKey, error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return state.APIKey{}, err
	}
	secret, exists, err := kubeapi.Get[corev1.Secret](ctx, api, secretsIn(holder.Namespace), holder.Name)
	if err != nil || !exists {
		return state.APIKey{}, err
	}
	return state.APIKey{Key: string(secret.Data[holder.KeyField]), Secret: string(secret.Data[holder.SecretField])}, nil
}

// ReplaceKey puts a key into a Secret in the place of the one that is expected there: state.Found if it has it already. fault.Conflict: it
// has a third one.
func (k *Keeper) ReplaceKey(ctx context.Context, holder rotation.Holder, key state.APIKey) (state.Action, error) {
	op := "replace the API key in the secret " + holder.ID()
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return kubeapi.RetryOnConflict(func() (state.Action, error) {
		found, exists, err := kubeapi.Get[corev1.Secret](ctx, api, secretsIn(holder.Namespace), holder.Name)
		current := string(found.Data[holder.KeyField])
		switch {
		case err != nil:
			return "", err
		case !exists:
			return "", fault.Newf(fault.NotFound, op, "there is no such Secret")
		case current == key.Key && bytes.Equal(found.Data[holder.SecretField], []byte(key.Secret)):
			return state.Found, nil
		case current != holder.Key && current != key.Key:
			return "", fault.Newf(fault.Conflict, op, "it has another key now, %s", kubeapi.Sanitize(current))
		}
		change, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": found.ResourceVersion},
			"data":     map[string][]byte{holder.KeyField: []byte(key.Key), holder.SecretField: []byte(key.Secret)},
		})
		if err != nil {
			return "", fault.Newf(fault.Internal, op, "it cannot be written")
		}
		return state.Updated, kubeapi.RedactMessage(api.Patch(ctx, secretsIn(holder.Namespace), holder.Name, change))
	})
}

const applications kubeapi.ResourcePath = "argoproj.io/v1alpha1/applications@syn"

// RefreshApplications has Argo CD forget what it has cached, and read the catalog with its secrets again.
func (k *Keeper) RefreshApplications(ctx context.Context) error {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return err
	}
	all, err := kubeapi.List[named](ctx, api, applications, "")
	if err != nil {
		return err
	}
	for _, application := range all {
		if err := api.Patch(ctx, applications, application.Metadata.Name, []byte(`{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"hard"}}}`)); err != nil {
			return err
		}
	}
	return nil
}
