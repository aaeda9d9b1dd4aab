package api

import (
	"net/http"
	"slices"
)

// service forwards a port of a load balancer to an instance pool.
type service struct {
	row
	transition
	Balancer string
	Pool     string
	Wire     wireBalanced
}

type wireBalanced struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	State       string             `json:"state"`
	Pool        ref                `json:"instance-pool"`
	Protocol    string             `json:"protocol"`
	Strategy    string             `json:"strategy"`
	Port        int64              `json:"port"`
	TargetPort  int64              `json:"target-port"`
	Healthcheck wireBalancedHealth `json:"healthcheck"`
	Health      []wireServerHealth `json:"healthcheck-status"`
}

// wireBalancedHealth has its times in seconds.
type wireBalancedHealth struct {
	Mode     string `json:"mode"`
	Port     int64  `json:"port"`
	Interval int64  `json:"interval"`
	Timeout  int64  `json:"timeout"`
	Retries  int64  `json:"retries"`
	URI      string `json:"uri,omitempty"`
	TLSSNI   string `json:"tls-sni,omitempty"`
}

type wireServerHealth struct {
	PublicIP string `json:"public-ip"`
	Status   string `json:"status"`
}

// maxServices is the limit of a load balancer.
const maxServices = 10

func (a *API) viewService(s service) wireBalanced {
	view := s.Wire
	view.State, view.Health = s.State, []wireServerHealth{}
	for _, i := range a.listMembers(s.Pool) {
		if i.Address.IsValid() {
			view.Health = append(view.Health, wireServerHealth{PublicIP: i.Address.String(), Status: computeHealth(i)})
		}
	}
	return view
}

// computeHealth does not probe: a running member is healthy.
func computeHealth(i instance) string {
	if i.State == running {
		return success
	}
	return failure
}

func (a *API) findService(c *call) (balancer, service, error) {
	b, err := a.tables.balancers.get(c.zone, c.id())
	if err != nil {
		return balancer{}, service{}, err
	}
	s, err := a.tables.services.get(c.zone, c.request.PathValue("service"))
	if err == nil && s.Balancer != b.ID {
		err = newNotFound("load-balancer-service", s.ID)
	}
	return b, s, err
}

func (a *API) getService(c *call) (any, error) {
	_, s, err := a.findService(c)
	return a.viewService(s), err
}

// addService: the operation's reference is the load balancer. One that is being created returns 404, as users of the live
// service observed.
func (a *API) addService(c *call) (any, error) {
	b, err := a.tables.balancers.get(c.zone, c.id())
	if err == nil && b.State != running {
		err = newNotFound("load-balancer", c.id())
	}
	if err != nil {
		return nil, err
	}
	body := wireBalanced{Healthcheck: wireBalancedHealth{Interval: 10, Timeout: 2, Retries: 1}}
	if err := check(c.decode(&body), checkService(body), a.checkServed(c, body), a.checkPort(b, "", body)); err != nil {
		return nil, err
	}
	if len(a.findServices(b.ID)) >= maxServices {
		return nil, newAPIError(http.StatusForbidden, "Load balancer %s has %d services already", b.Wire.Name, maxServices)
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	body.ID, body.Health = head.ID, nil
	return a.startServiceTransition(service{row: head, Balancer: b.ID, Pool: body.Pool.ID, Wire: body}, creating, running)
}

func (a *API) startServiceTransition(s service, by, to string) (any, error) {
	delay := computeDuration(s.ID)
	a.setTransition(a.tables.services.noun, s.row, &s.transition, by, to, delay)
	if err := a.tables.services.put(s); err != nil {
		return nil, err
	}
	return a.begin(s.Zone, delay, operation{Wire: wireOperation{Reference: newReference("load-balancer", s.Balancer)}})
}

func checkService(s wireBalanced) error {
	h := s.Healthcheck
	if h.Mode != "tcp" && h.URI == "" {
		return newInvalidError("healthcheck: uri is required in mode %q", h.Mode)
	}
	return check(
		checkLength("name", s.Name, 1, 255), checkDescription(&s.Description),
		checkOneOf("protocol", s.Protocol, "tcp", "udp"),
		checkOneOf("strategy", s.Strategy, "round-robin", "source-hash", "maglev-hash"),
		checkRange("port", s.Port, 1, 65535), checkRange("target-port", s.TargetPort, 1, 65535),
		checkOneOf("healthcheck mode", h.Mode, "tcp", "http", "https"),
		checkRange("healthcheck port", h.Port, 1, 65535),
		checkRange("healthcheck interval", h.Interval, 5, 300),
		checkRange("healthcheck timeout", h.Timeout, 2, min(60, h.Interval)),
		checkRange("healthcheck retries", h.Retries, 1, 20),
	)
}

// checkServed accepts only an instance pool of the same zone.
func (a *API) checkServed(c *call, s wireBalanced) error {
	p, err := a.tables.pools.get(c.zone, s.Pool.ID)
	if err == nil && p.State == destroying {
		err = newAPIError(http.StatusConflict, "Instance pool %s is being destroyed", p.Name)
	}
	return err
}

// checkPort refuses a second service on the same port, which is our reading.
func (a *API) checkPort(b balancer, self string, s wireBalanced) error {
	taken := slices.ContainsFunc(a.findServices(b.ID), func(other service) bool {
		return other.ID != self && other.Wire.Port == s.Port && other.Wire.Protocol == s.Protocol
	})
	if taken {
		return newAPIError(http.StatusConflict, "Load balancer %s has a service on port %d already", b.Wire.Name, s.Port)
	}
	return nil
}

// updateService may change everything except for the pool.
func (a *API) updateService(c *call) (any, error) {
	b, s, err := a.findService(c)
	if err != nil {
		return nil, err
	}
	body := s.Wire
	if err := check(c.decode(&body), checkService(body), a.checkPort(b, s.ID, body)); err != nil {
		return nil, err
	}
	body.ID, body.Pool, body.Health = s.ID, s.Wire.Pool, nil
	s.Wire = body
	return a.startServiceTransition(s, updating, running)
}

func (a *API) resetServiceField(c *call) (any, error) {
	_, s, err := a.findService(c)
	if err := check(err, checkOneOf("field", c.field(), "description")); err != nil {
		return nil, err
	}
	s.Wire.Description = ""
	return a.startServiceTransition(s, updating, running)
}

func (a *API) deleteService(c *call) (any, error) {
	_, s, err := a.findService(c)
	if err != nil {
		return nil, err
	}
	if s.State == deleting {
		return nil, newAPIError(http.StatusConflict, "Load balancer service %s is being deleted", s.Wire.Name)
	}
	return a.startServiceTransition(s, deleting, destroyed)
}
