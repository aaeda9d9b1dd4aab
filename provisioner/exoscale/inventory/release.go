package inventory

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

func (d deletion) release(ctx context.Context, live resource) error {
	switch d.resourceType.kind {
	case state.KindInstance:
		return d.releaseInstance(ctx, live)
	case state.KindLoadBalancer:
		for _, service := range live.Services {
			if err := d.remove(ctx, d.resourceType.joinPath(d.id)+"/service/"+service.ID); err != nil {
				return err
			}
		}
	case state.KindInstancePool:
		return d.releasePool(ctx)
	case state.KindVolume:
		if live.Instance.ID != "" || live.State == "attached" {
			return d.detach(ctx, d.resourceType, d.id, "")
		}
	case state.KindElasticIP:
		return d.releaseElasticIP(ctx)
	case state.KindPrivateNetwork:
		return d.releaseNetwork(ctx)
	case state.KindSecurityGroup:
		return d.clearRules(ctx, d.id)
	}
	return nil
}

// releasePool deletes the load balancer services that target the pool: no other pool can be set for a service.
func (d deletion) releasePool(ctx context.Context) error {
	balancers, _ := findResourceType(state.KindLoadBalancer)
	all, err := listResources(ctx, d.api, balancers, "")
	if err != nil {
		return err
	}
	for _, balancer := range all {
		for _, service := range balancer.Services {
			if service.Pool.ID != d.id {
				continue
			}
			if err := d.remove(ctx, balancers.joinPath(balancer.ID)+"/service/"+service.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// releaseInstance detaches the volumes, which outlive the instance, and removes its reverse DNS and its protection. An instance
// that is being deleted releases everything by itself.
func (d deletion) releaseInstance(ctx context.Context, live resource) error {
	if live.State == "destroying" {
		return nil
	}
	if err := d.remove(ctx, "/reverse-dns/instance/"+url.PathEscape(d.id)); err != nil {
		return err
	}
	if err := d.detachVolumes(ctx); err != nil {
		return err
	}
	if live.Labels[state.LabelProtected] == "true" {
		return d.removeProtection(ctx)
	}
	return nil
}

func (d deletion) removeProtection(ctx context.Context) error {
	return d.api.Execute(ctx, d.op, http.MethodPut, d.resourceType.joinPath(d.id)+":remove-protection", nil)
}

func (d deletion) detachVolumes(ctx context.Context) error {
	volumes, _ := findResourceType(state.KindVolume)
	all, err := listResources(ctx, d.api, volumes, "?instance-id="+url.QueryEscape(d.id))
	if err != nil && !fault.Is(err, fault.NotFound) { // gone meanwhile
		return err
	}
	for _, volume := range all {
		if volume.Instance.ID != d.id {
			continue
		}
		if err := d.detach(ctx, volumes, volume.ID, ""); err != nil {
			return err
		}
	}
	return nil
}

func (d deletion) releaseElasticIP(ctx context.Context) error {
	holders, err := d.listHolders(ctx)
	if err != nil {
		return err
	}
	for _, holder := range holders {
		if err := d.detach(ctx, d.resourceType, d.id, holder); err != nil {
			return err
		}
	}
	return d.remove(ctx, "/reverse-dns/elastic-ip/"+url.PathEscape(d.id))
}

// listHolders gets each instance, because lists omit the elastic IPs.
func (d deletion) listHolders(ctx context.Context) ([]string, error) {
	instances, _ := findResourceType(state.KindInstance)
	all, err := listResources(ctx, d.api, instances, "")
	if err != nil {
		return nil, err
	}
	var mutex sync.Mutex
	var holders []string
	faults := make([]error, len(all))
	api.ForEach(len(all), func(i int) {
		var live resource
		faults[i] = d.api.Get(ctx, d.op, instances.joinPath(all[i].ID), &live)
		if slices.Contains(live.ElasticIPs, api.Reference{ID: d.id}) {
			mutex.Lock()
			defer mutex.Unlock()
			holders = append(holders, live.ID)
		}
	})
	faults = slices.DeleteFunc(faults, func(err error) bool { return fault.Is(err, fault.NotFound) }) // gone meanwhile
	return holders, errors.Join(faults...)
}

func (d deletion) releaseNetwork(ctx context.Context) error {
	instances, _ := findResourceType(state.KindInstance)
	all, err := listResources(ctx, d.api, instances, "")
	if err != nil {
		return err
	}
	for _, instance := range all {
		if !slices.Contains(instance.Networks, api.Reference{ID: d.id}) {
			continue
		}
		if err := d.detach(ctx, d.resourceType, d.id, instance.ID); err != nil {
			return err
		}
	}
	return nil
}
