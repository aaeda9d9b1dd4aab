package networking

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type balancer struct {
	resource.Row
	resource.Transition
	Wire wireBalancer
}

type wireBalancer struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	State       string            `json:"state"`
	CreatedAt   time.Time         `json:"created-at"`
	IP          string            `json:"ip"`
	Services    []wireBalanced    `json:"services"`
	Labels      map[string]string `json:"labels,omitempty"`
}

type balancerRequest struct {
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// LoadBalancers are the network load balancers of all zones with their services.
type LoadBalancers struct {
	store     *resource.Store
	tables    *instance.Tables
	addresses *addressPool
	table     *resource.StatefulTable[balancer, *balancer]
	services  *resource.StatefulTable[service, *service]
}

func newLoadBalancers(store *resource.Store, tables *instance.Tables, addresses *addressPool) *LoadBalancers {
	l := &LoadBalancers{
		store: store, tables: tables, addresses: addresses,
		table:    resource.OpenStateful[balancer](store, "load-balancer"),
		services: resource.OpenStateful[service](store, "load-balancer-service"),
	}
	l.table.OnDestroy(l.destroy)
	return l
}

// registerRoutes adds the routes of load balancers and their services.
func (l *LoadBalancers) registerRoutes(register rest.Register) {
	register("GET /load-balancer", l.list)
	register("POST /load-balancer", l.create)
	register("GET /load-balancer/{id}", func(req *rest.Request) (any, error) {
		b, err := l.table.Get(req.Zone, req.ID())
		return l.view(b), err
	})
	register("PUT /load-balancer/{id}", l.update)
	register("DELETE /load-balancer/{id}", l.delete)
	register("DELETE /load-balancer/{id}/{field}", l.resetField)
	register("POST /load-balancer/{id}/service", l.addService)
	register("GET /load-balancer/{id}/service/{service}", l.getService)
	register("PUT /load-balancer/{id}/service/{service}", l.updateService)
	register("DELETE /load-balancer/{id}/service/{service}", l.deleteService)
	register("DELETE /load-balancer/{id}/service/{service}/{field}", l.resetServiceField)
}

func (l *LoadBalancers) view(b balancer) wireBalancer {
	view := b.Wire
	view.State, view.Services = b.State, []wireBalanced{}
	for _, s := range l.findServices(b.ID) {
		view.Services = append(view.Services, l.viewService(s))
	}
	return view
}

func (l *LoadBalancers) findServices(balancer string) []service {
	return l.services.Filter(func(s service) bool { return s.Balancer == balancer })
}

// Using returns the ID of a load balancer that forwards to an instance pool.
func (l *LoadBalancers) Using(pool string) (id string, ok bool) {
	s, ok := l.services.Find(func(s service) bool { return s.Pool == pool })
	return s.Balancer, ok
}

func (l *LoadBalancers) list(req *rest.Request) (any, error) {
	list := []wireBalancer{}
	for _, b := range l.table.List(req.Zone) {
		list = append(list, l.view(b))
	}
	return map[string]any{"load-balancers": list}, nil
}

func (l *LoadBalancers) create(req *rest.Request) (any, error) {
	body := balancerRequest{Labels: map[string]string{}}
	if err := rest.FirstError(req.Decode(&body), checkBalancer(body), l.store.Quotas.Check("network-load-balancer", 1)); err != nil {
		return nil, err
	}
	head, err := l.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	b := balancer{Row: head, Wire: wireBalancer{
		ID: head.ID, Name: body.Name, CreatedAt: head.Created.Truncate(time.Second), Labels: body.Labels,
		IP: l.addresses.findFree(head.Order).String(),
	}}
	if body.Description != nil {
		b.Wire.Description = *body.Description
	}
	return l.table.Start(b, resource.Creating, resource.Running, resource.Duration(b.ID))
}

func checkBalancer(body balancerRequest) error {
	return rest.FirstError(rest.CheckLength("name", body.Name, 1, 255), rest.CheckDescription(body.Description))
}

func (l *LoadBalancers) update(req *rest.Request) (any, error) {
	b, err := l.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	body := balancerRequest{Name: b.Wire.Name}
	if err := rest.FirstError(req.Decode(&body), checkBalancer(body)); err != nil {
		return nil, err
	}
	b.Wire.Name = body.Name
	if body.Description != nil {
		b.Wire.Description = *body.Description
	}
	if body.Labels != nil {
		b.Wire.Labels = body.Labels
	}
	return l.table.Save(b)
}

func (l *LoadBalancers) resetField(req *rest.Request) (any, error) {
	b, err := l.table.Get(req.Zone, req.ID())
	if err := rest.FirstError(err, rest.CheckOneOf("field", req.Field(), "description", "labels")); err != nil {
		return nil, err
	}
	if req.Field() == "labels" {
		b.Wire.Labels = map[string]string{}
	} else {
		b.Wire.Description = ""
	}
	return l.table.Save(b)
}

func (l *LoadBalancers) delete(req *rest.Request) (any, error) {
	b, err := l.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if b.State == resource.Deleting {
		return nil, rest.Errorf(http.StatusConflict, "Load balancer %s is being deleted", b.Wire.Name)
	}
	return l.table.Start(b, resource.Deleting, resource.Destroyed, resource.Duration(b.ID))
}

func (l *LoadBalancers) destroy(b balancer) error {
	for _, s := range l.findServices(b.ID) {
		if err := l.services.Delete(s.ID); err != nil {
			return err
		}
	}
	return l.table.Delete(b.ID)
}
