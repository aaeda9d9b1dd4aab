// Package simcloud is an Exoscale zone, an object store, an internet and an OpenShift that exist only in memory. Its
// one entrance is a network.Network, so that a rehearsal differs from an installation in nothing else.
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
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vm"
)

// Options describe a zone.
type Options struct {
	// Dir is the folder that keeps the zone's state, so that it survives a killed process; "" keeps it in memory.
	Dir string
	// Speed is how many times faster than real the zone lives; 0 is the wall clock, or that of a synctest bubble.
	Speed float64
	// Scenario is one of Scenarios; "" is the first.
	Scenario string
	// Zone is the name of the zone whose machines exist, e.g. "ch-gva-2".
	Zone string
	// Key and Secret are the API credentials that are accepted.
	Key, Secret string
	// Installer is the command line of the simulated openshift-install, which the mirror's script runs.
	Installer []string
	// Program runs what a machine of the zone downloads and starts itself: its content, the network as the machine sees it,
	// arguments, input and output. nil: machines can run nothing that they download.
	Program func(ctx context.Context, net network.Network, program []byte, args []string, in io.Reader, out io.Writer) (exitCode int)
	// Latency is how long the API takes before each answer, on the wall clock.
	Latency time.Duration
	// Middleware is put before the API and before the object storage; nil means none. It may let a request fail, or its
	// answer.
	Middleware func(http.Handler) http.Handler
	// Mirror is put before the servers that releases and images are downloaded from; nil means none. It may spoil what
	// they serve.
	Mirror func(http.Handler) http.Handler
	// Syn is put before the web servers of Project Syn; nil means none. It may let a request fail, or its answer.
	Syn func(http.Handler) http.Handler
	// Quotas overrides the API's limits by resource, e.g. {"instance": 5}, and those of the scenario.
	Quotas map[string]int
}

// Zone is an open zone.
type Zone struct {
	options      Options
	db           *store.DB
	clock        network.Clock
	ca           *fabric.CA
	release      mirror.Key // signs the releases
	hostSeed     []byte     // of the SSH host keys
	hostKeys     map[string]string
	networkFault networkFault // what the scenario does to packets and names on their way
	fabric       *fabric.Fabric
	client       *fabric.Host // the operator's machine
	platform     *fabric.Host // where Exoscale's own requests come from
	servers      *server.Servers
	// interceptor is the authority of whoever opens other people's connections; nil if nobody does.
	interceptor *fabric.CA
	dns         *nameService
	api         *api.API
	storage     *s3.Storage
	hypervisor  *vm.Hypervisor
	clusters    *openshift.Clusters
	probes      *probes
	events      *store.Table[bool] // what a scenario has done already
	// syn opens what Project Syn consists of when it is asked for the first time.
	syn func() (*projectSyn, error)

	cancel   context.CancelFunc
	running  sync.WaitGroup
	stops    []func() error // end servers, whose goroutines are in running
	closers  []func() error // in the order of opening
	watchErr error          // of the goroutine that follows changes; read it after running.Wait
}

// Open opens a zone, or creates one. Close it before the process ends; a process that is killed loses a few seconds
// of simulated time and nothing else.
//
// The zone outlives ctx, so that a run which is stopped can still say what it leaves behind; Close ends it.
func Open(ctx context.Context, options Options) (*Zone, error) {
	if options.Scenario == "" {
		options.Scenario = noFault
	}
	if !slices.Contains(Scenarios(), options.Scenario) {
		return nil, fmt.Errorf("unknown scenario %q, want one of %v", options.Scenario, Scenarios())
	}
	z := &Zone{options: options, networkFault: newNetworkFault(options.Scenario)}
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

// Close ends everything that runs; the state stays.
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

// Network is the world as the operator's machine sees it.
func (z *Zone) Network() network.Network {
	n := z.client.Network(z.ca.Pool())
	n.ReleaseKey, n.HostKeys, n.Proxy = z.release.ExportPublic(), z.HostKeys(), z.networkFault.proxy
	return n
}

// Authority returns the certificate that clients have to trust, as PEM. It stays the same as long as Dir is kept.
func (z *Zone) Authority() []byte { return z.ca.PEM() }

// ReleaseKey returns the OpenPGP public key, armored, that the releases are signed with. It stays the same as long as
// Dir is kept.
func (z *Zone) ReleaseKey() []byte { return z.release.ExportPublic() }

// Mutations returns how many requests changed something at the API or in the object storage since Open.
func (z *Zone) Mutations() int { return z.api.Mutations() + z.storage.Mutations() }

// Consoles returns the last lines of every machine's console, by the machine's name.
func (z *Zone) Consoles() map[string][]string { return z.hypervisor.Consoles() }

// addCloser notes what Close has to do.
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
	var err error
	z.events, err = store.Load[bool](z.db, "zone/event")
	return err
}

// watchChanges does what changes at the API ask for: switch machines, probe elastic IPs, let a scenario happen.
func (z *Zone) watchChanges(ctx context.Context) error {
	for {
		err := errors.Join(z.hypervisor.Sync(ctx), z.dns.registrar.recordZones(z.listZones()), z.injectObjectFault())
		z.probes.sync(ctx, z.api.ElasticIPs())
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
