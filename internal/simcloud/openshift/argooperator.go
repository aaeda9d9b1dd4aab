package openshift

import (
	"context"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	argoCRResource  = "argocds.argoproj.io"
	argoInstance    = "syn-argocd"
	bootstrapArgoCD = "argocd"
	operatorEvery   = 10 * time.Second
	// argoSettles is how long the operator works on a new ArgoCD before it makes anything (inferred).
	argoSettles = 90 * time.Second
	// slowStart is how much longer an operator that was in a deadlock takes.
	slowStart = 4 * time.Minute
)

// runArgoOperator is Argo CD's operator in a pod: it makes what each ArgoCD asks for.
func (k *kubelet) runArgoOperator(ctx context.Context, p *pod, _ map[string]string, running func()) error {
	running()
	for ctx.Err() == nil {
		if k.cluster.quorum() == nil {
			for _, wanted := range k.cluster.objects.List(argoCRResource, "") {
				if err := k.operateArgo(p, wanted); err != nil {
					k.machine.Console("argocd-operator: %s: %v", wanted.Name(), err)
				}
			}
		}
		_ = k.world.clock.Sleep(ctx, operatorEvery)
	}
	return ctx.Err()
}

// operateArgo makes one ArgoCD, and takes away what Steward had started in its place (the latter is inferred).
func (k *kubelet) operateArgo(p *pod, wanted kube.Object) error {
	c, namespace := k.cluster, wanted.Namespace()
	if wanted.Text("status.phase") == "" {
		return c.setPhase(wanted, "Pending")
	}
	if c.deadlocked(p, namespace) || !c.settledArgo(p, wanted) {
		return nil
	}
	owner := []kube.Object{{"apiVersion": wanted.Text("apiVersion"), "kind": "ArgoCD", "name": wanted.Name(), "uid": wanted.Text("metadata.uid"), "controller": true}}
	if err := c.adoptArgoSecret(namespace, owner); err != nil {
		return err
	}
	for _, name := range []string{"argocd-cm", "argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"} {
		labels := kube.Object{"app.kubernetes.io/managed-by": wanted.Name(), partOf: "argocd"}
		made := kube.Object{"metadata": kube.Object{"name": name, "labels": labels}}
		if err := c.objects.Ensure(mapResource, namespace, made, func(o kube.Object) error {
			for key, value := range labels {
				o.Map("metadata.labels")[key] = value
			}
			return nil
		}); err != nil {
			return err
		}
	}
	ready, err := c.argoWorkloads(wanted, owner)
	if err != nil || !ready {
		return err
	}
	if err := c.setPhase(wanted, "Available"); err != nil {
		return err
	}
	return c.endBootstrapArgo(namespace)
}

// settledArgo tells whether an ArgoCD is there for long enough.
func (c *cluster) settledArgo(p *pod, wanted kube.Object) bool {
	since, needs := wanted, argoSettles
	if c.troubles.SlowArgo {
		since, needs = p.object, slowStart
	}
	made, err := time.Parse(time.RFC3339, since.Text("metadata.creationTimestamp"))
	return err == nil && c.clock.Now().Sub(made) >= c.troubles.lasting(needs)
}

func (c *cluster) setPhase(argo kube.Object, phase string) error {
	_, err := c.objects.Change(argoCRResource, argo.Namespace(), argo.Name(), func(o kube.Object) error {
		o.Set("status.phase", phase)
		return nil
	})
	return err
}

// deadlocked tells whether this pod of the operator waits for a Secret that is not its own: once, in one kind of trouble.
func (c *cluster) deadlocked(p *pod, namespace string) bool {
	if !c.troubles.SlowArgo {
		return false
	}
	const what = "argocd-operator/deadlock"
	stuck, ever := c.sightings.Get(what)
	secret, exists := c.objects.Get(secretResource, namespace, argoSecretName)
	if !ever && exists && len(secret.List("metadata.ownerReferences")) == 0 {
		stuck = sighting{What: what, State: p.uid, Since: c.clock.Now()}
		_ = c.sightings.Put(what, stuck) // without a disk there is no cluster either
	}
	return stuck.State == p.uid
}

// adoptArgoSecret makes the Secret the operator's.
func (c *cluster) adoptArgoSecret(namespace string, owner []kube.Object) error {
	secret := kube.Object{"metadata": kube.Object{"name": argoSecretName, "ownerReferences": owner}}
	return c.objects.Ensure(secretResource, namespace, secret, func(o kube.Object) error {
		o.Set("metadata.ownerReferences", owner)
		return nil
	})
}

// argoWorkloads makes the programs, and tells whether all run.
func (c *cluster) argoWorkloads(wanted kube.Object, owner []kube.Object) (bool, error) {
	ready := true
	for _, name := range []string{"redis", "repo-server", "server", "application-controller"} {
		kind, resource := "Deployment", deploymentResource
		if name == "application-controller" {
			kind, resource = "StatefulSet", statefulSetResource
		}
		account := wanted.Name() + "-argocd-" + name
		if err := c.objects.Ensure(accountResource, wanted.Namespace(), named(account), nil); err != nil {
			return false, err
		}
		made := argoWorkload(kind, wanted.Name(), name, account)
		made.Set("metadata.ownerReferences", owner)
		if name == "repo-server" {
			made.Set("spec.template.spec.containers", append(kube.Object(made.Map("spec.template.spec")).List("containers"), sidecars()...))
		}
		if err := c.objects.Ensure(resource, wanted.Namespace(), made, nil); err != nil {
			return false, err
		}
		found, _ := c.objects.Get(resource, wanted.Namespace(), made.Name())
		running, _ := found.Get("status.readyReplicas").(float64)
		ready = ready && running > 0
	}
	return ready, c.bindArgo(wanted)
}

// sidecars resolve the references to secrets beside the repo server.
func sidecars() []kube.Object {
	return []kube.Object{{"name": "kapitan", "image": "docker.io/kapicorp/kapitan:v0.34.7"}, {"name": "vault-agent", "image": "docker.io/hashicorp/vault:1.20.4"}}
}

// bindArgo lets the application controller do everything, as component-argocd does.
func (c *cluster) bindArgo(wanted kube.Object) error {
	binding := named(wanted.Name() + "-application-controller-cluster-admin")
	binding["roleRef"] = kube.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
	binding["subjects"] = []kube.Object{{"kind": "ServiceAccount", "namespace": wanted.Namespace(), "name": wanted.Name() + "-argocd-application-controller"}}
	return c.objects.Ensure("clusterrolebindings.rbac.authorization.k8s.io", "", binding, nil)
}

// endBootstrapArgo removes the programs that Steward started.
func (c *cluster) endBootstrapArgo(namespace string) error {
	for _, name := range []string{"redis", "repo-server", "server", "application-controller"} {
		resource := deploymentResource
		if name == "application-controller" {
			resource = statefulSetResource
		}
		full := bootstrapArgoCD + "-" + name
		if _, exists := c.objects.Get(resource, namespace, full); !exists {
			continue
		}
		if _, err := c.objects.Delete(resource, namespace, full); err != nil {
			return err
		}
	}
	return nil
}
