package network

import (
	"context"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// ElasticIPs creates the addresses of the API and of the ingress, and knows them. There are none without load balancers.
type ElasticIPs struct {
	spec  state.Spec
	cloud Cloud
	facts *state.FactsStore

	api, ingress state.ElasticIP
}

// NewElasticIPs returns the elastic IPs of a cluster.
func NewElasticIPs(spec state.Spec, cloud Cloud, facts *state.FactsStore) *ElasticIPs {
	return &ElasticIPs{spec: spec, cloud: cloud, facts: facts}
}

// API returns the address of the API, once Ensure has returned.
func (e *ElasticIPs) API() state.ElasticIP { return e.api }

// Ingress returns the address of the ingress, once Ensure has returned.
func (e *ElasticIPs) Ingress() state.ElasticIP { return e.ingress }

// Ensure reserves the addresses.
func (e *ElasticIPs) Ensure(ctx context.Context, report provisioner.Report) error {
	if e.spec.IsRoundRobin() {
		return provisioner.Skip("dns-round-robin has no load balancers")
	}
	err := provisioner.ForEach(ctx, []string{"api", "ingress"}, func(ctx context.Context, what string) (err error) {
		ip := &e.api
		if what == "ingress" {
			ip = &e.ingress
		}
		*ip, err = e.ensure(ctx, report, e.build(what))
		return err
	})
	if err != nil {
		return err
	}
	return e.facts.Update(func(facts *state.Facts) {
		facts.APIAddress, facts.IngressAddress = e.api.Address, e.ingress.Address
	})
}

// ensureReverse sets the names of the addresses, for which nothing else has to wait.
func (e *ElasticIPs) ensureReverse(ctx context.Context, report provisioner.Report) error {
	return provisioner.ForEach(ctx, []string{"api", "ingress"}, func(ctx context.Context, what string) error {
		ip := e.api
		if what == "ingress" {
			ip = e.ingress
		}
		if ip.Address == "" {
			return nil // none, or that of a preview
		}
		ip.ReverseDNS = what + "." + e.spec.Domain()
		action, err := e.cloud.EnsureReverseDNS(ctx, ip)
		if err == nil && action != state.Found {
			report.EmitObject(state.KindElasticIP, ip.Name, ip.ID, string(action))
		}
		return err
	})
}

func (e *ElasticIPs) build(what string) state.ElasticIP {
	return state.ElasticIP{
		Name:   e.spec.ObjectName(what),
		Labels: e.spec.Labels(),
		// All values are set: the defaults of Exoscale's tools differ from each other.
		Healthcheck: state.Healthcheck{
			Mode: "http", Port: portHealth, Path: "/healthz",
			Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3,
		},
	}
}

func (e *ElasticIPs) ensure(ctx context.Context, report provisioner.Report, wanted state.ElasticIP) (state.ElasticIP, error) {
	ip, action, err := e.cloud.EnsureElasticIP(ctx, wanted)
	if err != nil {
		return state.ElasticIP{}, err
	}
	report.EmitObject(state.KindElasticIP, wanted.Name, ip.ID, string(action))
	return ip, nil
}
