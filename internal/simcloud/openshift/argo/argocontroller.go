package argo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	applicationResource = "applications.argoproj.io"
	argoInterval        = 10 * time.Second
)

type argoController struct {
	*cluster.Cluster
	api       *apiclient.Client // uses the pod's service account
	instance  string
	repo      *repoServer
	retries   map[string]retry  // by application
	isSettled map[string]uint64 // by application: fingerprints of comparisons that need no repetition
	lastError string
}

type retry struct {
	count int
	after time.Time
}

// Pauses between failed syncs, and the number of retries: after that only another commit or a manual sync starts one.
const (
	minRetryDelay = 5 * time.Second
	maxRetryDelay = 3 * time.Minute
	maxRetries    = 5
)

// RunArgo runs one of Argo CD's programs. The application controller does all the work here; the others only run.
func RunArgo(ctx context.Context, c container.Container) error {
	name, _ := c.Pod.Label(appName)
	instance, isController := strings.CutSuffix(name, "-application-controller")
	if !isController {
		c.Running()
		<-ctx.Done()
		return ctx.Err()
	}
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	outside := c.Machine.Network()
	a := &argoController{Cluster: c.Cluster, api: api, instance: instance, retries: map[string]retry{}, isSettled: map[string]uint64{},
		repo: &repoServer{Cluster: c.Cluster, network: outside, vault: &vaultAgent{http: outside.NewClient(), timeout: c.Cluster.Timeout()}}}
	defer a.repo.vault.http.CloseIdleConnections()
	c.Running()
	for ctx.Err() == nil {
		if err := a.syncAll(ctx); err != nil && err.Error() != a.lastError && ctx.Err() == nil {
			a.lastError = err.Error()
			c.Machine.Console("argocd-application-controller: %v", err)
		}
		_ = c.Cluster.Clock.Sleep(ctx, argoInterval)
	}
	return ctx.Err()
}

// syncAll does nothing while another instance holds the lease.
func (a *argoController) syncAll(ctx context.Context) error {
	if a.instance == bootstrapArgoCD && isWorkloadRunning(a.Cluster, cluster.StatefulSetResource, argoInstance+"-application-controller") {
		return nil
	}
	list, err := a.api.Get(ctx, AppsPath+"/applications")
	if err != nil {
		return err
	}
	if err := a.Members.CheckQuorum(); err != nil {
		return err
	}
	var faults error
	for _, application := range list.List("items") {
		faults = errors.Join(faults, a.reconcile(ctx, application))
	}
	return faults
}

func isWorkloadRunning(c *cluster.Cluster, resource, name string) bool {
	found, _ := c.Objects.Get(resource, SynNamespace, name)
	ready, _ := found.Get("status.readyReplicas").(float64)
	return ready > 0
}

func (a *argoController) reconcile(ctx context.Context, application kube.Object) error {
	if err := a.refresh(application); err != nil {
		return err
	}
	state := appComparison{}
	target, err := a.loadTarget(ctx, application)
	if err != nil {
		return writeStatus(a.Cluster, application, state.renderErrorStatus(err, application, a.Timestamp()))
	}
	state.revision = target.commit
	automated := application.Map("spec.syncPolicy.automated") != nil
	if now := a.computeFingerprint(application, target); now == a.isSettled[application.Name()] {
		return nil
	}
	a.compare(target.objects, &state)
	if automated && !state.synced && a.isSyncDue(application, target.commit) {
		state.operation = a.sync(application, target)
		a.compare(target.objects, &state)
	}
	if state.synced || !automated {
		a.isSettled[application.Name()] = a.computeFingerprint(application, target)
	}
	return writeStatus(a.Cluster, application, state.renderStatus(application, a.Timestamp()))
}

// refreshAnnotation has everything that is cached of an application forgotten, once.
const refreshAnnotation = "argocd.argoproj.io/refresh"

func (a *argoController) refresh(application kube.Object) error {
	if application.Map("metadata.annotations")[refreshAnnotation] != "hard" {
		return nil
	}
	a.repo.cached.at = time.Time{}
	delete(a.repo.targets, application.Name())
	delete(a.isSettled, application.Name())
	_, err := a.Objects.Update(applicationResource, application.Namespace(), application.Name(), func(o kube.Object) error {
		delete(o.Map("metadata.annotations"), refreshAnnotation)
		return nil
	})
	return err
}

func (a *argoController) isSyncDue(application kube.Object, commit string) bool {
	last := kube.Object(application.Map("status.operationState"))
	if last.GetString("phase") == "Failed" && last.GetString("syncResult.revision") == commit {
		return last.GetInt("retryCount") < maxRetries && !a.Clock.Now().Before(a.retries[application.Name()].after)
	}
	delete(a.retries, application.Name())
	return true
}

// loadTarget returns errors in the repo server's wording.
func (a *argoController) loadTarget(ctx context.Context, application kube.Object) (target, error) {
	server := a.instance + "-repo-server"
	if !isWorkloadRunning(a.Cluster, cluster.DeploymentResource, server) {
		return target{}, fmt.Errorf("rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp: "+
			"lookup %s: connection refused\"", server)
	}
	a.repo.plugin = a.instance != bootstrapArgoCD
	found, err := a.repo.getTarget(ctx, application)
	if err != nil {
		return target{}, fmt.Errorf("rpc error: code = Unknown desc = %w", err)
	}
	return found, nil
}

// sync applies the target in the order of kinds.
func (a *argoController) sync(application kube.Object, wanted target) kube.Object {
	last := a.retries[application.Name()]
	operation := kube.Object{"phase": "Succeeded", "message": "successfully synced (all tasks run)", "startedAt": a.Timestamp(), "finishedAt": a.Timestamp(),
		"operation": kube.Object{"initiatedBy": kube.Object{"automated": true}}, "syncResult": kube.Object{"revision": wanted.commit}}
	if err := a.applyAll(application, wanted.objects); err != nil {
		last.count++
		pause := min(minRetryDelay<<min(last.count-1, 10), maxRetryDelay)
		a.retries[application.Name()] = retry{last.count, a.Clock.Now().Add(pause)}
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
		_, err := apiserver.Apply(a.Objects, object.Namespace(), object, "argocd-controller")
		if err == nil {
			continue
		}
		var failure *kube.StatusError
		if errors.As(err, &failure) && failure.Code == http.StatusNotFound && failure.Name == "" {
			return fmt.Errorf("one or more synchronization tasks are not valid due to application controller: The Kubernetes API could not find %s/%s "+
				"for requested resource %s/%s. Make sure the %q CRD is installed on the destination cluster",
				groupOf(object), object.GetString("kind"), object.Namespace(), object.Name(), object.GetString("kind"))
		}
		return fmt.Errorf("one or more objects failed to apply, reason: %w", err)
	}
	return a.prune(application, objects)
}

func (a *argoController) createNamespace(application kube.Object) error {
	for _, option := range kube.Object(application.Map("spec.syncPolicy")).GetStrings("syncOptions") {
		if option == "CreateNamespace=true" {
			return a.Objects.Ensure("namespaces", "", kube.NewNamed(application.GetString("spec.destination.namespace")), nil)
		}
	}
	return nil
}

// prune deletes what the application had and the catalog no longer has, if the application enables pruning.
func (a *argoController) prune(application kube.Object, wanted []kube.Object) error {
	if !application.GetBool("spec.syncPolicy.automated.prune") {
		return nil
	}
	kept := map[string]bool{}
	for _, object := range wanted {
		_, namespace := findKindAndNamespace(a.Objects, object)
		kept[object.GetString("kind")+"/"+namespace+"/"+object.Name()] = true
	}
	for _, old := range application.List("status.resources") {
		kind, known := findKindByName(a.Objects, old.GetString("group"), old.GetString("kind"))
		if !known || kept[old.GetString("kind")+"/"+old.GetString("namespace")+"/"+old.GetString("name")] {
			continue
		}
		_, err := a.Objects.Delete(kind.GroupResource(), old.GetString("namespace"), old.GetString("name"))
		var failure *kube.StatusError
		if err != nil && (!errors.As(err, &failure) || failure.Code != http.StatusNotFound) {
			return err
		}
	}
	return nil
}

func findKindByName(objects *kube.Objects, group, name string) (kube.Kind, bool) {
	return objects.FindKindFunc(func(kind kube.Kind) bool { return kind.Group == group && kind.Kind == name })
}
