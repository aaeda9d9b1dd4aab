package kubelet

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
	"exoshift/internal/simcloud/openshift/hostshell"
	"exoshift/internal/simcloud/openshift/volumes"
)

type waitingReason struct{ reason, message string }

// containerRuntime runs the programs in the containers of a node.
type containerRuntime struct {
	cluster *cluster.Cluster
	machine machine.Machine
	api     *apiclient.Client // the node's
	access  apiclient.Access  // how the node itself reaches the API
	online  *atomic.Bool
	// registries that authenticated this machine, by host.
	registries sync.Map
}

const (
	minRestartDelay = 20 * time.Second
	maxRestartDelay = time.Minute
)

func (r *containerRuntime) runContainer(ctx context.Context, p *pod) {
	for pause := minRestartDelay; ; pause = min(2*pause, maxRestartDelay) {
		reason, err := r.execContainer(ctx, p)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			p.ready.Store(false)
			p.done.Store(true)
			return
		}
		p.ready.Store(false)
		found := waitingReason{reason, err.Error()}
		if last := p.waiting.Swap(&found); last == nil || *last != found {
			r.machine.Console("kubelet: pod %s/%s: %s: %s", p.namespace, p.name, reason, found.message)
		}
		if r.cluster.Clock.Sleep(ctx, pause) != nil {
			return
		}
	}
}

func (r *containerRuntime) execContainer(ctx context.Context, p *pod) (reason string, err error) {
	if !p.object.GetBool("spec.hostNetwork") && !r.online.Load() {
		return "NetworkNotReady", errors.New(noNetwork)
	}
	_, container := findProgram(p.object)
	if container == nil {
		return "CreateContainerConfigError", errors.New("the pod has no containers")
	}
	if err := volumes.CheckMounted(r.cluster.Objects, p.object, p.object.GetString("spec.nodeName")); err != nil {
		return "ContainerCreating", err
	}
	if err := r.pullImages(ctx, p.object); err != nil {
		return "ErrImagePull", err
	}
	env, err := r.resolveEnvironment(ctx, p.object, container)
	if err != nil {
		return "CreateContainerConfigError", err
	}
	if err := r.cluster.WaitScaled(ctx, 15*time.Second+cluster.Jitter(p.name, 15*time.Second)); err != nil {
		return "", err
	}
	return "CrashLoopBackOff", r.execute(ctx, p, env)
}

// execute runs the simulated program of a container; nil: it ended successfully. An unknown program runs without effect, or ends
// soon in a Job.
func (r *containerRuntime) execute(ctx context.Context, p *pod, env map[string]string) error {
	program, _ := findProgram(p.object)
	running := func() {
		p.waiting.Store(nil)
		p.ready.Store(true)
	}
	if run, known := programs[program]; known {
		return run(ctx, r.newContainer(p, env, running))
	}
	if probes := listHostProbes(p.object); len(probes) > 0 {
		return r.probeHosts(ctx, p, probes)
	}
	defer hostshell.Begin(r.machine, p.object)()
	running()
	if getOwnerKind(p.object) == "Job" {
		if err := r.cluster.WaitScaled(ctx, jobTime); err != nil {
			return err
		}
		return runJob(ctx, r.newContainer(p, env, running))
	}
	<-ctx.Done()
	return ctx.Err()
}

// newContainer gives a program the API at its service address, or at the node's own once the network plugin redirects there.
func (r *containerRuntime) newContainer(p *pod, env map[string]string, running func()) container.Container {
	server := container.GetAPIAddress(env)
	if server == "https://"+r.cluster.ServiceAddress()+":"+cluster.ServicePort && r.online.Load() {
		server = r.access.Server
	}
	_, started := findProgram(p.object)
	return container.Container{Cluster: r.cluster, Machine: r.machine, Pod: p.object, Env: env, Args: started.GetStrings("args"), APIServer: server, Authority: r.access.Authority, Running: running}
}

func getOwnerKind(pod kube.Object) string {
	for _, owner := range pod.List("metadata.ownerReferences") {
		return owner.GetString("kind")
	}
	return ""
}

// resolveEnvironment resolves a container's variables. By default, the API has its service network address.
func (r *containerRuntime) resolveEnvironment(ctx context.Context, pod, c kube.Object) (map[string]string, error) {
	env := map[string]string{"KUBERNETES_SERVICE_HOST": r.cluster.ServiceAddress(), "KUBERNETES_SERVICE_PORT": cluster.ServicePort}
	for _, from := range c.List("envFrom") {
		if err := r.importAll(ctx, pod.Namespace(), from, env); err != nil {
			return nil, err
		}
	}
	for _, variable := range c.List("env") {
		value, set, err := r.resolveVariable(ctx, pod, variable)
		if err != nil {
			return nil, err
		}
		if set {
			env[variable.GetString("name")] = value
		}
	}
	return env, nil
}

// sourceKind is a kind of source of variables: the field that refers to one key, and the field that refers to all.
type sourceKind struct{ one, all, resource, kind string }

func listSourceKinds() []sourceKind {
	return []sourceKind{{"secretKeyRef", "secretRef", "secrets", "Secret"}, {"configMapKeyRef", "configMapRef", "configmaps", "ConfigMap"}}
}

func (r *containerRuntime) importAll(ctx context.Context, namespace string, from kube.Object, env map[string]string) error {
	for _, source := range listSourceKinds() {
		if from.Map(source.all) == nil {
			continue
		}
		data, err := r.readSource(ctx, source, namespace, from.Map(source.all))
		if err != nil {
			return err
		}
		for key, value := range data {
			env[from.GetString("prefix")+key] = value
		}
	}
	return nil
}

func (r *containerRuntime) resolveVariable(ctx context.Context, pod, variable kube.Object) (value string, set bool, err error) {
	if field := variable.GetString("valueFrom.fieldRef.fieldPath"); field != "" {
		return pod.GetString(field), true, nil
	}
	for _, source := range listSourceKinds() {
		reference := kube.Object(variable.Map("valueFrom." + source.one))
		if reference == nil {
			continue
		}
		data, err := r.readSource(ctx, source, pod.Namespace(), reference)
		if err != nil {
			return "", false, err
		}
		value, found := data[reference.GetString("key")]
		if optional, _ := reference["optional"].(bool); !found && !optional {
			return "", false, fmt.Errorf("couldn't find key %s in %s %s/%s", reference.GetString("key"), source.kind, pod.Namespace(), reference.GetString("name"))
		}
		return value, found, nil
	}
	return variable.GetString("value"), true, nil
}

// readSource returns the data of a Secret or ConfigMap; nothing if it is missing and optional.
func (r *containerRuntime) readSource(ctx context.Context, source sourceKind, namespace string, reference kube.Object) (map[string]string, error) {
	object, err := r.api.Get(ctx, "/api/v1/namespaces/"+namespace+"/"+source.resource+"/"+reference.GetString("name"))
	optional, _ := reference["optional"].(bool)
	switch {
	case apiclient.IsCode(err, http.StatusNotFound) && optional:
		return nil, nil
	case apiclient.IsCode(err, http.StatusNotFound):
		return nil, fmt.Errorf("%s %q not found", strings.ToLower(source.kind), reference.GetString("name"))
	case err != nil:
		return nil, err
	}
	data := map[string]string{}
	for key, value := range object.Map("data") {
		text, _ := value.(string)
		if source.resource == cluster.SecretResource {
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("secret %s/%s, key %s: %w", namespace, reference.GetString("name"), key, err)
			}
			text = string(decoded)
		}
		data[key] = text
	}
	return data, nil
}
