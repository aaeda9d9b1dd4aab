package argo

import (
	"context"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	argoCRResource   = "argocds.argoproj.io"
	argoInstance     = "syn-argocd"
	bootstrapArgoCD  = "argocd"
	operatorInterval = 10 * time.Second
	// argoSettleTime is how long the operator processes a new ArgoCD before it creates anything (inferred).
	argoSettleTime = 90 * time.Second
	// slowStart is the additional time of an operator that was in a deadlock.
	slowStart = 4 * time.Minute
)

// RunArgoOperator is the operator of Argo CD in a pod.
func RunArgoOperator(ctx context.Context, c container.Container) error {
	c.Running()
	o := argoOperator{Cluster: c.Cluster, pod: c.Pod}
	for ctx.Err() == nil {
		if c.Cluster.Members.CheckQuorum() == nil {
			for _, wanted := range c.Cluster.Objects.List(argoCRResource, "") {
				if err := o.sync(wanted); err != nil {
					c.Machine.Console("argocd-operator: %s: %v", wanted.Name(), err)
				}
			}
		}
		_ = c.Cluster.Clock.Sleep(ctx, operatorInterval)
	}
	return ctx.Err()
}

type argoOperator struct {
	*cluster.Cluster
	pod kube.Object // of this operator
}

// sync also removes what Steward started in its place (inferred).
func (c argoOperator) sync(wanted kube.Object) error {
	namespace := wanted.Namespace()
	if wanted.GetString("status.phase") == "" {
		return c.setPhase(wanted, "Pending")
	}
	if c.isDeadlocked(namespace) || !c.isSettled(wanted) {
		return nil
	}
	owner := []kube.Object{{"apiVersion": wanted.GetString("apiVersion"), "kind": "ArgoCD", "name": wanted.Name(), "uid": wanted.GetString("metadata.uid"), "controller": true}}
	if err := c.setSecretOwner(namespace, owner); err != nil {
		return err
	}
	for _, name := range []string{"argocd-cm", "argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"} {
		labels := kube.Object{"app.kubernetes.io/managed-by": wanted.Name(), partOf: "argocd"}
		made := kube.Object{"metadata": kube.Object{"name": name, "labels": labels}}
		if err := c.Objects.Ensure(cluster.ConfigMapResource, namespace, made, func(o kube.Object) error {
			for key, value := range labels {
				o.Map("metadata.labels")[key] = value
			}
			return nil
		}); err != nil {
			return err
		}
	}
	ready, err := c.ensureWorkloads(wanted, owner)
	if err != nil || !ready {
		return err
	}
	if err := c.setPhase(wanted, "Available"); err != nil {
		return err
	}
	return c.removeBootstrapArgo(namespace)
}

func (c argoOperator) isSettled(wanted kube.Object) bool {
	since, needs := wanted, argoSettleTime
	if c.Faults.SlowArgo {
		since, needs = c.pod, slowStart
	}
	made, err := time.Parse(time.RFC3339, since.GetString("metadata.creationTimestamp"))
	return err == nil && c.Clock.Now().Sub(made) >= c.Faults.ScaleDuration(needs)
}

func (c argoOperator) setPhase(argo kube.Object, phase string) error {
	_, err := c.Objects.Update(argoCRResource, argo.Namespace(), argo.Name(), func(o kube.Object) error {
		o.Set("status.phase", phase)
		return nil
	})
	return err
}

// isDeadlocked reports whether this pod of the operator waits for a Secret of another owner: once, under the SlowArgo fault.
func (c argoOperator) isDeadlocked(namespace string) bool {
	if !c.Faults.SlowArgo {
		return false
	}
	const what = "argocd-operator/deadlock"
	stuck, ever := c.StateRecords.Get(what)
	secret, exists := c.Objects.Get(cluster.SecretResource, namespace, argoSecretName)
	if !ever && exists && len(secret.List("metadata.ownerReferences")) == 0 {
		stuck = cluster.StateRecord{What: what, State: c.pod.GetString("metadata.uid"), Since: c.Clock.Now()}
		_ = c.StateRecords.Put(what, stuck) // without a disk there is no cluster either
	}
	return stuck.State == c.pod.GetString("metadata.uid")
}

func (c argoOperator) setSecretOwner(namespace string, owner []kube.Object) error {
	secret := kube.Object{"metadata": kube.Object{"name": argoSecretName, "ownerReferences": owner}}
	return c.Objects.Ensure(cluster.SecretResource, namespace, secret, func(o kube.Object) error {
		o.Set("metadata.ownerReferences", owner)
		return nil
	})
}

func (c argoOperator) ensureWorkloads(wanted kube.Object, owner []kube.Object) (bool, error) {
	ready := true
	for _, name := range []string{"redis", "repo-server", "server", "application-controller"} {
		kind, resource := "Deployment", cluster.DeploymentResource
		if name == "application-controller" {
			kind, resource = "StatefulSet", cluster.StatefulSetResource
		}
		account := wanted.Name() + "-argocd-" + name
		if err := c.Objects.Ensure(cluster.AccountResource, wanted.Namespace(), kube.NewNamed(account), nil); err != nil {
			return false, err
		}
		made := newArgoWorkload(kind, wanted.Name(), name, account)
		made.Set("metadata.ownerReferences", owner)
		if name == "repo-server" {
			made.Set("spec.template.spec.containers", append(kube.Object(made.Map("spec.template.spec")).List("containers"), buildSidecars()...))
		}
		if err := c.Objects.Ensure(resource, wanted.Namespace(), made, nil); err != nil {
			return false, err
		}
		found, _ := c.Objects.Get(resource, wanted.Namespace(), made.Name())
		running, _ := found.Get("status.readyReplicas").(float64)
		ready = ready && running > 0
	}
	return ready, c.bindController(wanted)
}

func buildSidecars() []kube.Object {
	return []kube.Object{{"name": "kapitan", "image": "docker.io/kapicorp/kapitan:v0.34.7"}, {"name": "vault-agent", "image": "docker.io/hashicorp/vault:1.20.4"}}
}

// bindController binds the application controller to cluster-admin, as component-argocd does.
func (c argoOperator) bindController(wanted kube.Object) error {
	binding := kube.NewNamed(wanted.Name() + "-application-controller-cluster-admin")
	binding["roleRef"] = kube.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
	binding["subjects"] = []kube.Object{{"kind": "ServiceAccount", "namespace": wanted.Namespace(), "name": wanted.Name() + "-argocd-application-controller"}}
	return c.Objects.Ensure("clusterrolebindings.rbac.authorization.k8s.io", "", binding, nil)
}

func (c argoOperator) removeBootstrapArgo(namespace string) error {
	for _, name := range []string{"redis", "repo-server", "server", "application-controller"} {
		resource := cluster.DeploymentResource
		if name == "application-controller" {
			resource = cluster.StatefulSetResource
		}
		full := bootstrapArgoCD + "-" + name
		if _, exists := c.Objects.Get(resource, namespace, full); !exists {
			continue
		}
		if _, err := c.Objects.Delete(resource, namespace, full); err != nil {
			return err
		}
	}
	return nil
}
