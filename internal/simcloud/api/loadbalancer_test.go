package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	egoscale "github.com/exoscale/egoscale/v2"
)

func (w world) balancer() string {
	w.Helper()
	return w.do(http.MethodPost, "/load-balancer", `{"name":"nlb","description":"d","labels":{"a":"1"}}`)
}

func serviceBody(pool string, port int) string {
	return `{"name":"https","protocol":"tcp","strategy":"round-robin","port":` + strconv.Itoa(port) + `,"target-port":30443,` +
		`"instance-pool":{"id":"` + pool + `"},"healthcheck":{"mode":"https","port":30443,"uri":"/healthz","interval":10,"timeout":5}}`
}

func TestLoadBalancer_ServesPool(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool, id := w.pool(1, ""), w.balancer()
		path := "/load-balancer/" + id
		if referred := w.do(http.MethodPost, path+"/service", serviceBody(pool, 443)); referred != id {
			t.Errorf("the operation refers to %s, not to the load balancer", referred)
		}
		shown, err := w.client.GetNetworkLoadBalancer(w.ctx(), zone, id)
		w.must(err)
		if len(shown.Services) != 1 || *shown.State != "running" || !strings.HasPrefix(shown.IPAddress.String(), "198.19.") {
			t.Fatalf("%+v", shown)
		}
		service := shown.Services[0]
		status := service.HealthcheckStatus
		if *service.State != "running" || *service.InstancePoolID != pool || len(status) != 1 || *status[0].Status != "success" {
			t.Errorf("%+v", service)
		}
		w.do(http.MethodPut, "/instance/"+w.members(pool)[0]+":stop", "")
		one := w.get(path + "/service/" + *service.ID)
		if health := one["healthcheck-status"].([]any)[0].(document); health["status"] != "failure" {
			t.Errorf("health of a stopped member: %v", health)
		}
	})
}

func TestLoadBalancer_LocksPool(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool, id := w.pool(1, ""), w.balancer()
		w.do(http.MethodPost, "/load-balancer/"+id+"/service", serviceBody(pool, 443))
		text := "Operation destroyInstancePool on resource " + pool + " is forbidden - reason: Locked by NLB " + id
		w.refuses(http.StatusForbidden, text, http.MethodDelete, "/instance-pool/"+pool, "")
		service := w.list("/load-balancer")[0]["services"].([]any)[0].(document)["id"].(string)
		w.do(http.MethodDelete, "/load-balancer/"+id+"/service/"+service, "")
		w.do(http.MethodDelete, "/instance-pool/"+pool, "")
	})
}

func TestLoadBalancer_DeletesServices(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool, id := w.pool(1, ""), w.balancer()
		w.do(http.MethodPost, "/load-balancer/"+id+"/service", serviceBody(pool, 443))
		w.accepted(http.MethodDelete, "/load-balancer/"+id, "")
		w.refuses(http.StatusConflict, "deleted", http.MethodDelete, "/load-balancer/"+id, "")
		w.until(func() bool { return len(w.list("/load-balancer")) == 0 })
		w.do(http.MethodDelete, "/instance-pool/"+pool, "")
	})
}

func TestService_Limits(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool := w.pool(1, "")
		w.accepted(http.MethodPost, "/load-balancer", `{"name":"young"}`)
		young := w.list("/load-balancer")[0]["id"].(string)
		w.refuses(http.StatusNotFound, "", http.MethodPost, "/load-balancer/"+young+"/service", serviceBody(pool, 443))
		<-time.After(10 * time.Second)
		path := "/load-balancer/" + young + "/service"
		w.refuses(http.StatusNotFound, "instance-pool", http.MethodPost, path, serviceBody(large, 443))
		w.refuses(http.StatusBadRequest, "timeout", http.MethodPost, path,
			strings.Replace(serviceBody(pool, 443), `"timeout":5`, `"timeout":11`, 1))
		w.refuses(http.StatusBadRequest, "uri", http.MethodPost, path,
			strings.Replace(serviceBody(pool, 443), `"uri":"/healthz",`, "", 1))
		for port := range 10 {
			w.do(http.MethodPost, path, serviceBody(pool, port+1))
		}
		w.refuses(http.StatusForbidden, "10 services", http.MethodPost, path, serviceBody(pool, 11))
		w.refuses(http.StatusConflict, "port 1", http.MethodPost, path, serviceBody(pool, 1))
	})
}

func TestLoadBalancer_Update(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool, id := w.pool(1, ""), w.balancer()
		path := "/load-balancer/" + id
		w.do(http.MethodPost, path+"/service", serviceBody(pool, 443))
		service := path + "/service/" + w.get(path)["services"].([]any)[0].(document)["id"].(string)
		w.do(http.MethodPut, service, `{"port":8443,"description":"d","healthcheck":{"mode":"tcp","port":30443,"interval":20,"timeout":5,"retries":2}}`)
		got := w.get(service)
		if got["port"] != 8443.0 || got["target-port"] != 30443.0 || got["healthcheck"].(document)["interval"] != 20.0 || got["state"] != "running" {
			t.Errorf("service: %v", got)
		}
		w.do(http.MethodDelete, service+"/description", "")
		w.do(http.MethodPut, path, `{"name":"other"}`)
		w.do(http.MethodDelete, path+"/labels", "")
		w.do(http.MethodDelete, path+"/description", "")
		got = w.get(path)
		if got["name"] != "other" || got["description"] != nil || got["labels"] != nil || w.get(service)["description"] != nil {
			t.Errorf("load balancer: %v", got)
		}
	})
}

func TestService_ClientLibrary(t *testing.T) {
	inBubble(t, nil, func(w world) {
		pool := w.pool(1, "")
		nlb, err := w.client.CreateNetworkLoadBalancer(w.ctx(), zone, &egoscale.NetworkLoadBalancer{Name: ptr("nlb")})
		w.must(err)
		made, err := w.client.CreateNetworkLoadBalancerService(w.ctx(), zone, nlb, &egoscale.NetworkLoadBalancerService{
			Name: ptr("s"), Description: ptr("d"), InstancePoolID: &pool, Protocol: ptr("tcp"), Strategy: ptr("round-robin"),
			Port: ptr(uint16(80)), TargetPort: ptr(uint16(30080)), Healthcheck: &egoscale.NetworkLoadBalancerServiceHealthcheck{
				Mode: ptr("tcp"), Port: ptr(uint16(30080)), Interval: ptr(10 * time.Second), Timeout: ptr(5 * time.Second), Retries: ptr(int64(1)),
			},
		})
		w.must(err)
		w.must(w.client.DeleteNetworkLoadBalancerService(w.ctx(), zone, nlb, made))
		w.must(w.client.DeleteNetworkLoadBalancer(w.ctx(), zone, nlb))
	})
}
