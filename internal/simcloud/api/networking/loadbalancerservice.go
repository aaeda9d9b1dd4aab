package networking

import (
	"net/http"
	"net/netip"
	"slices"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// service forwards a port of a load balancer to an instance pool.
type service struct {
	resource.Row
	resource.Transition
	Balancer string
	Pool     string
	Wire     wireBalanced
}

type wireBalanced struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	State       string             `json:"state"`
	Pool        resource.Ref       `json:"instance-pool"`
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

func (l *LoadBalancers) viewService(s service) wireBalanced {
	view := s.Wire
	view.State, view.Health = s.State, []wireServerHealth{}
	for _, i := range l.tables.Members(s.Pool) {
		if i.Address.IsValid() {
			view.Health = append(view.Health, wireServerHealth{PublicIP: i.Address.String(), Status: computeHealth(i)})
		}
	}
	return view
}

// computeHealth does not know the results of the probes: a resource.Running member is healthy.
func computeHealth(i instance.Instance) string {
	if i.State == resource.Running {
		return resource.Success
	}
	return resource.Failure
}

func (l *LoadBalancers) findService(req *rest.Request) (balancer, service, error) {
	b, err := l.table.Get(req.Zone, req.ID())
	if err != nil {
		return balancer{}, service{}, err
	}
	s, err := l.services.Get(req.Zone, req.PathValue("service"))
	if err == nil && s.Balancer != b.ID {
		err = rest.NotFound("load-balancer-service", s.ID)
	}
	return b, s, err
}

func (l *LoadBalancers) getService(req *rest.Request) (any, error) {
	_, s, err := l.findService(req)
	return l.viewService(s), err
}

// addService: the operation's reference is the load balancer. One that is being created returns 404, as users of the live
// service observed.
func (l *LoadBalancers) addService(req *rest.Request) (any, error) {
	b, err := l.table.Get(req.Zone, req.ID())
	if err == nil && b.State != resource.Running {
		err = rest.NotFound("load-balancer", req.ID())
	}
	if err != nil {
		return nil, err
	}
	body := wireBalanced{Healthcheck: wireBalancedHealth{Interval: 10, Timeout: 2, Retries: 1}}
	if err := rest.FirstError(req.Decode(&body), checkService(body), l.checkServed(req, body), l.checkPort(b, "", body)); err != nil {
		return nil, err
	}
	if len(l.findServices(b.ID)) >= maxServices {
		return nil, rest.Errorf(http.StatusForbidden, "Load balancer %s has %d services already", b.Wire.Name, maxServices)
	}
	head, err := l.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	body.ID, body.Health = head.ID, nil
	return l.startService(service{Row: head, Balancer: b.ID, Pool: body.Pool.ID, Wire: body}, resource.Creating, resource.Running)
}

func (l *LoadBalancers) startService(s service, by, to string) (any, error) {
	wire := resource.WireOperation{Reference: resource.NewReference("load-balancer", s.Balancer)}
	return l.services.StartAs(s, by, to, resource.Duration(s.ID), wire)
}

func checkService(s wireBalanced) error {
	h := s.Healthcheck
	if h.Mode != "tcp" && h.URI == "" {
		return rest.Invalidf("healthcheck: uri is required in mode %q", h.Mode)
	}
	return rest.FirstError(
		rest.CheckLength("name", s.Name, 1, 255), rest.CheckDescription(&s.Description),
		rest.CheckOneOf("protocol", s.Protocol, "tcp", "udp"),
		rest.CheckOneOf("strategy", s.Strategy, "round-robin", "source-hash", "maglev-hash"),
		rest.CheckRange("port", s.Port, 1, 65535), rest.CheckRange("target-port", s.TargetPort, 1, 65535),
		rest.CheckOneOf("healthcheck mode", h.Mode, "tcp", "http", "https"),
		rest.CheckRange("healthcheck port", h.Port, 1, 65535),
		rest.CheckRange("healthcheck interval", h.Interval, 5, 300),
		rest.CheckRange("healthcheck timeout", h.Timeout, 2, min(60, h.Interval)),
		rest.CheckRange("healthcheck retries", h.Retries, 1, 20),
	)
}

// checkServed accepts only an instance pool of the same zone.
func (l *LoadBalancers) checkServed(req *rest.Request, s wireBalanced) error {
	p, err := l.tables.Pools.Get(req.Zone, s.Pool.ID)
	if err == nil && p.State == resource.Destroying {
		err = rest.Errorf(http.StatusConflict, "Instance pool %s is being destroyed", p.Name)
	}
	return err
}

// checkPort refuses a second service on the same port, which is our reading.
func (l *LoadBalancers) checkPort(b balancer, self string, s wireBalanced) error {
	taken := slices.ContainsFunc(l.findServices(b.ID), func(other service) bool {
		return other.ID != self && other.Wire.Port == s.Port && other.Wire.Protocol == s.Protocol
	})
	if taken {
		return rest.Errorf(http.StatusConflict, "Load balancer %s has a service on port %d already", b.Wire.Name, s.Port)
	}
	return nil
}

// updateService may change everything except for the pool.
func (l *LoadBalancers) updateService(req *rest.Request) (any, error) {
	b, s, err := l.findService(req)
	if err != nil {
		return nil, err
	}
	body := s.Wire
	if err := rest.FirstError(req.Decode(&body), checkService(body), l.checkPort(b, s.ID, body)); err != nil {
		return nil, err
	}
	body.ID, body.Pool, body.Health = s.ID, s.Wire.Pool, nil
	s.Wire = body
	return l.startService(s, resource.Updating, resource.Running)
}

func (l *LoadBalancers) resetServiceField(req *rest.Request) (any, error) {
	_, s, err := l.findService(req)
	if err := rest.FirstError(err, rest.CheckOneOf("field", req.Field(), "description")); err != nil {
		return nil, err
	}
	s.Wire.Description = ""
	return l.startService(s, resource.Updating, resource.Running)
}

func (l *LoadBalancers) deleteService(req *rest.Request) (any, error) {
	_, s, err := l.findService(req)
	if err != nil {
		return nil, err
	}
	if s.State == resource.Deleting {
		return nil, rest.Errorf(http.StatusConflict, "Load balancer service %s is being deleted", s.Wire.Name)
	}
	return l.startService(s, resource.Deleting, resource.Destroyed)
}

// BalancedPort is a port of a load balancer that forwards TCP connections to a port of the members of an instance pool.
type BalancedPort struct {
	Backends
	Dialed netip.AddrPort
	Target uint16 // port
	Runs   bool   // it is not being created
}

// ListPorts returns the ports of the load balancers of all zones. Those of UDP are only stored.
func (l *LoadBalancers) ListPorts() []BalancedPort {
	var list []BalancedPort
	for _, s := range l.services.All() {
		b, exists := l.table.Lookup(s.Balancer)
		address, err := netip.ParseAddr(b.Wire.IP)
		if !exists || err != nil || b.State == resource.Deleting || s.State == resource.Deleting || s.Wire.Protocol != "tcp" {
			continue
		}
		port := BalancedPort{
			Backends: Backends{ID: s.ID, Healthcheck: s.Wire.Healthcheck.toModel()},
			Dialed:   netip.AddrPortFrom(address, uint16(s.Wire.Port)), Target: uint16(s.Wire.TargetPort), Runs: s.State != resource.Creating,
		}
		for _, i := range l.tables.Members(s.Pool) {
			if i.Address.IsValid() {
				port.Instances = append(port.Instances, i.Address)
			}
		}
		list = append(list, port)
	}
	return list
}

// toModel: a failed check is repeated as often as the retries say before a member receives no traffic; one success brings it back
// (our reading R27).
func (w wireBalancedHealth) toModel() *Healthcheck {
	return &Healthcheck{
		Mode: w.Mode, Port: int(w.Port), URI: w.URI, TLSSNI: w.TLSSNI,
		Interval: time.Duration(w.Interval) * time.Second, Timeout: time.Duration(w.Timeout) * time.Second,
		StrikesOK: 1, StrikesFail: int(w.Retries) + 1,
	}
}
