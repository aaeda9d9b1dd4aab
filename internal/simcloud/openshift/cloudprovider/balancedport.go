package cloudprovider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
)

// balancedPort is a service of a load balancer, which forwards one port.
type balancedPort struct {
	ID          string       `json:"id,omitempty"`
	Name        string       `json:"name"`
	Pool        *balancePool `json:"instance-pool,omitempty"`
	Protocol    string       `json:"protocol"`
	Strategy    string       `json:"strategy"`
	Port        int          `json:"port"`
	Target      int          `json:"target-port"`
	Healthcheck portCheck    `json:"healthcheck"`
}

type balancePool struct {
	ID string `json:"id"`
}

// portCheck has its durations in seconds.
type portCheck struct {
	Mode     string `json:"mode"`
	Port     int    `json:"port"`
	URI      string `json:"uri,omitempty"`
	Interval int    `json:"interval"`
	Timeout  int    `json:"timeout"`
	Retries  int    `json:"retries"`
}

// ensurePorts creates and changes the services of a load balancer for the ports of a Service, and deletes all others unless the load
// balancer is external.
func (c cloudController) ensurePorts(ctx context.Context, balancer cloudBalancer, service kube.Object, pool string) error {
	there := map[int]balancedPort{}
	for _, known := range balancer.Services {
		there[known.Port] = known
	}
	path := "/v2/load-balancer/" + balancer.ID + "/service"
	for _, port := range service.List("spec.ports") {
		wanted := buildBalancedPort(service, port, pool)
		known, exists := there[wanted.Port]
		delete(there, wanted.Port)
		wanted.ID = known.ID
		switch {
		case !exists:
			if _, err := c.cloud.change(ctx, http.MethodPost, path, wanted); err != nil {
				return err
			}
		case !reflect.DeepEqual(known, wanted):
			wanted.ID, wanted.Pool = "", nil // the pool cannot be changed
			if _, err := c.cloud.change(ctx, http.MethodPut, path+"/"+known.ID, wanted); err != nil {
				return err
			}
		}
	}
	for _, unused := range there {
		if getAnnotation(service, "external") == "true" {
			continue
		}
		if _, err := c.cloud.change(ctx, http.MethodDelete, path+"/"+unused.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// buildBalancedPort returns what a port of a Service wants of a load balancer. By default the check is a connection, with the policy Local
// to the port for health checks: that one accepts connections on every node, and only HTTP tells which ones have a pod.
func buildBalancedPort(service, port kube.Object, pool string) balancedPort {
	number := whole(port["port"])
	target := cmp.Or(whole(port["nodePort"]), number)
	checked := target
	if healthPort := kube.HealthCheckNodePort(service); kube.IsLocal(service) && healthPort != 0 {
		checked = healthPort
	}
	annotatedNumber := func(name string, usual int) int {
		number, err := strconv.Atoi(getAnnotation(service, name))
		if err != nil {
			return usual
		}
		return number
	}
	annotatedSeconds := func(name string, usual int) int {
		duration, err := time.ParseDuration(getAnnotation(service, name))
		if err != nil {
			return usual
		}
		return int(duration.Seconds())
	}
	return balancedPort{
		Name: fmt.Sprintf("%s-%d", service.GetString("metadata.uid"), number), Pool: &balancePool{pool},
		Protocol: "tcp", Strategy: cmp.Or(getAnnotation(service, "service-strategy"), "round-robin"), Port: number, Target: target,
		Healthcheck: portCheck{
			Mode: cmp.Or(getAnnotation(service, "service-healthcheck-mode"), "tcp"), URI: getAnnotation(service, "service-healthcheck-uri"),
			Port:     annotatedNumber("service-healthcheck-port", checked),
			Interval: annotatedSeconds("service-healthcheck-interval", 10), Timeout: annotatedSeconds("service-healthcheck-timeout", 5),
			Retries: annotatedNumber("service-healthcheck-retries", 1),
		},
	}
}
