package argo

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

type repoServer struct {
	*cluster.Cluster
	network network.Network
	vault   *vaultAgent
	plugin  bool // references to secrets can be resolved
	cached  checkout
	targets map[string]targetResult // of the cached commit, by application
}

type checkout struct {
	url, key, commit string
	files            map[string][]byte
	err              error
	at               time.Time
}

type target struct {
	commit  string
	objects []kube.Object
}

type targetResult struct {
	target
	err    error
	at     time.Time
	plugin bool
	source string
}

// How long the repo server caches a commit and an error, and the timeout of a fetch.
const (
	catalogAge = 3 * time.Minute
	errorAge   = 40 * time.Second
	gitTimeout = 30 * time.Second
)

func (r *repoServer) getTarget(ctx context.Context, application kube.Object) (target, error) {
	if err := r.fetch(ctx, application.GetString("spec.source.repoURL")); err != nil {
		return target{}, err
	}
	name, source := application.Name(), application.GetString("spec.source.path")+" "+application.GetString("spec.destination.namespace")
	last, known := r.targets[name]
	if !known || last.source != source || last.commit != r.cached.commit || last.plugin != r.plugin || last.err != nil && r.Clock.Now().Sub(last.at) > errorAge {
		found, err := r.loadManifests(ctx, application)
		last = targetResult{target{r.cached.commit, found}, err, r.Clock.Now(), r.plugin, source}
		r.targets[name] = last
	}
	return last.target, last.err
}

func (r *repoServer) fetch(ctx context.Context, url string) error {
	secret, _ := r.Objects.Get(cluster.SecretResource, SynNamespace, deployKeyName)
	key, age := secret.GetString("data.sshPrivateKey"), r.Clock.Now().Sub(r.cached.at)
	if same := r.cached.url == url && r.cached.key == key; same && (r.cached.err == nil && age < catalogAge || r.cached.err != nil && age < errorAge) {
		return r.cached.err
	}
	fresh := checkout{url: url, key: key, at: r.Clock.Now()}
	fresh.files, fresh.commit, fresh.err = r.fetchNow(ctx, url, key)
	if fresh.err != nil {
		fresh.err = fmt.Errorf("failed to list refs: %w", fresh.err)
	}
	if fresh.commit != r.cached.commit || r.targets == nil {
		r.targets = map[string]targetResult{}
	}
	r.cached = fresh
	return fresh.err
}

func (r *repoServer) fetchNow(ctx context.Context, url, key string) (map[string][]byte, string, error) {
	private, err := base64.StdEncoding.DecodeString(key)
	if err != nil || key == "" {
		return nil, "", errors.New("error creating SSH agent: \"SSH agent requested but SSH_AUTH_SOCK not-specified\"")
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return nil, "", err
	}
	hosts, _ := r.Objects.Get(cluster.ConfigMapResource, SynNamespace, "argocd-ssh-known-hosts-cm")
	ctx, cancel := context.WithTimeout(ctx, max(r.Timeout(), gitTimeout))
	defer cancel()
	return githost.Fetch(ctx, githost.Dial(r.network.Dial), url, signer, hosts.GetString("data.ssh_known_hosts"))
}

func (r *repoServer) loadManifests(ctx context.Context, application kube.Object) ([]kube.Object, error) {
	folder := path.Clean(application.GetString("spec.source.path"))
	var names []string
	for name := range r.cached.files {
		if strings.HasPrefix(name, folder+"/") && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: app path does not exist", folder)
	}
	slices.Sort(names)
	var objects []kube.Object
	for _, name := range names {
		content, err := r.resolveSecrets(ctx, string(r.cached.files[name]))
		if err != nil {
			return nil, err
		}
		documents, err := cluster.ParseManifest([]byte(content))
		if err != nil {
			return nil, fmt.Errorf("Failed to unmarshal %q: %w", path.Base(name), err) //nolint:staticcheck // Argo CD's words
		}
		for _, object := range documents {
			objects = append(objects, r.complete(application, object)...)
		}
	}
	stable.Sort(objects, func(a, b kube.Object) int { return getSyncWave(a) - getSyncWave(b) })
	return objects, nil
}

func (r *repoServer) complete(application, object kube.Object) []kube.Object {
	if len(object) == 0 {
		return nil
	}
	if object.GetString("kind") == "List" {
		var all []kube.Object
		for _, item := range object.List("items") {
			all = append(all, r.complete(application, item)...)
		}
		return all
	}
	if kind, err := cluster.FindKindOf(r.Objects, object); object.Namespace() == "" && (err != nil || kind.Namespaced) {
		object.Set("metadata.namespace", application.GetString("spec.destination.namespace"))
	}
	object.Set("metadata.annotations", withTrackingAnnotation(object, application.Name()))
	for key, value := range object.Map("stringData") {
		text, _ := value.(string)
		object.Set("data", withField(object.Map("data"), key, base64.StdEncoding.EncodeToString([]byte(text))))
	}
	delete(object, "stringData")
	return []kube.Object{object}
}

func withTrackingAnnotation(object kube.Object, application string) map[string]any {
	kind := object.GetString("apiVersion") + "/" + object.GetString("kind")
	return withField(object.Map("metadata.annotations"), "argocd.argoproj.io/tracking-id", application+":"+kind+":"+object.Namespace()+"/"+object.Name())
}

func withField(fields map[string]any, key string, value any) map[string]any {
	if fields == nil {
		fields = map[string]any{}
	}
	fields[key] = value
	return fields
}

// getSyncWave orders objects: dependencies are applied first.
func getSyncWave(object kube.Object) int {
	order := []string{"Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "ServiceAccount", "Secret", "ConfigMap", "CustomResourceDefinition",
		"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Service"}
	if at := slices.Index(order, object.GetString("kind")); at >= 0 {
		return at
	}
	return len(order)
}
