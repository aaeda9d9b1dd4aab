package simcloud

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api/networking"
	"exoshift/internal/simcloud/fabric"
)

// probes run the health checks of managed elastic IPs and of load balancers. They originate from the platform's own address, and
// security groups filter them like any other packet.
type probes struct {
	host    *fabric.Host
	clock   network.Clock
	roots   *x509.CertPool
	running sync.WaitGroup

	mu         sync.Mutex
	all        map[probeTarget]*probe
	roundRobin int
}

type probeTarget struct {
	backends string // the ID
	instance netip.Addr
	check    networking.Healthcheck
}

// probe is a running probe and its result. A new instance is not healthy before its first success.
type probe struct {
	cancel  context.CancelFunc
	healthy bool
	strikes int // consecutive results that contradict healthy
}

// maxHealthBody is how many bytes of an answer are read; only its status counts.
const maxHealthBody = 64 << 10

func newProbes(host *fabric.Host, clock network.Clock, roots *x509.CertPool) *probes {
	return &probes{host: host, clock: clock, roots: roots, all: map[probeTarget]*probe{}}
}

// listBackends lists what has its health checked.
func listBackends(ips []networking.ElasticIP, ports []networking.BalancedPort) []networking.Backends {
	var list []networking.Backends
	for _, ip := range ips {
		list = append(list, ip.Backends)
	}
	for _, port := range ports {
		list = append(list, port.Backends)
	}
	return list
}

func (p *probes) sync(ctx context.Context, all []networking.Backends) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wanted := map[probeTarget]bool{}
	for _, backends := range all {
		for _, instance := range backends.Instances {
			if backends.Healthcheck != nil {
				wanted[probeTarget{backends.ID, instance, *backends.Healthcheck}] = true
			}
		}
	}
	for target, running := range p.all {
		if !wanted[target] {
			running.cancel()
			delete(p.all, target)
		}
	}
	for target := range wanted {
		if p.all[target] == nil {
			ctx, cancel := context.WithCancel(ctx)
			started := &probe{cancel: cancel}
			p.all[target] = started
			p.running.Go(func() { p.watch(ctx, target, started) })
		}
	}
}

// selectHealthy selects a healthy instance, round-robin; false if there is none or if from is one of them itself.
func (p *probes) selectHealthy(backends networking.Backends, from netip.Addr) (netip.Addr, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	healthy := slices.DeleteFunc(slices.Clone(backends.Instances), func(instance netip.Addr) bool {
		running := p.all[probeTarget{backends.ID, instance, *backends.Healthcheck}]
		return running == nil || !running.healthy
	})
	if len(healthy) == 0 || slices.Contains(backends.Instances, from) {
		return netip.Addr{}, false
	}
	p.roundRobin++
	return healthy[p.roundRobin%len(healthy)], true
}

func (p *probes) watch(ctx context.Context, target probeTarget, result *probe) {
	client := newHealthClient(p.host, target.check, p.roots)
	defer client.transport.CloseIdleConnections()
	for {
		p.recordResult(target.check, result, p.checkHealth(ctx, target, client) == nil)
		if p.clock.Sleep(ctx, target.check.Interval) != nil {
			return
		}
	}
}

// recordResult changes healthy after enough strikes.
func (p *probes) recordResult(check networking.Healthcheck, result *probe, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok == result.healthy {
		result.strikes = 0
		return
	}
	needed := check.StrikesFail
	if ok {
		needed = check.StrikesOK
	}
	if result.strikes++; result.strikes >= needed {
		result.healthy, result.strikes = ok, 0
	}
}

// checkHealth returns why an instance is not healthy. Its timeout is at least a second of wall-clock time, whatever the zone's
// Speed.
func (p *probes) checkHealth(ctx context.Context, target probeTarget, client *healthClient) error {
	ctx, cancel := context.WithTimeout(ctx, max(p.clock.ToWall(target.check.Timeout), time.Second))
	defer cancel()
	address := netip.AddrPortFrom(target.instance, uint16(target.check.Port)).String()
	if target.check.Mode == "tcp" {
		c, err := p.host.Dial(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return c.Close()
	}
	return client.get(ctx, target.check, address)
}

// healthClient uses a connection again as long as a new one would lead to the same listener: connecting for each check, as the
// platform does, has the same outcome and takes a good part of the time of a zone at rest.
type healthClient struct {
	transport *http.Transport
	dialed    atomic.Pointer[net.Conn] // the last connection
}

// newHealthClient always verifies certificates against the public internet's authorities: tls-skip-verify is not simulated, and an
// instance with a self-signed certificate, whose check sets it, never becomes healthy.
func newHealthClient(host *fabric.Host, check networking.Healthcheck, roots *x509.CertPool) *healthClient {
	c := &healthClient{}
	c.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			conn, err = host.Dial(ctx, network, address)
			c.dialed.Store(&conn)
			return conn, err
		},
		DisableKeepAlives: check.Mode == "https", // its certificate is looked at each time
		TLSClientConfig:   &tls.Config{RootCAs: roots, ServerName: check.TLSSNI, MinVersion: tls.VersionTLS12, CurvePreferences: []tls.CurveID{tls.CurveP256}},
	}
	return c
}

func (c *healthClient) get(ctx context.Context, check networking.Healthcheck, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, check.Mode+"://"+address+check.URI, nil)
	if err != nil {
		return err
	}
	if last := c.dialed.Load(); last == nil || !fabric.IsRedialable(*last) {
		c.transport.CloseIdleConnections()
	}
	response, err := c.transport.RoundTrip(request) // redirects are not followed
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, maxHealthBody)) // a connection is used again only after the whole body
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("status %s", strconv.Itoa(response.StatusCode))
	}
	return nil
}
