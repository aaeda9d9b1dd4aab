package networking

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type elasticIP struct {
	resource.Row
	Wire      wireElasticIP
	Address   netip.Addr
	Instances []string // attached instances
}

type wireElasticIP struct {
	ID          string            `json:"id"`
	IP          string            `json:"ip"`
	Family      string            `json:"addressfamily"`
	CIDR        string            `json:"cidr"`
	Description string            `json:"description,omitempty"`
	Healthcheck *wireHealthcheck  `json:"healthcheck,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// wireHealthcheck makes an elastic IP a managed one; times are in seconds.
type wireHealthcheck struct {
	Mode          string `json:"mode"`
	Port          int64  `json:"port"`
	URI           string `json:"uri,omitempty"`
	Interval      int64  `json:"interval"`
	Timeout       int64  `json:"timeout"`
	StrikesOK     int64  `json:"strikes-ok"`
	StrikesFail   int64  `json:"strikes-fail"`
	TLSSNI        string `json:"tls-sni,omitempty"`
	TLSSkipVerify bool   `json:"tls-skip-verify,omitempty"`
}

type elasticIPRequest struct {
	Family      string            `json:"addressfamily"`
	Description *string           `json:"description"`
	Healthcheck *wireHealthcheck  `json:"healthcheck"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// ElasticIPs are the elastic IPs of all zones.
type ElasticIPs struct {
	store     *resource.Store
	tables    *instance.Tables
	table     *resource.Table[elasticIP]
	reverse   *resource.Table[reverseRecord]
	addresses *addressPool
}

// registerRoutes adds the routes of elastic IPs.
func (s *ElasticIPs) registerRoutes(register rest.Register) {
	register("GET /elastic-ip", s.list)
	register("POST /elastic-ip", s.create)
	register("GET /elastic-ip/{id}", func(req *rest.Request) (any, error) {
		ip, err := s.table.Get(req.Zone, req.ID())
		return ip.Wire, err
	})
	register("PUT /elastic-ip/{id}", s.update)
	register("DELETE /elastic-ip/{id}", s.delete)
	register("DELETE /elastic-ip/{id}/{field}", s.resetField)
	register("PUT /elastic-ip/{id}/:attach", s.attach)
	register("PUT /elastic-ip/{id}/:detach", s.detach)
}

func (s *ElasticIPs) list(req *rest.Request) (any, error) {
	list := []wireElasticIP{}
	for _, ip := range s.table.List(req.Zone) {
		list = append(list, ip.Wire)
	}
	return map[string]any{"elastic-ips": list}, nil
}

func (s *ElasticIPs) create(req *rest.Request) (any, error) {
	body := elasticIPRequest{Family: "inet4", Labels: map[string]string{}}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if req.Zone == "" {
		return nil, rest.NotFound("zone", req.Host)
	}
	err := rest.FirstError(
		rest.CheckOneOf("addressfamily", body.Family, "inet4", "inet6"),
		rest.CheckDescription(body.Description),
		checkHealth(body.Healthcheck),
		s.store.Quotas.Check("elastic-ip", 1),
	)
	if err != nil {
		return nil, err
	}
	head, err := s.store.NewRow(req.Zone)
	if err != nil {
		return nil, err
	}
	ip := elasticIP{Row: head, Wire: wireElasticIP{ID: head.ID, Family: body.Family, Labels: body.Labels}}
	ip.Wire.Healthcheck = body.Healthcheck
	if body.Description != nil {
		ip.Wire.Description = *body.Description
	}
	return s.table.Save(s.assign(ip))
}

func (s *ElasticIPs) assign(ip elasticIP) elasticIP {
	if ip.Wire.Family == "inet6" {
		ip.Address = netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, byte(ip.Order >> 8), byte(ip.Order), 15: 1})
		ip.Wire.CIDR = netip.PrefixFrom(ip.Address, 96).Masked().String()
	} else {
		ip.Address = s.addresses.findFree(ip.Order)
		ip.Wire.CIDR = netip.PrefixFrom(ip.Address, 32).String()
	}
	ip.Wire.IP = ip.Address.String()
	return ip
}

// UnmarshalJSON sets the defaults of a health check.
func (w *wireHealthcheck) UnmarshalJSON(text []byte) error {
	type plain wireHealthcheck
	filled := plain{Interval: 10, Timeout: 2, StrikesOK: 2, StrikesFail: 3}
	err := json.Unmarshal(text, &filled)
	*w = wireHealthcheck(filled)
	return err
}

func checkHealth(health *wireHealthcheck) error {
	if health == nil {
		return nil
	}
	if health.Mode != "tcp" && health.URI == "" {
		return rest.Invalidf("healthcheck: uri is required in mode %s", health.Mode)
	}
	return rest.FirstError(
		rest.CheckOneOf("healthcheck mode", health.Mode, "tcp", "http", "https"),
		rest.CheckLength("healthcheck uri", health.URI, 0, 255),
		rest.CheckLength("healthcheck tls-sni", health.TLSSNI, 0, 255),
		rest.CheckRange("healthcheck port", health.Port, 1, 65535),
		rest.CheckRange("healthcheck interval", health.Interval, 5, 300),
		rest.CheckRange("healthcheck timeout", health.Timeout, 2, 60),
		rest.CheckRange("healthcheck strikes-ok", health.StrikesOK, 1, 20),
		rest.CheckRange("healthcheck strikes-fail", health.StrikesFail, 1, 20),
	)
}

func (s *ElasticIPs) update(req *rest.Request) (any, error) {
	ip, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	var body elasticIPRequest
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := rest.FirstError(rest.CheckDescription(body.Description), checkHealth(body.Healthcheck), checkHealthcheckMode(ip, body)); err != nil {
		return nil, err
	}
	if body.Description != nil {
		ip.Wire.Description = *body.Description
	}
	if body.Labels != nil {
		ip.Wire.Labels = body.Labels
	}
	if body.Healthcheck != nil {
		ip.Wire.Healthcheck = body.Healthcheck
	}
	return s.table.Save(ip)
}

func checkHealthcheckMode(ip elasticIP, body elasticIPRequest) error {
	switch {
	case body.Healthcheck == nil:
		return nil
	case ip.Wire.Healthcheck == nil:
		return rest.Invalidf("a healthcheck can not be added to an elastic IP that was created without one")
	case ip.Wire.Healthcheck.Mode != body.Healthcheck.Mode:
		return rest.Invalidf("the mode of a healthcheck can not be changed")
	}
	return nil
}

func (s *ElasticIPs) delete(req *rest.Request) (any, error) {
	ip, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if len(ip.Instances) > 0 {
		return nil, rest.Errorf(http.StatusConflict, "Elastic IP %s is attached to an instance", ip.Wire.IP)
	}
	if err := s.reverse.Delete(ip.ID); err != nil {
		return nil, err
	}
	return s.table.Remove(ip)
}

func (s *ElasticIPs) resetField(req *rest.Request) (any, error) {
	ip, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if err := rest.CheckOneOf("field", req.PathValue("field"), "description"); err != nil {
		return nil, err
	}
	ip.Wire.Description = ""
	return s.table.Save(ip)
}

// attach: several instances may share an elastic IP.
func (s *ElasticIPs) attach(req *rest.Request) (any, error) {
	ip, i, err := s.findWithInstance(req)
	if err != nil {
		return nil, err
	}
	ip.Instances = append(resource.Without(ip.Instances, i.ID), i.ID)
	return s.table.Save(ip)
}

func (s *ElasticIPs) detach(req *rest.Request) (any, error) {
	ip, i, err := s.findWithInstance(req)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ip.Instances, i.ID) {
		return nil, rest.Errorf(http.StatusConflict, "Elastic IP %s is not attached to instance %s", ip.Wire.IP, i.Name)
	}
	ip.Instances = resource.Without(ip.Instances, i.ID)
	return s.table.Save(ip)
}

func (s *ElasticIPs) findWithInstance(req *rest.Request) (elasticIP, instance.Instance, error) {
	ip, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return elasticIP{}, instance.Instance{}, err
	}
	i, err := s.tables.FindNamed(req)
	return ip, i, err
}

// AttachedIP is an elastic IP of an instance in the wire format.
type AttachedIP struct {
	ID string `json:"id"`
	IP string `json:"ip"` // undeclared, but returned by the live service
}

// Attached returns the elastic IPs of an instance.
func (s *ElasticIPs) Attached(instanceID string) []AttachedIP {
	list := []AttachedIP{}
	for _, ip := range s.table.All() {
		if slices.Contains(ip.Instances, instanceID) {
			list = append(list, AttachedIP{ID: ip.ID, IP: ip.Wire.IP})
		}
	}
	return list
}

// Check returns an error if there is no such elastic IP in the zone.
func (s *ElasticIPs) Check(zone, id string) error {
	_, err := s.table.Get(zone, id)
	return err
}

// Attach attaches an elastic IP to an instance, unless it has been deleted.
func (s *ElasticIPs) Attach(id, instanceID string) error {
	ip, ok := s.table.Lookup(id)
	if !ok {
		return nil
	}
	ip.Instances = append(ip.Instances, instanceID)
	return s.table.Put(ip)
}

// Detach detaches all elastic IPs from their instances, and returns the number of attachments.
func (s *ElasticIPs) Detach() int {
	detached := 0
	for _, ip := range s.table.All() {
		attached := len(ip.Instances)
		ip.Instances = nil
		if attached > 0 && s.table.Put(ip) == nil {
			detached += attached
		}
	}
	return detached
}

// detachAll detaches all elastic IPs of an instance.
func (s *ElasticIPs) detachAll(instanceID string) error {
	for _, ip := range s.table.All() {
		if slices.Contains(ip.Instances, instanceID) {
			ip.Instances = resource.Without(ip.Instances, instanceID)
			if err := s.table.Put(ip); err != nil {
				return err
			}
		}
	}
	return nil
}

// ElasticIP is an address that instances share.
type ElasticIP struct {
	Backends
	Address netip.Addr
}

// Backends are the instances that receive the traffic of an elastic IP, or of a port of a load balancer.
type Backends struct {
	ID          string       // of the elastic IP, or of the load balancer's service
	Instances   []netip.Addr // the addresses of the attached instances, in the order of attachment, or of the pool's members
	Healthcheck *Healthcheck // nil: the instances have to configure the address themselves
}

// Healthcheck decides which instances receive the traffic of a managed elastic IP or a load balancer.
type Healthcheck struct {
	Mode          string // "tcp", "http" or "https"
	Port          int
	URI           string
	Interval      time.Duration
	Timeout       time.Duration
	StrikesOK     int
	StrikesFail   int
	TLSSNI        string
	TLSSkipVerify bool
}

// List returns the elastic IPs of all zones.
func (s *ElasticIPs) List() []ElasticIP {
	var list []ElasticIP
	for _, ip := range s.table.All() {
		view := ElasticIP{Backends{ID: ip.ID, Healthcheck: ip.Wire.Healthcheck.toModel()}, ip.Address}
		for _, id := range ip.Instances {
			if i, ok := s.tables.Instances.Lookup(id); ok && i.Address.IsValid() {
				view.Instances = append(view.Instances, i.Address)
			}
		}
		list = append(list, view)
	}
	return list
}

func (w *wireHealthcheck) toModel() *Healthcheck {
	if w == nil {
		return nil
	}
	return &Healthcheck{
		Mode: w.Mode, Port: int(w.Port), URI: w.URI, TLSSNI: w.TLSSNI, TLSSkipVerify: w.TLSSkipVerify,
		Interval: time.Duration(w.Interval) * time.Second, Timeout: time.Duration(w.Timeout) * time.Second,
		StrikesOK: int(w.StrikesOK), StrikesFail: int(w.StrikesFail),
	}
}
