package api

// reverseRecord is the name that an address resolves to; its ID is the instance's or the elastic IP's.
type reverseRecord struct {
	row
	Wire wireReverse
}

type wireReverse struct {
	Name string `json:"domain-name,omitempty"`
}

func (a *API) registerReverseRoutes(register func(string, handler)) {
	for _, noun := range []string{"instance", "elastic-ip"} {
		register("GET /reverse-dns/"+noun+"/{id}", func(c *call) (any, error) {
			if _, err := a.findAddressOwner(c, noun); err != nil {
				return nil, err
			}
			record, err := a.tables.reverseRecords.get(c.zone, c.id())
			return record.Wire, err
		})
		register("POST /reverse-dns/"+noun+"/{id}", func(c *call) (any, error) { return a.setReverse(c, noun) })
		register("DELETE /reverse-dns/"+noun+"/{id}", func(c *call) (any, error) { return a.deleteReverse(c, noun) })
	}
}

// findAddressOwner returns the row of the instance or elastic IP.
func (a *API) findAddressOwner(c *call, noun string) (row, error) {
	if noun == "instance" {
		i, err := a.tables.instances.get(c.zone, c.id())
		return i.row, err
	}
	ip, err := a.tables.elasticIPs.get(c.zone, c.id())
	return ip.row, err
}

func (a *API) setReverse(c *call, noun string) (any, error) {
	head, err := a.findAddressOwner(c, noun)
	if err != nil {
		return nil, err
	}
	var body wireReverse
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := checkLength("domain-name", body.Name, 1, 253); err != nil {
		return nil, err
	}
	if err := a.tables.reverseRecords.put(reverseRecord{row: head, Wire: body}); err != nil {
		return nil, err
	}
	return a.startOperation(head, "reverse-dns/"+noun)
}

func (a *API) deleteReverse(c *call, noun string) (any, error) {
	head, err := a.findAddressOwner(c, noun)
	if err != nil {
		return nil, err
	}
	if _, err := a.tables.reverseRecords.get(c.zone, c.id()); err != nil {
		return nil, err
	}
	if err := a.tables.reverseRecords.delete(head.ID); err != nil {
		return nil, err
	}
	return a.startOperation(head, "reverse-dns/"+noun)
}
