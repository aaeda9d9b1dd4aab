// Package fault_test holds the installation against what goes wrong: it is interrupted at every call that changes something,
// and run again.
package fault_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

const (
	region = "ch-gva-2"
	key    = "EXOkey"
	secret = "very-secret-value"
)

// lab is a zone, a folder, and something between them and the program that lets things go wrong.
type lab struct {
	*testing.T
	spec   state.Spec
	zone   *simcloud.Zone
	net    network.Network
	folder state.Folder
	strike *striker
	inside func(*lab, *install.Clients) // puts other parts into the world of each process
}

// spec is a small cluster that has everything: two load balancers, masters, and one node of each other role.
func smallSpec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = region
	s.Sizing.Infra.Count, s.Sizing.Storage.Count, s.Sizing.Workers.Count = 1, 1, 1
	s.OpenShift.Version = "4.20.5"
	s.OpenShift.SSHKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINbmB5+y2VJ1FZqYhxMoq3+3cEo6uty+QEjxmzfpgV2V operator@example.net"
	return s
}

// openLab must be called in a bubble of virtual time; dir is the cluster's folder.
func openLab(t *testing.T, dir string, options simcloud.Options, strike *striker) *lab {
	t.Helper()
	options.Zone, options.Key, options.Secret = region, key, secret
	if options.Middleware == nil {
		options.Middleware = strike.before
	}
	zone, err := simcloud.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{T: t, spec: smallSpec(), zone: zone, net: zone.Network(), strike: strike}
	l.folder, err = state.Create(dir)
	l.must(err)
	return l
}

func (l *lab) close() {
	if err := l.zone.Close(); err != nil {
		l.Error(err)
	}
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// process is one process of the program: its own clients, on the folder and the zone that stay.
type process struct {
	ctx     context.Context
	cloud   *exoscale.Client
	storage *objects.Client
	journal *state.Journal
	end     func()
}

func (l *lab) start() process {
	l.Helper()
	ctx, kill := context.WithCancel(l.Context())
	l.strike.begin(kill)
	journal, err := l.folder.OpenJournal(l.net.Clock.Now)
	l.must(err)
	cloud, err := exoscale.New(l.net, region, key, secret, journal)
	l.must(err)
	storage, err := objects.New(l.net, region, key, secret, journal)
	l.must(err)
	return process{ctx, cloud, storage.WithOwner(l.spec.Cluster.ID), journal, func() {
		kill()
		cloud.Close()
		storage.Close()
		_ = journal.Close()
	}}
}

func (l *lab) world(p process) install.Clients {
	world := install.Clients{Cloud: p.cloud, Objects: p.storage, Names: servers{network.NewNameServers(l.net)}, Clock: l.net.Clock}
	l.inside(l, &world)
	return world
}

// install is one run of the recipe, from its beginning to its end or its death.
func (l *lab) install() error {
	p := l.start()
	defer p.end()
	installation, err := install.New(l.spec, install.Options{PullSecret: `{"auths":{"quay.io":{"auth":"c2ltdWxhdGVkOnNpbXVsYXRlZA=="}}}`, Seal: secret}, l.folder, l.world(p))
	if err != nil {
		return err
	}
	unheard := func(provisioner.Event) {}
	defer installation.Close(p.ctx, unheard)
	return provisioner.Run(p.ctx, installation.Plan(), unheard)
}

// pending is what a plan says that another run would change.
func (l *lab) pending() []install.Change {
	l.Helper()
	p := l.start()
	defer p.end()
	world := l.world(p)
	world.Cloud, world.Objects = p.cloud.WithPreview(), p.storage.WithPreview()
	installation, err := install.New(l.spec, install.Options{}, l.folder, world)
	l.must(err)
	preview, err := installation.Preview(p.ctx)
	l.must(err)
	return preview.ListPending()
}

// found is what another run would find, each as its kind and its name.
func (l *lab) found() []string {
	l.Helper()
	p := l.start()
	defer p.end()
	zone, _, err := p.cloud.WithPreview().EnsureZone(p.ctx, l.spec.Domain())
	l.must(err)
	objects, err := p.cloud.ListObjects(p.ctx)
	l.must(err)
	var lines []string
	for _, o := range objects {
		lines = append(lines, o.Kind+" "+o.Name)
	}
	for _, record := range (&gallery{lab: l, client: l.net.NewClient()}).list("dns-domain/" + zone.ID + "/record") {
		lines = append(lines, "dns-record "+text(record, "name")+" "+text(record, "content"))
	}
	return lines
}

// destroy deletes the cluster, backups and all.
func (l *lab) destroy() error {
	p := l.start()
	defer p.end()
	entries, err := l.folder.ListEntries()
	if err != nil {
		return err
	}
	world := destroy.Clients{Cloud: p.cloud, Buckets: p.storage, Clock: l.net.Clock, Syn: l.synTeardown()}
	teardown := destroy.New(l.spec, world, destroy.Options{Names: install.ListNames(l.spec), Journal: entries, DeleteBackups: true, OwnKey: key})
	inventory, err := teardown.TakeInventory(p.ctx)
	if err != nil {
		return err
	}
	return provisioner.Run(p.ctx, teardown.Plan(inventory), func(provisioner.Event) {})
}

// settle lets the zone end what it was asked for by a process that did not live to wait for it.
func (l *lab) settle() { l.must(l.net.Clock.Sleep(l.Context(), time.Minute)) }

// same fails if two pictures of the zone differ.
func (l *lab) same(what string, want, got []string) {
	l.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// servers are the name servers of the zone's world.
type servers struct{ network.NameServers }

func (s servers) LookupNameServers(ctx context.Context, domain string) (parent string, names []string, err error) {
	delegation, err := s.FindDelegation(ctx, domain)
	return delegation.Parent, delegation.Servers, err
}

// fastDir makes a folder where fsync costs little, if there is such a place.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "exoshift-fault-") //nolint:usetesting // it chooses the place
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
