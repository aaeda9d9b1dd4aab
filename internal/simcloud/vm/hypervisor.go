// Package vm boots the instances of a simulated zone from their actual user data: Ignition or cloud-init reads it from the
// metadata service, fetches what it refers to over the simulated network, and writes the disk on which software runs.
package vm

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/store"
)

// Running is the state of an instance that is running; in any other it is off.
const Running = "running"

// Instance describes a virtual machine.
type Instance struct {
	ID, Name string
	Address  netip.Addr // invalid without a public address: such an instance does not boot
	// DefaultAddress is that of the interface with the default route; invalid: Address.
	DefaultAddress netip.Addr
	State          string
	Zone           string
	Type           string // e.g. "standard.large"
	DiskGiB        int    // 0: unknown, treated as sufficient
	Platform       string // ignition.platform.id in the image; "" is a Linux with cloud-init
	OSBuild        string // of CoreOS in the image; "" if that is not known
	UserData       []byte
	CreatedAt      time.Time
}

// Config contains what the machines need of the zone.
type Config struct {
	DB        *store.DB
	Fabric    *fabric.Fabric
	Clock     network.Clock
	Roots     *x509.CertPool // CAs that the images trust: the public internet
	Instances func() []Instance
	// RunSoftware is the software of machines after Ignition; the disk decides what it runs.
	RunSoftware machine.Software
	// Program runs what a machine downloads and executes; nil: no machine can.
	Program func(ctx context.Context, net network.Network, program []byte, args []string, in io.Reader, out io.Writer) (exitCode int)
	// PowerOff is called with the ID of an instance whose own system shuts it down; nil means no call.
	PowerOff func(id string)
	// HasBootFault reports whether an instance never boots; nil means that all do.
	HasBootFault func(Instance) bool
	// LacksPackages reports whether an instance cannot install packages; nil means that all can.
	LacksPackages func(Instance) bool
	// LacksCloudInit reports whether cloud-init fails on an instance before it reads the user data; nil means that it fails on none.
	LacksCloudInit func(Instance) bool
}

// Hypervisor runs all machines of a zone.
type Hypervisor struct {
	config   Config
	disks    disks
	consoles consoles
	metadata *metadata

	mu       sync.Mutex // serializes Sync; guards runs
	machines map[string]*machineRun
}

type machineRun struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// New returns a hypervisor whose machines are still off: call Sync.
func New(config Config) (*Hypervisor, error) {
	if config.HasBootFault == nil {
		config.HasBootFault = func(Instance) bool { return false }
	}
	disks, err := openDisks(config.DB)
	if err != nil {
		return nil, err
	}
	f := &Hypervisor{config: config, disks: disks, machines: map[string]*machineRun{}, consoles: newConsoles(config.Clock)}
	if f.metadata, err = serveMetadata(config.Fabric, config.Instances); err != nil {
		return nil, err
	}
	return f, nil
}

// Close stops all software without powering the machines off: after a restart of the zone they resume. Sync must not be called
// any more.
func (f *Hypervisor) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.machines {
		l.cancel()
	}
	for _, l := range f.machines {
		<-l.done
	}
	f.metadata.close()
}

// Consoles returns the last lines of each console, by the instance's name.
func (f *Hypervisor) Consoles() map[string][]string { return f.consoles.copy() }

// Sync starts and stops machines according to the instances. Call it after each change. Machines run until ctx ends or the
// hypervisor is closed. The disks of deleted instances are wiped.
func (f *Hypervisor) Sync(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	instances := f.config.Instances()
	on := map[string]bool{}
	for _, i := range instances {
		on[i.ID] = i.State == Running && i.Address.IsValid()
	}
	for id := range f.machines {
		if !on[id] {
			f.machines[id].cancel()
		}
	}
	for id, l := range f.machines {
		if !on[id] {
			<-l.done
			delete(f.machines, id)
		}
	}
	if err := f.disks.keep(on); err != nil {
		return fmt.Errorf("wipe the disks of instances that are gone: %w", err)
	}
	for _, i := range instances {
		if on[i.ID] && f.machines[i.ID] == nil {
			f.machines[i.ID] = f.start(ctx, i)
		}
	}
	return nil
}

func (f *Hypervisor) start(ctx context.Context, i Instance) *machineRun {
	ctx, cancel := context.WithCancel(ctx)
	l := &machineRun{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		b := guest{instance: i, hypervisor: f, disk: f.disks.openDisk(i.ID), console: f.consoles.ensure(i.Name)}
		if err := b.run(ctx); err != nil && ctx.Err() == nil {
			b.Console("%v", err)
		}
	}()
	return l
}

func find(instances []Instance, address netip.Addr) (Instance, bool) {
	i := slices.IndexFunc(instances, func(i Instance) bool { return i.Address == address })
	if i < 0 {
		return Instance{}, false
	}
	return instances[i], true
}
