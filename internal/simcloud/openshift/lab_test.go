package openshift

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/installer"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/machineconfig"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vm"
)

const (
	domain       = "c-demo.example.net"
	balancer     = "198.18.0.2"
	configSource = `apiVersion: v1
baseDomain: example.net
metadata: {name: c-demo}
platform: {external: {platformName: exoscale}}
pullSecret: '{"auths":{"quay.io":{"auth":"aWQ6cGFzcwo="}}}'
`
)

// plan configures a lab's cluster; the zero plan is the default cluster.
type plan struct {
	config    string                         // install-config; "" is configSource
	release   string                         // "" is 4.20.5
	age       time.Duration                  // of the certificates; negative: they are not valid yet
	cloud     bool                           // with the API of Exoscale
	manifests func(*lab) map[string]string   // added before the Ignition documents are made
	build     string                         // of the boot image
	edit      map[string]func(string) string // changes of manifests that the installer made
	faults    scenario.Cluster
}

// lab is a zone with a load balancer, machines, and a workstation with the installer's files.
type lab struct {
	t      *testing.T
	plan   plan
	cloud  *cloud // nil: there is no API of Exoscale
	ca     *fabric.CA
	images *http.Server // the registry, and the hosts of its layers
	dir    string       // of the installer
	disk   string       // of the zone
	db     *store.DB
	clock  network.Clock
	fabric *fabric.Fabric
	laptop *fabric.Host
	fleet  *vm.Hypervisor
	world  *Clusters
	api    *apiclient.Client
	cancel context.CancelFunc
	ctx    context.Context

	mu        sync.Mutex
	instances []vm.Instance
	machines  map[string]machine.Machine
	closed    map[int]bool      // unreachable ports
	walled    bool              // the registry is unreachable
	blocked   string            // an unreachable host of layers
	names     map[string]string // addresses by the end of a name
}

func newLab(t *testing.T, clock network.Clock, plan plan) *lab {
	t.Helper()
	disk := t.TempDir()
	l := &lab{t: t, plan: plan, disk: disk, dir: t.TempDir(), db: mustOpen(t, disk), clock: clock, closed: map[int]bool{}, machines: map[string]machine.Machine{},
		names: map[string]string{"." + domain: balancer}}
	l.openNetwork()
	l.generate()
	l.openMachines()
	return l
}

func (l *lab) generate() {
	l.t.Helper()
	l.write("install-config.yaml", cmp.Or(l.plan.config, configSource))
	l.run("create", "manifests")
	if l.plan.manifests != nil {
		for name, content := range l.plan.manifests(l) {
			l.write(name, content)
		}
	}
	for name, change := range l.plan.edit {
		l.write(name, change(string(l.file(name))))
	}
	l.run("create", "ignition-configs")
}

func (l *lab) run(command ...string) {
	l.t.Helper()
	var output bytes.Buffer
	args := append([]string{"--release", cmp.Or(l.plan.release, "4.20.5")}, append(command, "--dir", l.dir)...)
	if code := installer.Main(args, time.Now().Add(-l.plan.age), io.Discard, &output); code != 0 {
		l.t.Fatal(output.String())
	}
}

func (l *lab) write(name, content string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(content), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) file(name string) []byte {
	l.t.Helper()
	content, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		l.t.Fatal(err)
	}
	return content
}

// openNetwork starts the first half of the zone's process; it can be called again for a restart.
func (l *lab) openNetwork() {
	l.t.Helper()
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.fabric = fabric.New(fabric.Config{Clock: l.clock, Allows: l.allows, Resolve: l.resolve})
	l.laptop = l.host("192.0.2.10")
	l.balance()
	l.openRegistry()
	if l.plan.cloud {
		l.cloud = openCloud(l)
	}
}

// openMachines starts the second half, which reads what the installer wrote.
func (l *lab) openMachines() {
	l.t.Helper()
	l.world = NewClusters(l.db, l.clock, l.plan.faults)
	fleet, err := vm.New(vm.Config{DB: l.db, Fabric: l.fabric, Clock: l.clock, Roots: l.ca.Pool(), Instances: l.list, RunSoftware: l.software})
	if err != nil {
		l.t.Fatal(err)
	}
	l.fleet = fleet
	l.connect()
	l.sync()
}

// software runs the machine's software, and keeps the machine for checks of its disk.
func (l *lab) software(ctx context.Context, m machine.Machine) {
	l.mu.Lock()
	l.machines[m.Name()] = m
	l.mu.Unlock()
	l.world.RunSoftware(ctx, m)
}

// onDisk returns a file of a machine on which Ignition ran, "" if there is none.
func (l *lab) onDisk(name, path string) string {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.machines[name] == nil {
		l.t.Fatalf("Ignition has not finished on %s", name)
	}
	content, _ := l.machines[name].ReadFile(path)
	return string(content)
}

func (l *lab) connect() {
	l.t.Helper()
	if l.api != nil {
		l.api.Close()
	}
	opened, err := apiclient.ParseKubeconfig(l.file("auth/kubeconfig"))
	if err != nil {
		l.t.Fatal(err)
	}
	if l.api, err = apiclient.New(desk{host: l.laptop}, opened, 10*time.Second); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) close() {
	l.cancel()
	l.api.Close()
	l.fleet.Close()
	_ = l.images.Close()
	if l.cloud != nil {
		l.cloud.close()
	}
	l.fabric.Close()
	l.checkUnmodified()
	if err := l.db.Close(); err != nil {
		l.t.Error(err)
	}
}

// checkUnmodified reports objects that without Update: whoever reads them shares them.
func (l *lab) checkUnmodified() {
	l.t.Helper()
	for _, c := range l.world.clusters {
		for _, kind := range c.Objects.ListKinds() {
			entries, _, _ := c.Objects.ListEntries(kind.GroupResource(), "", nil)
			for _, entry := range entries {
				if now, err := json.Marshal(entry.Object); err != nil || !bytes.Equal(now, entry.Raw) {
					l.t.Errorf("%s was modified where it is stored: %s", entry.Key(), now)
				}
			}
		}
	}
}

// restart ends the zone's process and starts it again.
func (l *lab) restart() {
	l.t.Helper()
	l.close()
	l.db = mustOpen(l.t, l.disk)
	l.openNetwork()
	l.openMachines()
}

func mustOpen(t *testing.T, dir string) *store.DB {
	t.Helper()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (l *lab) host(address string) *fabric.Host {
	l.t.Helper()
	host, err := l.fabric.AddHost(netip.MustParseAddr(address))
	if err != nil {
		l.t.Fatal(err)
	}
	return host
}

func (l *lab) resolve(_ context.Context, name string) ([]netip.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for suffix, address := range l.names {
		if strings.HasSuffix(name, suffix) {
			return []netip.Addr{netip.MustParseAddr(address)}, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (l *lab) allows(_, to netip.Addr, _ string, port int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to.String() == imagesAddress {
		return !l.walled
	}
	return !l.closed[port]
}

func (l *lab) shut(port int, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed[port] = closed
}

func (l *lab) list() []vm.Instance {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.instances)
}

// boot creates a machine and starts it.
func (l *lab) boot(name, address string, userData []byte) {
	l.mu.Lock()
	l.instances = append(l.instances, vm.Instance{ID: "id-" + name + address, Name: name, Address: netip.MustParseAddr(address), State: vm.Running,
		Platform: "exoscale", Zone: cloudZone, OSBuild: l.plan.build, UserData: userData})
	l.mu.Unlock()
	l.sync()
}

func (l *lab) idOf(name string) string {
	for _, instance := range l.list() {
		if instance.Name == name {
			return instance.ID
		}
	}
	return ""
}

func (l *lab) remove(name string) {
	l.mu.Lock()
	l.instances = slices.DeleteFunc(l.instances, func(i vm.Instance) bool { return i.Name == name })
	l.mu.Unlock()
	l.sync()
}

func (l *lab) sync() {
	l.t.Helper()
	if err := l.fleet.Sync(l.ctx); err != nil {
		l.t.Fatal(err)
	}
}

// node returns a pointer with a host name.
func (l *lab) node(role, name string) []byte {
	var document map[string]any
	if err := json.Unmarshal(l.file(role+".ign"), &document); err != nil {
		l.t.Fatal(err)
	}
	source := "data:;base64," + base64.StdEncoding.EncodeToString([]byte(name+"\n"))
	document["storage"] = map[string]any{"files": []any{map[string]any{"path": machineconfig.HostnameFile, "contents": map[string]any{"source": source}}}}
	content, err := json.Marshal(document)
	if err != nil {
		l.t.Fatal(err)
	}
	return content
}

func (l *lab) bootCluster(masters, infra int) {
	l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
	for i := range masters {
		name := fmt.Sprintf("master-%d", i)
		l.boot(name, fmt.Sprintf("198.18.0.%d", 11+i), l.node("master", name))
	}
	for i := range infra {
		name := fmt.Sprintf("infra-%d", i)
		l.boot(name, fmt.Sprintf("198.18.0.%d", 21+i), l.node("worker", name))
	}
}

// desk is a machine that only dials.
type desk struct {
	machine.Machine
	host *fabric.Host
}

func (d desk) Network() network.Network { return d.host.Network(nil) }

func (l *lab) infraID() string {
	l.t.Helper()
	var metadata struct{ InfraID string }
	if err := json.Unmarshal(l.file("metadata.json"), &metadata); err != nil {
		l.t.Fatal(err)
	}
	return metadata.InfraID
}

// get reads an object as the operator; nil if that fails.
func (l *lab) get(path string) kube.Object {
	object, err := l.api.Get(l.ctx, path)
	if err != nil {
		return nil
	}
	return object
}

// approve approves the pending requests of nodes and returns how many.
func (l *lab) approve() int {
	approved := 0
	for _, request := range l.get(apiclient.CSRPath).List("items") {
		if len(request.List("status.conditions")) > 0 {
			continue
		}
		request.Set("apiVersion", "certificates.k8s.io/v1")
		request.Set("kind", "CertificateSigningRequest")
		request.Set("status.conditions", []kube.Object{{"type": "Approved", "status": "True", "reason": "Test"}})
		if _, err := l.api.Do(l.ctx, http.MethodPut, apiclient.CSRPath+"/"+request.Name()+"/approval", request); err == nil {
			approved++
		}
	}
	return approved
}
