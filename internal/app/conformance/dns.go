package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	recipe "exoshift/provisioner/install/network"
	"exoshift/state"
)

// servedLimit is how long, by the zone's clock, a new zone may need until its name servers have it.
const (
	servedLimit = 15 * time.Minute
	servedPause = 5 * time.Second
)

// dnsPart looks at a DNS zone.
type dnsPart struct{ *run }

// settle looks at the zone that the recipe has made just now.
func (r dnsPart) settle(ctx context.Context, since time.Time) error {
	servers := r.dns.ListNameServers()
	foreign := slices.DeleteFunc(slices.Clone(servers), func(s string) bool { return strings.Contains(s, ".exoscale.") })
	if len(servers) < 2 || len(foreign) > 0 {
		r.ledger.settle(NameServers, false, "the zone's name servers are %s: an installation does not ask for a delegation to them", strings.Join(servers, ", "))
	} else {
		r.ledger.settle(NameServers, true, "a new zone names its servers: %s", strings.Join(servers, ", "))
	}
	r.settleServed(ctx, servers, since)
	return r.settleDuplicates(ctx)
}

// settleServed asks every name server for a name of the zone, and for one below its wildcard.
func (r dnsPart) settleServed(ctx context.Context, servers []string, since time.Time) {
	domain := r.spec.Domain()
	api, ingress := r.elasticIPs.API().Address, r.elasticIPs.Ingress().Address
	err := r.waitServed(ctx, servers, "api."+domain, api)
	took := r.options.Network.Clock.Now().Sub(since).Round(time.Second)
	r.ledger.check(Served, err, "every name server served the zone %s after it was made", took)
	if err == nil {
		err = r.waitServed(ctx, servers, "conformance."+r.spec.AppsDomain(), ingress)
	}
	r.ledger.check(Wildcard, err, "names below the apps wildcard resolve to the ingress")
}

func (r dnsPart) waitServed(ctx context.Context, servers []string, name, address string) error {
	query := network.NewNameServers(r.options.Network)
	return r.retry(ctx, servedLimit, servedPause, func() error {
		failures := make([]error, len(servers))
		var asking sync.WaitGroup
		for i, server := range servers {
			asking.Go(func() { failures[i] = checkServed(ctx, query, server, name, address) })
		}
		asking.Wait()
		for _, err := range failures {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func checkServed(ctx context.Context, query network.NameServers, server, name, address string) error {
	found, err := query.QueryAddresses(ctx, server, name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(found, func(a netip.Addr) bool { return a.String() == address }) {
		return fault.Newf(fault.Conflict, "ask "+server+" for "+name, "it answers %v, and not %s", found, address)
	}
	return nil
}

// settleDuplicates makes a record that exists already, and has the recipe ensure it again.
func (r dnsPart) settleDuplicates(ctx context.Context) error {
	zone, _, err := r.cloud.EnsureZone(ctx, r.spec.Domain())
	if err != nil {
		return err
	}
	record := state.Record{Name: "ingress", Type: "A", Content: r.elasticIPs.Ingress().Address, TTL: recipe.ShortTTL}
	op := "make DNS record " + record.Name + " twice"
	err = r.raw.Execute(ctx, op, http.MethodPost, "/dns-domain/"+zone.ID+"/record",
		map[string]any{"name": record.Name, "type": record.Type, "content": record.Content, "ttl": record.TTL})
	if isRefused(err) {
		r.ledger.settle(Duplicates, false, "a record that exists already is refused (%v): an installation lists before it creates, and does not depend on it", err)
		return nil
	}
	if err != nil {
		return err
	}
	before, err := r.countRecords(ctx, zone, record)
	if err != nil {
		return err
	}
	if _, err := r.cloud.EnsureRecord(ctx, zone.ID, record); err != nil {
		return err
	}
	after, err := r.countRecords(ctx, zone, record)
	if err == nil && (before != 2 || after != 1) {
		err = fault.Newf(fault.Conflict, op, "there were %d of them, and %d once one of them was ensured", before, after)
	}
	r.ledger.check(Duplicates, err, "an existing record is created a second time, and ensuring it leaves one of them")
	return nil
}

func (r dnsPart) countRecords(ctx context.Context, zone state.Zone, record state.Record) (int, error) {
	all, err := r.cloud.ListRecords(ctx, state.Object{Kind: state.KindZone, Name: zone.Name, ID: zone.ID})
	name := fmt.Sprintf("%s %s %s", record.Name, record.Type, record.Content)
	return len(slices.DeleteFunc(all, func(o state.Object) bool { return o.Name != name })), err
}
