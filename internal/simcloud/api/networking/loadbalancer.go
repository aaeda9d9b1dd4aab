package api

import (
	"net/http"
	"time"
)

// balancer is a network load balancer without traffic: the simulation only stores it.
type balancer struct {
	row
	transition
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
	Labels      map[string]string `json:"labels"`
}

type balancerRequest struct {
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	Labels      map[string]string `json:"labels"`
}

const deleting = "deleting"

func (a *API) registerBalancerRoutes(register func(string, handler)) {
	register("GET /load-balancer", a.listBalancers)
	register("POST /load-balancer", a.createBalancer)
	register("GET /load-balancer/{id}", func(c *call) (any, error) {
		b, err := a.tables.balancers.get(c.zone, c.id())
		return a.viewBalancer(b), err
	})
	register("PUT /load-balancer/{id}", a.updateBalancer)
	register("DELETE /load-balancer/{id}", a.deleteBalancer)
	register("DELETE /load-balancer/{id}/{field}", a.resetBalancerField)
	register("POST /load-balancer/{id}/service", a.addService)
	register("GET /load-balancer/{id}/service/{service}", a.getService)
	register("PUT /load-balancer/{id}/service/{service}", a.updateService)
	register("DELETE /load-balancer/{id}/service/{service}", a.deleteService)
	register("DELETE /load-balancer/{id}/service/{service}/{field}", a.resetServiceField)
}

func (a *API) viewBalancer(b balancer) wireBalancer {
	view := b.Wire
	view.State, view.Services = b.State, []wireBalanced{}
	for _, s := range a.findServices(b.ID) {
		view.Services = append(view.Services, a.viewService(s))
	}
	return view
}

func (a *API) findServices(balancer string) []service {
	return a.tables.services.filter(func(s service) bool { return s.Balancer == balancer })
}

func (a *API) listBalancers(c *call) (any, error) {
	list := []wireBalancer{}
	for _, b := range a.tables.balancers.list(c.zone) {
		list = append(list, a.viewBalancer(b))
	}
	return map[string]any{"load-balancers": list}, nil
}

func (a *API) createBalancer(c *call) (any, error) {
	body := balancerRequest{Labels: map[string]string{}}
	if err := check(c.decode(&body), checkBalancer(body), a.checkQuota("network-load-balancer", 1)); err != nil {
		return nil, err
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	b := balancer{row: head, Wire: wireBalancer{
		ID: head.ID, Name: body.Name, CreatedAt: head.Created.Truncate(time.Second), Labels: body.Labels,
		IP: a.findFreeElasticIP(head.Order).String(),
	}}
	if body.Description != nil {
		b.Wire.Description = *body.Description
	}
	return a.startBalancerTransition(b, creating, running)
}

func checkBalancer(body balancerRequest) error {
	return check(checkLength("name", body.Name, 1, 255), checkDescription(body.Description))
}

func (a *API) startBalancerTransition(b balancer, by, to string) (any, error) {
	delay := computeDuration(b.ID)
	a.setTransition(a.tables.balancers.noun, b.row, &b.transition, by, to, delay)
	if err := a.tables.balancers.put(b); err != nil {
		return nil, err
	}
	return a.begin(b.Zone, delay, operation{Wire: wireOperation{Reference: newReference("load-balancer", b.ID)}})
}

func (a *API) putBalancer(b balancer) (any, error) {
	if err := a.tables.balancers.put(b); err != nil {
		return nil, err
	}
	return a.startOperation(b.row, "load-balancer")
}

func (a *API) updateBalancer(c *call) (any, error) {
	b, err := a.tables.balancers.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := balancerRequest{Name: b.Wire.Name}
	if err := check(c.decode(&body), checkBalancer(body)); err != nil {
		return nil, err
	}
	b.Wire.Name = body.Name
	if body.Description != nil {
		b.Wire.Description = *body.Description
	}
	if body.Labels != nil {
		b.Wire.Labels = body.Labels
	}
	return a.putBalancer(b)
}

func (a *API) resetBalancerField(c *call) (any, error) {
	b, err := a.tables.balancers.get(c.zone, c.id())
	if err := check(err, checkOneOf("field", c.field(), "description", "labels")); err != nil {
		return nil, err
	}
	if c.field() == "labels" {
		b.Wire.Labels = map[string]string{}
	} else {
		b.Wire.Description = ""
	}
	return a.putBalancer(b)
}

func (a *API) deleteBalancer(c *call) (any, error) {
	b, err := a.tables.balancers.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if b.State == deleting {
		return nil, newAPIError(http.StatusConflict, "Load balancer %s is being deleted", b.Wire.Name)
	}
	return a.startBalancerTransition(b, deleting, destroyed)
}

func (a *API) removeBalancer(b balancer) error {
	for _, s := range a.findServices(b.ID) {
		if err := a.tables.services.delete(s.ID); err != nil {
			return err
		}
	}
	return a.tables.balancers.delete(b.ID)
}
