package api

import (
	"net/http"
	"slices"
)

// attachElasticIP: several instances may share an elastic IP.
func (a *API) attachElasticIP(c *call) (any, error) {
	ip, i, err := a.findElasticIPAndInstance(c)
	if err != nil {
		return nil, err
	}
	ip.Instances = append(removeItem(ip.Instances, i.ID), i.ID)
	return a.putElasticIP(ip)
}

func (a *API) detachElasticIP(c *call) (any, error) {
	ip, i, err := a.findElasticIPAndInstance(c)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ip.Instances, i.ID) {
		return nil, newAPIError(http.StatusConflict, "Elastic IP %s is not attached to instance %s", ip.Wire.IP, i.Name)
	}
	ip.Instances = removeItem(ip.Instances, i.ID)
	return a.putElasticIP(ip)
}

func (a *API) findElasticIPAndInstance(c *call) (elasticIP, instance, error) {
	ip, err := a.tables.elasticIPs.get(c.zone, c.id())
	if err != nil {
		return elasticIP{}, instance{}, err
	}
	i, err := a.findAttachedInstance(c)
	return ip, i, err
}

func (a *API) findElasticIPs(id string) []wireElasticID {
	list := []wireElasticID{}
	for _, ip := range a.tables.elasticIPs.listAll() {
		if slices.Contains(ip.Instances, id) {
			list = append(list, wireElasticID{ID: ip.ID, IP: ip.Wire.IP})
		}
	}
	return list
}
