package networking

import (
	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// reverseRecord is the name that an address resolves to; its ID is the instance's or the elastic IP's.
type reverseRecord struct {
	resource.Row
	Wire wireReverse
}

type wireReverse struct {
	Name string `json:"domain-name,omitempty"`
}

// ReverseDNS is the names of instances' addresses and of elastic IPs.
type ReverseDNS struct {
	store      *resource.Store
	tables     *instance.Tables
	elasticIPs *resource.Table[elasticIP]
	table      *resource.Table[reverseRecord]
}

// registerRoutes adds the routes of reverse DNS.
func (s *ReverseDNS) registerRoutes(register rest.Register) {
	for _, noun := range []string{"instance", "elastic-ip"} {
		register("GET /reverse-dns/"+noun+"/{id}", func(req *rest.Request) (any, error) {
			if _, err := s.findOwner(req, noun); err != nil {
				return nil, err
			}
			record, err := s.table.Get(req.Zone, req.ID())
			return record.Wire, err
		})
		register("POST /reverse-dns/"+noun+"/{id}", func(req *rest.Request) (any, error) { return s.set(req, noun) })
		register("DELETE /reverse-dns/"+noun+"/{id}", func(req *rest.Request) (any, error) { return s.delete(req, noun) })
	}
}

// findOwner returns the row of the instance or elastic IP.
func (s *ReverseDNS) findOwner(req *rest.Request, noun string) (resource.Row, error) {
	if noun == "instance" {
		i, err := s.tables.Instances.Get(req.Zone, req.ID())
		return i.Row, err
	}
	ip, err := s.elasticIPs.Get(req.Zone, req.ID())
	return ip.Row, err
}

func (s *ReverseDNS) set(req *rest.Request, noun string) (any, error) {
	head, err := s.findOwner(req, noun)
	if err != nil {
		return nil, err
	}
	var body wireReverse
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := rest.CheckLength("domain-name", body.Name, 1, 253); err != nil {
		return nil, err
	}
	if err := s.table.Put(reverseRecord{Row: head, Wire: body}); err != nil {
		return nil, err
	}
	return s.store.StartOperation(head, "reverse-dns/"+noun)
}

func (s *ReverseDNS) delete(req *rest.Request, noun string) (any, error) {
	head, err := s.findOwner(req, noun)
	if err != nil {
		return nil, err
	}
	if _, err := s.table.Get(req.Zone, req.ID()); err != nil {
		return nil, err
	}
	if err := s.table.Delete(head.ID); err != nil {
		return nil, err
	}
	return s.store.StartOperation(head, "reverse-dns/"+noun)
}
