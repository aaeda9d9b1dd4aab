package argo

import (
	"context"
	"net/http"
	"time"

	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

// resolveDeadlock deletes the Secret, which is not the operator's own, and the operator's pod: the new pod continues.
func (s *steward) resolveDeadlock(ctx context.Context) error {
	maps, err := s.api.Get(ctx, apiclient.FormatResourcePath(SynNamespace, cluster.ConfigMapResource)+"?labelSelector=app.kubernetes.io%2Fmanaged-by%3D"+argoInstance)
	if err != nil {
		return err
	}
	pods, err := s.api.Get(ctx, apiclient.FormatResourcePath(argoOperatorNS, cluster.PodResource))
	if err != nil || len(maps.List("items")) > deadlockMaps || len(pods.List("items")) == 0 {
		return err
	}
	for _, pod := range pods.List("items") {
		started, err := time.Parse(time.RFC3339, pod.GetString("metadata.creationTimestamp"))
		if err != nil || s.now().Sub(started) < deadlockAge {
			return err
		}
	}
	secret := apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource) + "/" + argoSecretName
	found, err := s.api.Get(ctx, secret)
	switch {
	case apiclient.IsCode(err, http.StatusNotFound):
	case err != nil:
		return err
	case len(found.List("metadata.ownerReferences")) > 0:
		return nil
	default:
		if _, err := s.api.Do(ctx, http.MethodDelete, secret, nil); err != nil {
			return err
		}
	}
	s.console("steward: restarting the ArgoCD operator, which is in a deadlock")
	for _, pod := range pods.List("items") {
		if _, err := s.api.Do(ctx, http.MethodDelete, apiclient.FormatResourcePath(argoOperatorNS, cluster.PodResource)+"/"+pod.Name(), nil); err != nil {
			return err
		}
	}
	return nil
}
