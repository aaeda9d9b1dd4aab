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
		return provisioner.Skip("DNS balances the load")
	}
	var err error
	if e.api, err = e.ensure(ctx, report, "api"); err != nil {
		return err
	}
	if e.ingress, err = e.ensure(ctx, report, "ingress"); err != nil {
		return err
	}
	return e.facts.Update(func(facts *state.Facts) {
		facts.APIAddress, facts.IngressAddress = e.api.Address, e.ingress.Address
	})
}

func (e *ElasticIPs) ensure(ctx context.Context, report provisioner.Report, what string) (state.ElasticIP, error) {
	ip, action, err := e.cloud.EnsureElasticIP(ctx, state.ElasticIP{
		Name:   e.spec.ObjectName(what),
		Labels: e.spec.Labels(),
		// All values are set: the defaults of Exoscale's tools differ from each other.
		Healthcheck: state.Healthcheck{
			Mode: "http", Port: portHealth, Path: "/healthz",
			Interval: 10 * time.Second, Timeout: 2 * time.Second, StrikesOK: 2, StrikesFail: 3,
		},
		ReverseDNS: what + "." + e.spec.Domain(),
	})
	if err != nil {
		return state.ElasticIP{}, err
	}
	report.EmitObject(state.KindElasticIP, e.spec.ObjectName(what), ip.ID, string(action))
	return ip, nil
}
