// Package simcloud is an Exoscale zone, an object store, an internet and an OpenShift that are simulated in memory. Its only
// interface is a network.Network, so that a rehearsal runs the same code as an installation.
package simcloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/openshift"
	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vm"
)

const (
	// tick is the interval, in simulated time, at which that time is stored, but at least minTick.
	tick    = 5 * time.Second
	minTick = 20 * time.Millisecond
)

// Options describe a zone.
type Options struct {
	// Dir is the directory of the zone's state, which survives a killed process; "" keeps it in memory.
	Dir string
	// Speed is the factor on simulated time; 0 is the wall clock, or that of a synctest bubble.
	Speed float64
	// Scenario is the name of a scenario, or of several, separated by commas; "" is the one without a fault.
	Scenario string
	// Fault is injected beside that of the scenario.
	Fault scenario.Fault
	// Zone is the name of the zone whose machines exist, e.g. "ch-gva-2".
	Zone string
	// Key and Secret are the valid API credentials.
	Key, Secret string
	// Installer is the command line of the simulated openshift-install, which the mirror's script runs.
	Installer []string
	// Program runs what a machine of the zone downloads and executes: its content, the machine's network, arguments, input and
	// output. nil: machines cannot run downloads.
	Program func(ctx context.Context, net network.Network, program []byte, args []string, in io.Reader, out io.Writer) (exitCode int)
	// Latency is added to each response of the API, in wall-clock time.
	Latency time.Duration
	// Middleware wraps the API and the object storage; nil means none. It may make requests or responses fail.
	Middleware func(http.Handler) http.Handler
	// Mirror wraps the servers that releases and images are downloaded from; nil means none. It may corrupt their responses.
	Mirror func(http.Handler) http.Handler
	// Syn wraps the web servers of Project Syn; nil means none. It may make requests or responses fail.
	Syn func(http.Handler) http.Handler
	// Quotas overrides the API's limits, also those of a scenario, by resource, e.g. {"instance": 5}.
	Quotas map[string]int
}

// Zone is an open zone.
type Zone struct {
	*OperatorHost
	*ProjectSyn
	*Counters
	options      Options
	db           *store.DB
	clock        network.Clock
	ca           *fabric.CA
	release      mirror.Key // signs the releases
	hostSeed     []byte     // of the SSH host keys
	hostKeys     map[string]string
	fault        scenario.Fault
	networkFault networkFault
	fabric       *fabric.Fabric
	client       *fabric.Host // the operator's machine
	platform     *fabric.Host // the source of Exoscale's own requests
	servers      *server.Servers
	middleboxes  *middleboxes
	dns          *nameService
	api          *api.API
	storage      *s3.Storage
	hypervisor   *vm.Hypervisor
	clusters     *openshift.Clusters
	probes       *probes
	faults       *faultInjector

	cancel   context.CancelFunc
	running  sync.WaitGroup
	stops    []func() error // stop servers, whose goroutines are in running
	closers  []func() error // in the order of opening
	watchErr error          // of watchChanges' goroutine; read it after running.Wait
}

// Open opens a zone, or creates one. Close it before the process ends; a process that is killed loses a few seconds
// of simulated time and nothing else.
//
// The zone outlives ctx, so that a canceled run can still list its leftovers; Close ends it.
func Open(ctx context.Context, options Options) (*Zone, error) {
	chosen, err := scenario.Parse(options.Scenario)
	if err != nil {
		return nil, err
	}
	fault := scenario.Compose(scenario.Fault{API: scenario.API{ElasticIPs: defaultElasticIPs()}}, chosen.Fault, scenario.Fault{API: scenario.API{Quotas: options.Quotas}}, options.Fault)
	z := &Zone{options: options, fault: fault, networkFault: newNetworkFault(fault.Network)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	z.cancel = cancel
	for _, part := range []func(context.Context) error{
		z.openStore, z.openClock, z.openNames, z.openFabric, z.openServices, z.openInternet, z.openMachines,
	} {
		if err := part(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("open the simulated zone: %w", err), z.Close())
		}
	}
	z.running.Go(func() { z.watchErr = z.watchChanges(ctx) })
	return z, nil
}

// Close stops everything; the state is kept.
func (z *Zone) Close() error {
	z.cancel()
	for _, stop := range z.stops {
		_ = stop() // it is closed either way
	}
	z.running.Wait()
	err := z.watchErr
	for _, closer := range slices.Backward(z.closers) {
		err = errors.Join(err, closer())
	}
	z.closers = nil
	return err
}

// Network is the network of the operator's machine.
func (z *Zone) Network() network.Network {
	n := z.client.Network(z.ca.Pool())
	n.ReleaseKey, n.HostKeys, n.Proxy = z.release.ExportPublic(), z.HostKeys(), z.networkFault.proxyURL()
	return n
}

// Authority returns the certificate that clients have to trust, as PEM. It is stable as long as Dir is kept.
func (z *Zone) Authority() []byte { return z.ca.PEM() }

// ReleaseKey returns the OpenPGP public key, armored, that the releases are signed with. It is stable as long as Dir is kept.
func (z *Zone) ReleaseKey() []byte { return z.release.ExportPublic() }

// InterceptorAuthority returns the certificate of the interceptors' authority, as PEM; nil if there is no
// interceptor.
func (z *Zone) InterceptorAuthority() []byte {
	if z.middleboxes.interceptor == nil {
		return nil
	}
	return z.middleboxes.interceptor.PEM()
}

// Silence drops all packets from and to the machine of that name, as when its hypervisor has died.
func (z *Zone) Silence(machine string) error {
	host, err := z.findMachine(machine)
	if err == nil {
		host.Silence()
	}
	return err
}

// CountPeers returns the number of hosts with an open connection to a TCP port of the machine of that name.
func (z *Zone) CountPeers(machine string, port int) (int, error) {
	host, err := z.findMachine(machine)
	if err != nil {
		return 0, err
	}
	return host.CountPeers(port), nil
}

// MachineNetwork returns the network of the machine of that name, as programs on it have it.
func (z *Zone) MachineNetwork(machine string) (network.Network, error) {
	host, err := z.findMachine(machine)
	if err != nil {
		return network.Network{}, err
	}
	return host.Network(z.ca.Pool()), nil
}

func (z *Zone) findMachine(name string) (*fabric.Host, error) {
	for _, instance := range z.api.Instances() {
		if instance.Name != name {
			continue
		}
		if host, runs := z.fabric.Find(instance.Address); runs {
			return host, nil
		}
	}
	return nil, fmt.Errorf("there is no running machine %s", name)
}

// Consoles returns the last lines of every machine's console, by the machine's name.
func (z *Zone) Consoles() map[string][]string { return z.hypervisor.Consoles() }

func (z *Zone) addCloser(closer func()) {
	z.closers = append(z.closers, func() error {
		closer()
		return nil
	})
}

func (z *Zone) openStore(context.Context) error {
	z.db = store.NewMemory()
	if z.options.Dir != "" {
		if err := os.MkdirAll(z.options.Dir, 0o700); err != nil {
			return err
		}
		db, err := store.Open(z.options.Dir)
		if err != nil {
			return err
		}
		z.db = db
		z.closers = append(z.closers, db.Close)
	}
	events, err := store.Load[bool](z.db, "zone/event")
	z.faults = &faultInjector{
		objects: z.fault.Objects, silentMachines: z.fault.SilentMachines, withoutPackages: z.fault.WithoutPackages, withoutCloudInit: z.fault.WithoutCloudInit, events: events,
	}
	return err
}

// openClock continues simulated time where the zone's last process ended, however it ended. At real speed the zone uses the wall
// clock, unless an earlier, faster run is ahead of it: time is monotonic.
func (z *Zone) openClock(ctx context.Context) error {
	times, err := store.Load[time.Time](z.db, "zone/time")
	if err != nil {
		return err
	}
	every := max(tick, time.Duration(float64(minTick)*z.options.Speed))
	start, err := findStart(ctx, times, every, z.options.Speed)
	if err != nil {
		return err
	}
	stop := func() {}
	if z.options.Speed > 0 || start.After(time.Now()) {
		z.clock, stop = network.NewScaledClock(max(1, z.options.Speed), start)
	}
	note := func() error { return times.Put("now", z.clock.Now()) }
	z.closers = append(z.closers, func() error {
		stop()
		end := z.clock.Now()
		return errors.Join(times.Put("now", end), times.Put("end", end))
	})
	if z.options.Speed > 0 || z.options.Dir != "" {
		z.running.Go(func() {
			for z.clock.Sleep(ctx, every) == nil {
				_ = note() // the next one may succeed
			}
		})
	}
	return note()
}

// findStart returns where simulated time begins; every is the interval at which it is stored. The wall clock may be behind by
// less than that: it is waited for, as a clock of the zone's own would depend on the load of the machine, and everything that
// counts in wall-clock time, such as timeouts of connections, would go ahead of it.
func findStart(ctx context.Context, times *store.Table[time.Time], every time.Duration, speed float64) (time.Time, error) {
	start, known := times.Get("now")
	if !known {
		return time.Now(), nil
	}
	if end, _ := times.Get("end"); !start.Equal(end) {
		start = start.Add(every) // the process was killed
	}
	if ahead := time.Until(start); speed == 0 && ahead > 0 && ahead <= every {
		return start, network.Clock{}.Sleep(ctx, ahead)
	}
	return start, nil
}

// watchChanges reacts to changes at the API: it syncs machines and probes, and injects object faults.
func (z *Zone) watchChanges(ctx context.Context) error {
	for {
		err := errors.Join(z.hypervisor.Sync(ctx), z.dns.registrar.recordZones(z.listZones()), z.faults.injectObjectFaults(z.api))
		z.probes.sync(ctx, listBackends(z.api.ElasticIPs(), z.api.BalancedPorts()))
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-z.api.Changed():
		}
	}
}
