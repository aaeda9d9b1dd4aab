package api

import (
	"encoding/json"
	"net/http"
	"net/netip"
)

type elasticIP struct {
	row
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
	Labels      map[string]string `json:"labels"`
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
	Labels      map[string]string `json:"labels"`
}

func (a *API) registerElasticIPRoutes(register func(string, handler)) {
	register("GET /elastic-ip", a.listElasticIPs)
	register("POST /elastic-ip", a.createElasticIP)
	register("GET /elastic-ip/{id}", func(c *call) (any, error) {
		ip, err := a.tables.elasticIPs.get(c.zone, c.id())
		return ip.Wire, err
	})
	register("PUT /elastic-ip/{id}", a.updateElasticIP)
	register("DELETE /elastic-ip/{id}", a.deleteElasticIP)
	register("DELETE /elastic-ip/{id}/{field}", a.resetDescription)
	register("PUT /elastic-ip/{id}/:attach", a.attachElasticIP)
	register("PUT /elastic-ip/{id}/:detach", a.detachElasticIP)
}

func (a *API) listElasticIPs(c *call) (any, error) {
	list := []wireElasticIP{}
	for _, ip := range a.tables.elasticIPs.list(c.zone) {
		list = append(list, ip.Wire)
	}
	return map[string]any{"elastic-ips": list}, nil
}

func (a *API) createElasticIP(c *call) (any, error) {
	body := elasticIPRequest{Family: "inet4", Labels: map[string]string{}}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if c.zone == "" {
		return nil, newNotFound("zone", c.request.Host)
	}
	err := check(
		checkOneOf("addressfamily", body.Family, "inet4", "inet6"),
		checkDescription(body.Description),
		checkHealth(body.Healthcheck),
		a.checkQuota("elastic-ip", 1),
	)
	if err != nil {
		return nil, err
	}
	head, err := a.newRow(c.zone)
	if err != nil {
		return nil, err
	}
	ip := elasticIP{row: head, Wire: wireElasticIP{ID: head.ID, Family: body.Family, Labels: body.Labels}}
	ip.Wire.Healthcheck = body.Healthcheck
	if body.Description != nil {
		ip.Wire.Description = *body.Description
	}
	return a.putElasticIP(a.assign(ip))
}

func (a *API) assign(ip elasticIP) elasticIP {
	if ip.Wire.Family == "inet6" {
		ip.Address = netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, byte(ip.Order >> 8), byte(ip.Order), 15: 1})
		ip.Wire.CIDR = netip.PrefixFrom(ip.Address, 96).Masked().String()
	} else {
		ip.Address = a.findFreeElasticIP(ip.Order)
		ip.Wire.CIDR = netip.PrefixFrom(ip.Address, 32).String()
	}
	ip.Wire.IP = ip.Address.String()
	return ip
}

func (a *API) putElasticIP(ip elasticIP) (any, error) {
	if err := a.tables.elasticIPs.put(ip); err != nil {
		return nil, err
	}
	return a.startOperation(ip.row, "elastic-ip")
}

func checkDescription(description *string) error {
	if description == nil {
		return nil
	}
	return checkLength("description", *description, 0, 255)
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
		return newInvalidError("healthcheck: uri is required in mode %s", health.Mode)
	}
	return check(
		checkOneOf("healthcheck mode", health.Mode, "tcp", "http", "https"),
		checkLength("healthcheck uri", health.URI, 0, 255),
		checkLength("healthcheck tls-sni", health.TLSSNI, 0, 255),
		checkRange("healthcheck port", health.Port, 1, 65535),
		checkRange("healthcheck interval", health.Interval, 5, 300),
		checkRange("healthcheck timeout", health.Timeout, 2, 60),
		checkRange("healthcheck strikes-ok", health.StrikesOK, 1, 20),
		checkRange("healthcheck strikes-fail", health.StrikesFail, 1, 20),
	)
}

func (a *API) updateElasticIP(c *call) (any, error) {
	ip, err := a.tables.elasticIPs.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	var body elasticIPRequest
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := check(checkDescription(body.Description), checkHealth(body.Healthcheck), checkHealthcheckMode(ip, body)); err != nil {
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
	return a.putElasticIP(ip)
}

func checkHealthcheckMode(ip elasticIP, body elasticIPRequest) error {
	switch {
	case body.Healthcheck == nil:
		return nil
	case ip.Wire.Healthcheck == nil:
		return newInvalidError("a healthcheck can not be added to an elastic IP that was created without one")
	case ip.Wire.Healthcheck.Mode != body.Healthcheck.Mode:
		return newInvalidError("the mode of a healthcheck can not be changed")
	}
	return nil
}

func (a *API) deleteElasticIP(c *call) (any, error) {
	ip, err := a.tables.elasticIPs.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if len(ip.Instances) > 0 {
		return nil, newAPIError(http.StatusConflict, "Elastic IP %s is attached to an instance", ip.Wire.IP)
	}
	if err := check(a.tables.reverseRecords.delete(ip.ID), a.tables.elasticIPs.delete(ip.ID)); err != nil {
		return nil, err
	}
	return a.startOperation(ip.row, "elastic-ip")
}

func (a *API) resetDescription(c *call) (any, error) {
	ip, err := a.tables.elasticIPs.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if err := checkOneOf("field", c.request.PathValue("field"), "description"); err != nil {
		return nil, err
	}
	ip.Wire.Description = ""
	return a.putElasticIP(ip)
}
