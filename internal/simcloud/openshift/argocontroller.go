package openshift

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	applicationResource = "applications.argoproj.io"
	argoEvery           = 10 * time.Second
)

// argoController is Argo CD's application controller with its repo server: it makes the cluster what the catalog says.
type argoController struct {
	*cluster
	api      *client // as the pod's service account
	instance string
	repo     *repoServer
	retries  map[string]retry  // by application
	settled  map[string]uint64 // fingerprints of comparisons that need not be made again, by application
	said     string
}

// retry is a sync that failed.
type retry struct {
	count int
	after time.Time
}

// Pauses between syncs that fail, and how often one is repeated: after that only another commit, or a person, has it synced.
const (
	firstRetry = 5 * time.Second
	lastRetry  = 3 * time.Minute
	maxRetries = 5
)

// runArgo runs one of Argo CD's programs: the application controller does all the work here, the others run.
func (k *kubelet) runArgo(ctx context.Context, p *pod, env map[string]string, running func()) error {
	instance, isController := strings.CutSuffix(p.object.Labels()[appName], "-application-controller")
	if !isController {
		running()
		<-ctx.Done()
		return ctx.Err()
	}
	api, err := k.inCluster(p, env)
	if err != nil {
		return err
	}
	defer api.close()
	outside := k.machine.Network()
	a := &argoController{cluster: k.cluster, api: api, instance: instance, retries: map[string]retry{}, settled: map[string]uint64{},
		repo: &repoServer{cluster: k.cluster, network: outside, vault: &vaultAgent{http: outside.Client(), patience: k.cluster.patience()}}}
	defer a.repo.vault.http.CloseIdleConnections()
	running()
	for ctx.Err() == nil {
		if err := a.look(ctx); err != nil && err.Error() != a.said && ctx.Err() == nil {
			a.said = err.Error()
			k.machine.Console("argocd-application-controller: %v", err)
		}
		_ = k.world.clock.Sleep(ctx, argoEvery)
	}
	return ctx.Err()
}

// look reconciles all applications, unless another instance does.
func (a *argoController) look(ctx context.Context) error {
	if a.instance == bootstrapArgoCD && a.runs(statefulSetResource, argoInstance+"-application-controller") {
		return nil
	}
	list, err := a.api.get(ctx, appsPath+"/applications")
	if err != nil {
		return err
	}
	if err := a.quorum(); err != nil {
		return err
	}
	var faults error
	for _, application := range list.List("items") {
		faults = errors.Join(faults, a.reconcile(ctx, application))
	}
	return faults
}

// runs tells whether a workload of Project Syn has a ready pod.
func (c *cluster) runs(resource, name string) bool {
	found, _ := c.objects.Get(resource, synNamespace, name)
	ready, _ := found.Get("status.readyReplicas").(float64)
	return ready > 0
}

// reconcile compares an application with the cluster, syncs it if it shall, and writes how it is.
func (a *argoController) reconcile(ctx context.Context, application kube.Object) error {
	state := assessment{}
	target, err := a.target(ctx, application)
	if err != nil {
		return a.write(application, state.broken(err, application, a.now()))
	}
	state.revision = target.commit
	automated := application.Map("spec.syncPolicy.automated") != nil
	if now := a.fingerprint(application, target); now == a.settled[application.Name()] {
		return nil
	}
	a.compare(target.objects, &state)
	if automated && !state.synced && a.due(application, target.commit) {
		state.operation = a.sync(application, target)
		a.compare(target.objects, &state)
	}
	if state.synced || !automated {
		a.settled[application.Name()] = a.fingerprint(application, target)
	}
	return a.write(application, state.settled(application, a.now()))
}

// due tells whether a commit may be synced, again if need be.
func (a *argoController) due(application kube.Object, commit string) bool {
	last := kube.Object(application.Map("status.operationState"))
	if last.Text("phase") == "Failed" && last.Text("syncResult.revision") == commit {
		return countAt(last, "retryCount") < maxRetries && !a.clock.Now().Before(a.retries[application.Name()].after)
	}
	delete(a.retries, application.Name())
	return true
}

// target returns what the catalog wants of an application; errors are as the repo server says them.
func (a *argoController) target(ctx context.Context, application kube.Object) (target, error) {
	server := a.instance + "-repo-server"
	if !a.runs(deploymentResource, server) {
		return target{}, fmt.Errorf("rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp: "+
			"lookup %s: connection refused\"", server)
	}
	a.repo.plugin = a.instance != bootstrapArgoCD
	found, err := a.repo.target(ctx, application)
	if err != nil {
		return target{}, fmt.Errorf("rpc error: code = Unknown desc = %w", err)
	}
	return found, nil
}

// sync applies what is wanted, in the order of kinds.
func (a *argoController) sync(application kube.Object, wanted target) kube.Object {
	last := a.retries[application.Name()]
	operation := kube.Object{"phase": "Succeeded", "message": "successfully synced (all tasks run)", "startedAt": a.now(), "finishedAt": a.now(),
		"operation": kube.Object{"initiatedBy": kube.Object{"automated": true}}, "syncResult": kube.Object{"revision": wanted.commit}}
	if err := a.applyAll(application, wanted.objects); err != nil {
		last.count++
		pause := min(firstRetry<<min(last.count-1, 10), lastRetry)
		a.retries[application.Name()] = retry{last.count, a.clock.Now().Add(pause)}
		message := err.Error()
		if last.count > 1 {
			message += fmt.Sprintf(" (retried %d times).", last.count-1)
		}
		operation["phase"], operation["message"], operation["retryCount"] = "Failed", message, last.count-1
		return operation
	}
	delete(a.retries, application.Name())
	return operation
}

func (a *argoController) applyAll(application kube.Object, objects []kube.Object) error {
	if err := a.createNamespace(application); err != nil {
		return err
	}
	for _, object := range objects {
		_, err := a.objects.Apply(object.Namespace(), object, "argocd-controller")
		if err == nil {
			continue
		}
		var failure *kube.Failure
		if errors.As(err, &failure) && failure.Code == http.StatusNotFound && failure.Name == "" {
			return fmt.Errorf("one or more synchronization tasks are not valid due to application controller: The Kubernetes API could not find %s/%s "+
				"for requested resource %s/%s. Make sure the %q CRD is installed on the destination cluster",
				groupOf(object), object.Text("kind"), object.Namespace(), object.Name(), object.Text("kind"))
		}
		return fmt.Errorf("one or more objects failed to apply, reason: %w", err)
	}
	return a.prune(application, objects)
}

// createNamespace makes an application's namespace if it asks for that.
func (a *argoController) createNamespace(application kube.Object) error {
	for _, option := range kube.Object(application.Map("spec.syncPolicy")).Texts("syncOptions") {
		if option == "CreateNamespace=true" {
			return a.objects.Ensure("namespaces", "", named(application.Text("spec.destination.namespace")), nil)
		}
	}
	return nil
}

// prune deletes what the application had and the catalog has no more, if the application wants that.
func (a *argoController) prune(application kube.Object, wanted []kube.Object) error {
	if prune, _ := application.Get("spec.syncPolicy.automated.prune").(bool); !prune {
		return nil
	}
	kept := map[string]bool{}
	for _, object := range wanted {
		_, namespace := a.located(object)
		kept[object.Text("kind")+"/"+namespace+"/"+object.Name()] = true
	}
	for _, old := range application.List("status.resources") {
		kind, known := a.kindNamed(old.Text("group"), old.Text("kind"))
		if !known || kept[old.Text("kind")+"/"+old.Text("namespace")+"/"+old.Text("name")] {
			continue
		}
		_, err := a.objects.Delete(kind.GroupResource(), old.Text("namespace"), old.Text("name"))
		var failure *kube.Failure
		if err != nil && (!errors.As(err, &failure) || failure.Code != http.StatusNotFound) {
			return err
		}
	}
	return nil
}

func (c *cluster) kindNamed(group, name string) (kube.Kind, bool) {
	return c.objects.KindThat(func(kind kube.Kind) bool { return kind.Group == group && kind.Kind == name })
}
