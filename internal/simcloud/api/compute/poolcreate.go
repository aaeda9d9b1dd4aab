package api

type poolRequest struct {
	instanceRequest
	Description  *string `json:"description"`
	Size         int64   `json:"size"`
	MinAvailable *int64  `json:"min-available"`
	Prefix       *string `json:"instance-prefix"`
	ElasticIPs   []ref   `json:"elastic-ips"`
	Networks     []ref   `json:"private-networks"`
	IPv6         *bool   `json:"ipv6-enabled"`
}

func (a *API) createPool(c *call) (any, error) {
	body := poolRequest{instanceRequest: instanceRequest{Assignment: "inet4", Labels: map[string]string{}}}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	p := pool{row: head, Prefix: "pool", Size: body.Size}
	p.apply(body)
	err = check(checkRange("size", p.Size, 1, 1<<31-1), a.checkPool(p), a.checkRoom(p.Member, int(p.Size)))
	if err != nil {
		return nil, err
	}
	if err := a.createMembers(p); err != nil {
		return nil, err
	}
	return a.startPoolTransition(p, creating, running, computePoolDelay(p))
}

// apply sets the fields that a request contains.
func (p *pool) apply(body poolRequest) {
	p.Name, p.Member = body.Name, body.instanceRequest
	p.Member.Name = ""
	if body.Description != nil {
		p.Description = *body.Description
	}
	if body.MinAvailable != nil {
		p.MinAvailable = *body.MinAvailable
	}
	if body.Prefix != nil {
		p.Prefix = *body.Prefix
	}
	if body.IPv6 != nil {
		p.IPv6 = *body.IPv6
	}
	if body.ElasticIPs != nil {
		p.ElasticIPs = toIDs(body.ElasticIPs)
	}
	if body.Networks != nil {
		p.Networks = toIDs(body.Networks)
	}
}

func (a *API) checkPool(p pool) error {
	member := p.Member
	member.Name = p.Name // has the same bounds
	for _, id := range p.ElasticIPs {
		if _, err := a.tables.elasticIPs.get(p.Zone, id); err != nil {
			return err
		}
	}
	for _, id := range p.Networks {
		if _, err := a.tables.networks.get(p.Zone, id); err != nil {
			return err
		}
	}
	return check(
		checkLength("instance-prefix", p.Prefix, 1, 30),
		checkDescription(&p.Description),
		checkRange("min-available", p.MinAvailable, 0, p.Size),
		checkInstance(member),
		a.checkParts(p.Zone, member),
		a.checkAntiAffinity(toIDs(member.AntiAffinity), 0),
	)
}
