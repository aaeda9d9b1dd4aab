package argo

import (
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/crypto/bcrypt"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Paths of the API.
const (
	argoGroup       = "argoproj.io"
	AppsPath        = "/apis/argoproj.io/v1alpha1/namespaces/" + SynNamespace
	ArgoCRPath      = "/apis/argoproj.io/v1beta1/namespaces/" + SynNamespace + "/argocds"
	WorkloadsPath   = "/apis/apps/v1/namespaces/" + SynNamespace + "/"
	DefinitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	argoImage       = "quay.io/argoproj/argocd:v3.1.9"
	redisImage      = "docker.io/redis:8.2.2"
	partOf          = "app.kubernetes.io/part-of"
	appName         = "app.kubernetes.io/name"
	argoOperatorNS  = "syn-argocd-operator"
)

// Bounds of what Steward considers a deadlock of Argo CD's operator.
const (
	deadlockMaps = 2
	deadlockAge  = 10 * time.Minute
)

func (s *steward) ensureArgo(ctx context.Context, known registered) error {
	operated, err := s.api.Get(ctx, ArgoCRPath)
	if err != nil && !apiclient.IsCode(err, http.StatusNotFound) {
		return err
	}
	if len(operated.List("items")) > 0 {
		return s.resolveDeadlock(ctx)
	}
	counts := map[string]int{"deployments": 3, "statefulsets": 1}
	for resource, wanted := range counts {
		found, err := s.api.Get(ctx, WorkloadsPath+resource+"?labelSelector="+partOf+"%3Dargocd")
		if err != nil {
			return err
		}
		if len(found.List("items")) != wanted {
			return s.createBootstrapArgo(ctx, known)
		}
	}
	return nil
}

// ensureAdminPassword makes Steward's token Argo CD's password; bcrypt uses its first 72 bytes only.
func (s *steward) ensureAdminPassword(ctx context.Context) error {
	_, err := s.api.Get(ctx, apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource)+"/"+argoSecretName)
	if !apiclient.IsCode(err, http.StatusNotFound) {
		return err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(s.token)[:min(72, len(s.token))], bcrypt.MinCost)
	if err != nil {
		return err
	}
	return s.api.Apply(ctx, apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource), stewardName, kube.Object{"apiVersion": "v1", "kind": "Secret",
		"metadata":   kube.Object{"name": argoSecretName, "namespace": SynNamespace},
		"stringData": kube.Object{"admin.password": string(hash), "admin.passwordMtime": s.now().UTC().Format(time.RFC3339)}})
}

func (s *steward) createBootstrapArgo(ctx context.Context, known registered) error {
	s.console("steward: bootstrapping ArgoCD")
	if known.GitRepo.URL == "" {
		return errors.New("the cluster has no catalog repository yet")
	}
	for _, part := range buildArgoParts(known) {
		if err := s.api.Apply(ctx, part.collection, stewardName, part.object); err != nil {
			return err
		}
	}
	return nil
}

type part struct {
	collection string
	object     kube.Object
}

func buildArgoParts(known registered) []part {
	parts := []part{}
	for _, kind := range []kube.Kind{
		{Group: argoGroup, Version: "v1alpha1", Resource: "applications", Kind: "Application", Namespaced: true},
		{Group: argoGroup, Version: "v1alpha1", Resource: "appprojects", Kind: "AppProject", Namespaced: true},
		{Group: argoGroup, Version: "v1beta1", Resource: "argocds", Kind: "ArgoCD", Namespaced: true, Status: true},
	} {
		definition := kind.Definition()
		definition["apiVersion"], definition["kind"] = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		parts = append(parts, part{DefinitionsPath, definition})
	}
	for name, data := range map[string]kube.Object{
		"argocd-cm": {"application.instanceLabelKey": "argocd.argoproj.io/instance"}, "argocd-rbac-cm": {}, "argocd-tls-certs-cm": {},
		"argocd-ssh-known-hosts-cm": {"ssh_known_hosts": known.GitRepo.HostKeys},
	} {
		parts = append(parts, part{apiclient.FormatResourcePath(SynNamespace, cluster.ConfigMapResource), kube.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": newSynMetadata(name, nil), "data": data}})
	}
	parts = append(parts, part{apiclient.FormatResourcePath(SynNamespace, cluster.SecretResource), kube.Object{"apiVersion": "v1", "kind": "Secret",
		"metadata":   newSynMetadata("cluster-catalog", kube.Object{"argocd.argoproj.io/secret-type": "repository"}),
		"stringData": kube.Object{"type": "git", "name": "cluster-catalog", "url": known.GitRepo.URL}}})
	for _, name := range []string{"redis", "repo-server", "server"} {
		parts = append(parts, part{WorkloadsPath + "deployments", newArgoWorkload("Deployment", "argocd", name, stewardName)})
	}
	parts = append(parts, part{WorkloadsPath + "statefulsets", newArgoWorkload("StatefulSet", "argocd", "application-controller", stewardName)})
	return append(parts, part{AppsPath + "/appprojects", newSynProject()}, part{AppsPath + "/applications", newRootApplication(known.GitRepo.URL)})
}

func newSynMetadata(name string, labels kube.Object) kube.Object {
	merged := kube.Object{partOf: "argocd"}
	for key, value := range labels {
		merged[key] = value
	}
	return kube.Object{"name": name, "namespace": SynNamespace, "labels": merged}
}

func newArgoWorkload(kind, instance, name, account string) kube.Object {
	image, full := argoImage, instance+"-"+name
	if name == "redis" {
		image = redisImage
	}
	labels := kube.Object{appName: full}
	return kube.Object{"apiVersion": "apps/v1", "kind": kind, "metadata": newSynMetadata(full, labels), "spec": kube.Object{
		"replicas": 1, "selector": kube.Object{"matchLabels": labels}, "template": kube.Object{"metadata": kube.Object{"labels": labels},
			"spec": kube.Object{"serviceAccountName": account, "containers": []kube.Object{{"name": name, "image": image}}}}}}
}

func newSynProject() kube.Object {
	return kube.Object{"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": newSynMetadata("syn", nil), "spec": kube.Object{
		"sourceRepos": []string{"*"}, "destinations": []kube.Object{{"namespace": "*", "server": "https://kubernetes.default.svc"}},
		"clusterResourceWhitelist": []kube.Object{{"group": "*", "kind": "*"}}}}
}

func newRootApplication(repository string) kube.Object {
	return kube.Object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": newSynMetadata("root", nil), "spec": kube.Object{
		"project": "syn", "source": kube.Object{"repoURL": repository, "path": "manifests/apps/", "targetRevision": "HEAD"},
		"destination": kube.Object{"server": "https://kubernetes.default.svc", "namespace": SynNamespace},
		"syncPolicy":  kube.Object{"automated": kube.Object{"selfHeal": true, "prune": false}}}}
}

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
