package vm

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vincent-petithory/dataurl"

	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/store"
)

// zone is a network with machines, and a server at config.test:22623 that serves child.
type zone struct {
	t      *testing.T
	fabric *fabric.Fabric
	client *fabric.Host
	ca     *fabric.CA // of the cluster
	db     *store.DB
	fleet  *Hypervisor

	mu        sync.Mutex
	instances []Instance
	broken    string
	ran       []string // host names of the machines whose software ran
	ended     int
	child     []byte
	off       chan string // machines that shut themselves down
	accepted  string
}

func newZone(t *testing.T) *zone {
	t.Helper()
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	z := &zone{t: t, db: db, off: make(chan string, 9)}
	z.fabric = fabric.New(fabric.Config{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("198.18.0.100")}, nil
	}})
	z.client = z.host("192.0.2.10")
	if z.ca, err = fabric.NewCA("Cluster CA"); err != nil {
		t.Fatal(err)
	}
	z.child = ignitionFile("/etc/from-mcs", "hello")
	z.serve()
	z.open()
	return z
}

func (z *zone) host(address string) *fabric.Host {
	z.t.Helper()
	h, err := z.fabric.AddHost(netip.MustParseAddr(address))
	if err != nil {
		z.t.Fatal(err)
	}
	return h
}

func (z *zone) serve() {
	l, err := z.host("198.18.0.100").Listen(22623)
	if err != nil {
		z.t.Fatal(err)
	}
	config, err := z.ca.NewServerTLS("config.test")
	if err != nil {
		z.t.Fatal(err)
	}
	calls := 0
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z.mu.Lock()
		defer z.mu.Unlock()
		if calls++; calls == 1 {
			http.Error(w, "not yet", http.StatusInternalServerError)
			return
		}
		z.accepted = r.Header.Get("Accept")
		_, _ = w.Write(z.child)
	})}
	go func() { _ = server.Serve(tls.NewListener(l, config)) }()
}

// open creates a hypervisor on the zone's store, as a start of the zone's process does.
func (z *zone) open() {
	z.t.Helper()
	fleet, err := New(Config{
		DB: z.db, Fabric: z.fabric, RunSoftware: z.software,
		Instances: func() []Instance {
			z.mu.Lock()
			defer z.mu.Unlock()
			return slices.Clone(z.instances)
		},
		HasBootFault: func(i Instance) bool { return i.Name == z.broken },
		PowerOff:     func(id string) { z.off <- id },
	})
	if err != nil {
		z.t.Fatal(err)
	}
	z.fleet = fleet
}

func (z *zone) close() {
	z.fleet.Close()
	z.fabric.Close()
	if err := z.db.Close(); err != nil {
		z.t.Error(err)
	}
}

func (z *zone) software(ctx context.Context, m machine.Machine) {
	name, _ := m.ReadFile("/etc/hostname")
	z.mu.Lock()
	z.ran = append(z.ran, string(name))
	z.mu.Unlock()
	<-ctx.Done()
	z.mu.Lock()
	z.ended++
	z.mu.Unlock()
}

// set replaces the instances.
func (z *zone) set(instances ...Instance) {
	z.t.Helper()
	z.mu.Lock()
	z.instances = instances
	z.mu.Unlock()
	if err := z.fleet.Sync(z.t.Context()); err != nil {
		z.t.Fatal(err)
	}
}

func (z *zone) wantRan(names ...string) {
	z.t.Helper()
	z.mu.Lock()
	defer z.mu.Unlock()
	if !slices.Equal(z.ran, names) {
		z.t.Errorf("software ran on %q, want %q; console: %s", z.ran, names, z.console())
	}
}

func (z *zone) console() string { return strings.Join(z.fleet.Consoles()["master-0"], "\n") }

func (z *zone) wantSaid(text string) {
	z.t.Helper()
	if !strings.Contains(z.console(), text) {
		z.t.Errorf("console lacks %q:\n%s", text, z.console())
	}
}

func (z *zone) wantConsole(machine, text string) {
	z.t.Helper()
	if console := strings.Join(z.fleet.Consoles()[machine], "\n"); !strings.Contains(console, text) {
		z.t.Errorf("the console of %s lacks %q:\n%s", machine, text, console)
	}
}

func master(userData []byte) Instance {
	return Instance{ID: "id-0", Name: "master-0", Address: netip.MustParseAddr("198.18.0.2"), State: Running,
		Platform: "exoscale", UserData: userData}
}

func data(content string) string { return dataurl.EncodeBytes([]byte(content)) }

func ignitionFile(path, content string) []byte {
	return fmt.Appendf(nil, `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":%q,"contents":{"source":%q}}]}}`, path, data(content))
}

// pointer refers to the server with a CA and, if hash is set, a verification.
func (z *zone) pointer(ca []byte, hash string) []byte {
	reference := map[string]any{"source": "https://config.test:22623/config/master"}
	if hash != "" {
		reference["verification"] = map[string]any{"hash": hash}
	}
	document, err := json.Marshal(map[string]any{
		"ignition": map[string]any{
			"version": "3.2.0",
			"config":  map[string]any{"merge": []any{reference}},
			"security": map[string]any{"tls": map[string]any{"certificateAuthorities": []any{
				map[string]any{"source": data(string(ca))}}}},
		},
		"storage": map[string]any{"files": []any{
			map[string]any{"path": "/etc/hostname", "contents": map[string]any{"source": data("master-0")}}}},
	})
	if err != nil {
		z.t.Fatal(err)
	}
	return document
}

func TestIgnition_FollowsPointerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		sum := sha256.Sum256(z.child)
		i := master(z.pointer(z.ca.PEM(), "sha256-"+hex.EncodeToString(sum[:])))
		z.set(i)
		time.Sleep(30 * time.Second)
		z.wantRan()
		time.Sleep(30 * time.Second)
		z.wantRan("master-0")
		if got, _ := z.fleet.disks.openDisk("id-0").read("/etc/from-mcs"); string(got) != "hello" {
			t.Errorf("the merged file holds %q", got)
		}
		if !strings.HasPrefix(z.accepted, "application/vnd.coreos.ignition+json;version=3.") {
			t.Errorf("Accept = %q", z.accepted)
		}

		z.fleet.Close()
		z.open()
		z.child = ignitionFile("/etc/hostname", "other")
		z.set(i)
		synctest.Wait()
		z.wantRan("master-0", "master-0") // at once, from the unchanged disk
		z.close()
	})
}

func TestIgnition_TrustsGivenAuthorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		defer z.close()
		other, err := fabric.NewCA("Other CA")
		if err != nil {
			t.Fatal(err)
		}
		z.set(master(z.pointer(other.PEM(), "")))
		time.Sleep(10 * time.Minute)
		z.wantRan()
		z.wantSaid("certificate signed by unknown authority")
	})
}

func TestIgnition_Failures(t *testing.T) {
	for name, test := range map[string]struct {
		userData func(z *zone) []byte
		says     string
	}{
		"wrong hash":      {func(z *zone) []byte { return z.pointer(z.ca.PEM(), "sha256-"+strings.Repeat("0", 64)) }, "hash verification failed"},
		"packed document": {func(*zone) []byte { return []byte("\x1f\x8b\x08rest") }, "entering emergency mode"},
		"other version": {func(*zone) []byte { return []byte(`{"ignition":{"version":"2.2.0"}}`) },
			"entering emergency mode"},
		"relative path": {func(*zone) []byte { return ignitionFile("etc/hostname", "x") }, "entering emergency mode"},
		"bad child": {func(z *zone) []byte {
			z.child = []byte("{}")
			return z.pointer(z.ca.PEM(), "")
		}, "referenced config"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := newZone(t)
				defer z.close()
				z.set(master(test.userData(z)))
				time.Sleep(10 * time.Minute)
				z.wantRan()
				z.wantSaid(test.says)
			})
		})
	}
}

func TestMachine_DoesNotBoot(t *testing.T) {
	unpatched := func(z *zone) Instance {
		i := master(z.pointer(z.ca.PEM(), ""))
		i.Platform = "openstack"
		return i
	}
	for name, test := range map[string]struct {
		instance func(z *zone) Instance
		broken   string
	}{
		"unpatched image": {unpatched, ""},
		"broken":          {func(z *zone) Instance { return master(z.pointer(z.ca.PEM(), "")) }, "master-0"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := newZone(t)
				defer z.close()
				z.broken = test.broken
				z.set(test.instance(z))
				time.Sleep(10 * time.Minute)
				z.wantRan()
			})
		})
	}
}

func TestMachine_EndsWithInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		defer z.close()
		i := master(z.pointer(z.ca.PEM(), ""))
		z.set(i)
		time.Sleep(time.Minute)
		z.wantRan("master-0")

		i.State = "stopped"
		z.set(i)
		if z.ended != 1 {
			t.Error("the software did not end with its machine")
		}
		i.State = Running
		z.set(i)
		synctest.Wait()
		z.wantRan("master-0") // it has to boot first
		time.Sleep(time.Minute)
		z.wantRan("master-0", "master-0")

		z.set()
		if files := z.fleet.disks.files.List(); len(files) != 0 {
			t.Errorf("%d files are left of a destroyed machine", len(files))
		}
	})
}

func TestMetadata_IdentifiesClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		defer z.close()
		i := Instance{ID: "id-1", Name: "lb-0", Address: netip.MustParseAddr("198.18.0.3"), State: "stopped", UserData: []byte("mine")}
		z.set(i)
		guest := z.host("198.18.0.3").Network(nil)
		stranger := z.client.Network(nil)
		for path, want := range map[string]string{"/1.0/user-data": "mine", "/latest/user-data": "mine",
			"/1.0/meta-data/local-hostname": "lb-0", "/latest/meta-data/instance-id": "id-1"} {
			if got := get(t, guest.NewClient(), path); got != want {
				t.Errorf("%s = %q, want %q", path, got, want)
			}
			if got := get(t, stranger.NewClient(), path); got != "404 page not found\n" {
				t.Errorf("a stranger gets %q", got)
			}
		}
	})
}

func get(t *testing.T, client *http.Client, path string) string {
	t.Helper()
	response, err := client.Get("http://" + metadataAddress + path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestCloudInit_StartsLoadBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		defer z.close()
		config, err := os.ReadFile("../../../assets/testdata/haproxy.golden")
		if err != nil {
			t.Fatal(err)
		}
		userData := "#cloud-config\npackages: [haproxy]\nwrite_files:\n  - path: /etc/haproxy/haproxy.cfg\n    permissions: \"0644\"\n" +
			"    content: |\n      " + strings.ReplaceAll(string(config), "\n", "\n      ") + "\nruncmd:\n  - [systemctl, restart, haproxy]\n"
		z.set(Instance{ID: "id-1", Name: "lb-0", Address: netip.MustParseAddr("198.18.0.3"), State: Running, UserData: []byte(userData)})
		time.Sleep(110 * time.Second)
		c, err := z.client.Dial(t.Context(), "tcp", "198.18.0.3:8404")
		if err != nil {
			t.Fatalf("the load balancer's monitor: %v; console: %q", err, z.fleet.Consoles()["lb-0"])
		}
		_ = c.Close()
	})
}

func TestCloudInit_EncodedFiles(t *testing.T) {
	for encoding, content := range map[string]string{"": "hi", "b64": "aGk=", "gz+b64": "H4sIAAAAAAAA/8vIBACsKpPYAgAAAA=="} {
		got, err := cloudFile{Content: content, Encoding: encoding}.decode()
		if err != nil || string(got) != "hi" {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
	}
}
