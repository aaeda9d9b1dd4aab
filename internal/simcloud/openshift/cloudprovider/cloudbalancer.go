package cloudprovider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
)

const balancerAnnotation = "service.beta.kubernetes.io/exoscale-loadbalancer-"

type cloudBalancer struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	IP       string         `json:"ip"`
	Services []balancedPort `json:"services"`
}

// balancerFinalizer keeps a Service until its load balancer is deleted.
const balancerFinalizer = "service.kubernetes.io/load-balancer-cleanup"

// balance ensures the load balancer of each new or changed Service. An error with one does not stop the others.
func (c cloudController) balance(ctx context.Context) {
	services, err := c.api.Get(ctx, "/api/v1/services")
	if err != nil {
		c.report("services", "failed to list services: %v", err)
		return
	}
	for _, service := range services.List("items") {
		uid := service.GetString("metadata.uid")
		if service.Get("metadata.deletionTimestamp") != nil {
			if err := c.endBalancer(ctx, service); err != nil {
				c.report(uid, "error processing service %s/%s: failed to delete load balancer: %v", service.Namespace(), service.Name(), err)
			}
			continue
		}
		asked := requestOf(service)
		if service.GetString("spec.type") != "LoadBalancer" || c.ensured[uid] == asked {
			continue
		}
		if err := c.ensureBalancer(ctx, service); err != nil {
			c.report(uid, "error processing service %s/%s: failed to ensure load balancer: %v", service.Namespace(), service.Name(), err)
			continue
		}
		c.ensured[uid] = asked
	}
}

func (c cloudController) report(about, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); c.lastErrors[about] != text {
		c.lastErrors[about] = text
		c.console("cloud-controller-manager: %s", text)
	}
}

func requestOf(service kube.Object) string {
	asked, _ := json.Marshal([]any{service.Map("metadata.annotations"), service.Map("spec")}) // it was decoded from JSON
	return string(asked)
}

// ensureBalancer forwards the ports of a Service to a pool. As the real controller does, it adopts any load balancer that the
// Service's annotation names, and renames it, unless it is annotated as external.
func (c cloudController) ensureBalancer(ctx context.Context, service kube.Object) error {
	annotated := func(name string) string { return getAnnotation(service, name) }
	external := annotated("external") == "true"
	pool, err := c.choosePool(ctx, service)
	if err != nil {
		return err
	}
	if err := c.addFinalizer(ctx, service); err != nil {
		return err
	}
	name := cmp.Or(annotated("name"), "k8s-"+service.GetString("metadata.uid"))
	balancer, err := c.balancer(ctx, annotated("id"))
	switch {
	case isGone(err) && external:
		return errors.New("external NLB not found")
	case isGone(err):
		id, err := c.cloud.change(ctx, http.MethodPost, "/v2/load-balancer", map[string]string{"name": name})
		if err == nil {
			balancer, err = c.balancer(ctx, id)
		}
		if err == nil {
			err = c.annotate(ctx, service, "id", id)
		}
		if err != nil {
			return err
		}
	case err != nil:
		return err
	case !external && balancer.Name != name:
		if _, err := c.cloud.change(ctx, http.MethodPut, "/v2/load-balancer/"+balancer.ID, map[string]string{"name": name}); err != nil {
			return err
		}
	}
	if err := c.ensurePorts(ctx, balancer, service, pool); err != nil {
		return err
	}
	status := kube.Object{"status": kube.Object{"loadBalancer": kube.Object{"ingress": []kube.Object{{"ip": balancer.IP}}}}}
	_, err = c.api.Do(ctx, http.MethodPatch, servicePath(service)+"/status", status)
	return err
}

// choosePool returns the pool of the annotation, or annotates that of the nodes.
func (c cloudController) choosePool(ctx context.Context, service kube.Object) (string, error) {
	if pool := getAnnotation(service, "service-instancepool-id"); pool != "" {
		return pool, nil
	}
	pool, err := c.findPool(ctx)
	if err != nil {
		return "", err
	}
	return pool, c.annotate(ctx, service, "service-instancepool-id", pool)
}

func (c cloudController) addFinalizer(ctx context.Context, service kube.Object) error {
	finalizers := service.GetStrings("metadata.finalizers")
	if slices.Contains(finalizers, balancerFinalizer) {
		return nil
	}
	_, err := c.api.Do(ctx, http.MethodPatch, servicePath(service), kube.Object{"metadata": kube.Object{"finalizers": append(finalizers, balancerFinalizer)}})
	return err
}

// endBalancer removes the ports of a Service that is being deleted, and the load balancer once it has none, unless it is annotated as external.
func (c cloudController) endBalancer(ctx context.Context, service kube.Object) error {
	if !slices.Contains(service.GetStrings("metadata.finalizers"), balancerFinalizer) {
		return nil
	}
	annotations := service.Map("metadata.annotations")
	id, _ := annotations[balancerAnnotation+"id"].(string)
	balancer, err := c.balancer(ctx, id)
	if err != nil && !isGone(err) {
		return err
	}
	if err == nil {
		left := 0
		for _, there := range balancer.Services {
			if !strings.HasPrefix(there.Name, service.GetString("metadata.uid")+"-") {
				left++
				continue
			}
			if _, err := c.cloud.change(ctx, http.MethodDelete, "/v2/load-balancer/"+id+"/service/"+there.ID, nil); err != nil {
				return err
			}
		}
		if left == 0 && annotations[balancerAnnotation+"external"] != "true" {
			if _, err := c.cloud.change(ctx, http.MethodDelete, "/v2/load-balancer/"+id, nil); err != nil {
				return err
			}
		}
	}
	_, err = c.api.Do(ctx, http.MethodPatch, servicePath(service), kube.Object{"metadata": kube.Object{"finalizers": nil}})
	return err
}

// findPool returns the instance pool of those nodes that are members of one. The errors are those of the real controller.
func (c cloudController) findPool(ctx context.Context) (pool string, err error) {
	nodes, err := c.api.Get(ctx, apiclient.NodesPath)
	if err != nil {
		return "", err
	}
	instances, err := c.cloud.listInstances(ctx)
	if err != nil {
		return "", err
	}
	for _, node := range nodes.List("items") {
		switch manager := instances[strings.TrimPrefix(node.GetString("spec.providerID"), providerPrefix)].Manager; {
		case manager.Type != "instance-pool" || manager.ID == pool:
		case pool != "":
			return "", errors.New("multiple Instance Pools detected across cluster Nodes, an Instance Pool ID must be specified in Service manifest annotations")
		default:
			pool = manager.ID
		}
	}
	if pool == "" {
		return "", errors.New("couldn't infer any Instance Pool from cluster Nodes")
	}
	return pool, nil
}

func (c cloudController) balancer(ctx context.Context, id string) (found cloudBalancer, err error) {
	if id == "" {
		return found, cloudError{code: http.StatusNotFound}
	}
	err = c.cloud.Get(ctx, "/v2/load-balancer/"+id, &found)
	return found, err
}

func getAnnotation(service kube.Object, name string) string {
	value, _ := service.Map("metadata.annotations")[balancerAnnotation+name].(string)
	return value
}

func (c cloudController) annotate(ctx context.Context, service kube.Object, name, value string) error {
	change := kube.Object{"metadata": kube.Object{"annotations": kube.Object{balancerAnnotation + name: value}}}
	_, err := c.api.Do(ctx, http.MethodPatch, servicePath(service), change)
	return err
}

func whole(value any) int {
	number, _ := value.(float64)
	return int(number)
}

func servicePath(service kube.Object) string {
	return "/api/v1/namespaces/" + service.Namespace() + "/services/" + service.Name()
}
