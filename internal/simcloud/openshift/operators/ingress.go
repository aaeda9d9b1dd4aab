package operators

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

const (
	ingressNamespace  = "openshift-ingress"
	operatorNamespace = "openshift-ingress-operator"
)

const (
	// routerDrainTime is for how long a router that ends still serves, and says that it is not ready: ROUTER_GRACEFUL_SHUTDOWN_DELAY.
	routerDrainTime = 45 * time.Second
	// routerSettleTime is for how long a router has been ready before the next one ends.
	routerSettleTime = 30 * time.Second
)

// ingressOperator places the routers.
type ingressOperator struct{ *loop }

// sync creates the default controller once the control plane is complete, and places the wanted number of routers on the
// nodes that its placement selects. Routers use host ports, so there is at most one per node.
func (k ingressOperator) sync(_ context.Context, seen clusterSnapshot) error {
	controller, exists := k.Objects.Get(cluster.IngressResource, operatorNamespace, "default")
	if !exists {
		if !seen.bootstrapped || !k.hasLasted("ingress", "", 20*time.Second) {
			return nil
		}
		return k.createIngress()
	}
	if err := k.moveRouters(controller); err != nil {
		return err
	}
	routers := buildRouters(controller, seen)
	if err := k.removeRouters(routers, seen); err != nil {
		return err
	}
	for _, router := range routers {
		if k.Faults.SlowRouters && slices.ContainsFunc(seen.nodes, isCordoned) {
			router.Set("metadata.annotations."+cluster.SlowStart, "true") // of a new one: Ensure leaves the others as they are
		}
		if err := k.Objects.Ensure(cluster.PodResource, ingressNamespace, router, nil); err != nil {
			return err
		}
	}
	if err := k.ensureRouterBudget(); err != nil {
		return err
	}
	return k.reportIngress(seen, len(routers))
}

// ensureRouterBudget keeps half of the routers serving while nodes are drained.
func (k ingressOperator) ensureRouterBudget() error {
	const name = "router-default"
	if k.Faults.SlowRouters {
		_, err := k.Objects.Delete(kube.BudgetResource, ingressNamespace, name)
		if isStatusCode(err, http.StatusNotFound) {
			err = nil
		}
		return err
	}
	return k.Objects.Ensure(kube.BudgetResource, ingressNamespace, kube.Object{"metadata": kube.Object{"name": name},
		"spec": kube.Object{"maxUnavailable": "50%", "selector": kube.Object{"matchLabels": kube.Object{"app": cluster.RouterApp}}}}, nil)
}

// removeRouters ends the routers that are not wanted, and one after the other those that are wanted in another way.
func (k ingressOperator) removeRouters(wanted map[string]kube.Object, seen clusterSnapshot) error {
	var outdated []kube.Object
	settled := true
	for id, pod := range seen.pods {
		app, _ := pod.Label("app")
		target, ok := wanted[id]
		switch {
		case app != cluster.RouterApp:
		case !ok:
			if _, err := k.Objects.Delete(cluster.PodResource, ingressNamespace, pod.Name()); err != nil {
				return err
			}
		case target.GetString("metadata.annotations.protocol") != pod.GetString("metadata.annotations.protocol"):
			outdated = append(outdated, pod)
		default:
			settled = k.hasLasted("router "+pod.Name(), kube.FormatStatus(pod.IsReady()), routerSettleTime) && pod.IsReady() && settled
		}
	}
	if len(outdated) == 0 {
		return nil
	}
	stable.Sort(outdated, func(a, b kube.Object) int { return strings.Compare(a.Name(), b.Name()) })
	return k.drainRouter(outdated, settled)
}

func (k ingressOperator) drainRouter(outdated []kube.Object, settled bool) error {
	draining := slices.IndexFunc(outdated, func(pod kube.Object) bool { return pod.GetString("metadata.annotations."+cluster.Draining) != "" })
	if draining < 0 && !settled {
		return nil
	}
	pod := outdated[max(0, draining)]
	if draining < 0 {
		_, err := k.Objects.Update(cluster.PodResource, ingressNamespace, pod.Name(), func(o kube.Object) error {
			o.Set("metadata.annotations."+cluster.Draining, "true")
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !k.hasLasted("router draining", pod.GetString("metadata.uid"), routerDrainTime) {
		return nil
	}
	_, err := k.Objects.Delete(cluster.PodResource, ingressNamespace, pod.Name())
	return err
}

func (k ingressOperator) createIngress() error {
	serving, authority, err := k.EnsureRouterCertificate()
	if err != nil {
		return err
	}
	key, err := serving.KeyPEM()
	if err != nil {
		return err
	}
	encode := base64.StdEncoding.EncodeToString
	secret := kube.Object{"metadata": kube.Object{"name": "router-certs-default"}, "type": "kubernetes.io/tls",
		"data": kube.Object{"tls.crt": encode(serving.CertPEM()), "tls.key": encode(key)}}
	if err := k.Objects.Ensure(cluster.SecretResource, ingressNamespace, secret, nil); err != nil {
		return err
	}
	bundle := kube.Object{"metadata": kube.Object{"name": "default-ingress-cert"}, "data": kube.Object{"ca-bundle.crt": string(authority.CertPEM())}}
	if err := k.Objects.Ensure(cluster.ConfigMapResource, "openshift-config-managed", bundle, nil); err != nil {
		return err
	}
	_, err = k.Objects.Create(cluster.IngressResource, operatorNamespace, kube.Object{"metadata": kube.Object{"name": "default"},
		"spec": kube.Object{"replicas": 2}, "status": kube.Object{"domain": k.AppsDomain()}})
	return err
}

// buildRouters returns the wanted router pods, by namespace/name. Nodes that have one keep it; one that is cordoned gets none.
func buildRouters(controller kube.Object, seen clusterSnapshot) map[string]kube.Object {
	replicas := 2
	if count, ok := controller.Get("spec.replicas").(float64); ok {
		replicas = int(count)
	}
	protocol := cmp.Or(controller.GetString("spec.endpointPublishingStrategy.hostNetwork.protocol"), "TCP")
	candidates := slices.DeleteFunc(selectRouterNodes(controller, seen.nodes), func(node kube.Object) bool {
		return isCordoned(node) && rankNode(seen, node) > 0
	})
	stable.Sort(candidates, func(a, b kube.Object) int { return rankNode(seen, a) - rankNode(seen, b) })
	wanted := map[string]kube.Object{}
	for _, node := range candidates[:min(replicas, len(candidates))] {
		name := formatRouterName(node)
		wanted[ingressNamespace+"/"+name] = newBoundPod(ingressNamespace, name, cluster.RouterApp, node.Name(), kube.Object{"protocol": protocol})
	}
	return wanted
}

func formatRouterName(node kube.Object) string { return "router-default-" + node.Name() }

func rankNode(seen clusterSnapshot, node kube.Object) int {
	if _, ok := seen.pods[ingressNamespace+"/"+formatRouterName(node)]; ok {
		return 0
	}
	return 1
}

func selectRouterNodes(controller kube.Object, nodes []kube.Object) []kube.Object {
	selector := controller.Map("spec.nodePlacement.nodeSelector.matchLabels")
	if len(selector) == 0 {
		selector = map[string]any{"node-role.kubernetes.io/worker": ""}
	}
	tolerations := controller.List("spec.nodePlacement.tolerations")
	return slices.DeleteFunc(slices.Clone(nodes), func(node kube.Object) bool {
		for key, value := range selector {
			if got, ok := node.Label(key); !ok || got != value {
				return true
			}
		}
		return node.Condition("Ready").GetString("status") != "True" || findUntolerated(node.List("spec.taints"), tolerations) != nil
	})
}

func (k ingressOperator) reportIngress(seen clusterSnapshot, wanted int) error {
	ready := seen.readyPods[cluster.RouterApp]
	_, err := k.Objects.Update(cluster.IngressResource, operatorNamespace, "default", func(o kube.Object) error {
		o.Set("status.availableReplicas", ready)
		o.Set("status.selector", "ingresscontroller.operator.openshift.io/deployment-ingresscontroller=default")
		o.SetCondition(k.Timestamp(), "Available", kube.FormatStatus(ready > 0), "IngressControllerAvailability", fmt.Sprintf("%d of %d routers are available", ready, wanted))
		o.SetCondition(k.Timestamp(), "Progressing", kube.FormatStatus(ready < wanted), "Deployment", "")
		return nil
	})
	return err
}

// moveRouters simulates another repository that manages the same ingress controller: once, after a placement was set, it moves
// the routers to the masters and makes these schedulable.
func (k ingressOperator) moveRouters(controller kube.Object) error {
	const what = "routers displaced"
	_, done := k.StateRecords.Get(what)
	if !k.Faults.RoutersOnMasters || done || len(controller.Map("spec.nodePlacement.nodeSelector.matchLabels")) == 0 {
		return nil
	}
	if _, err := k.Objects.Update("schedulers.config.openshift.io", "", "cluster", func(o kube.Object) error {
		o.Set("spec.mastersSchedulable", true)
		return nil
	}); err != nil {
		return err
	}
	_, err := k.Objects.Update(cluster.IngressResource, operatorNamespace, "default", func(o kube.Object) error {
		o.Set("spec.nodePlacement", kube.Object{
			"nodeSelector": kube.Object{"matchLabels": kube.Object{cluster.MasterTaint: ""}}, "tolerations": []kube.Object{{"operator": "Exists"}},
		})
		return nil
	})
	if err != nil {
		return err
	}
	return k.StateRecords.Put(what, cluster.StateRecord{What: what, State: "", Since: k.Clock.Now()})
}
