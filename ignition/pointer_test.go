package ignition_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_2"
	"github.com/coreos/ignition/v2/config/v3_2/types"
	"github.com/google/go-cmp/cmp"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

const domain = "c-demo-1.example.net"

func rootCA() []byte {
	return []byte("-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n")
}

func TestNodePointer_Golden(t *testing.T) {
	spec := state.Default()
	spec.Sizing.Workers.DataDisk, spec.Sizing.Workers.TopoLVM = 50, true
	data := spec.Machines(state.RoleWorker)[0]
	data.TopoLVM = false
	for golden, node := range map[string]state.Machine{
		"topolvm.golden": spec.Machines(state.RoleWorker)[2],
		"data.golden":    data,
		"master.golden":  spec.Machines(state.RoleMaster)[0],
		"worker.golden":  spec.Machines(state.RoleInfra)[3],
		"storage.golden": spec.Machines(state.RoleStorage)[1],
	} {
		document, err := ignition.RenderNodePointer(node, domain, rootCA())
		if err != nil {
			t.Fatal(err)
		}
		compareGolden(t, golden, document)
	}
	bootstrap, err := ignition.RenderBootstrapPointer("bootstrap", "https://sos-ch-gva-2.exo.io/b/bootstrap.ign?X-Amz-Signature=0", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "bootstrap.golden", bootstrap)
}

func TestNodePointer_TopoLVMWithoutDataDisk(t *testing.T) {
	spec := state.Default()
	spec.Sizing.Workers.TopoLVM, spec.Sizing.Storage.TopoLVM = true, true
	for _, role := range []state.Role{state.RoleWorker, state.RoleStorage} {
		_, err := ignition.RenderNodePointer(spec.Machines(role)[0], domain, rootCA())
		if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%s: error %v", role, err)
		}
	}
}

func TestBootstrapPointer_KeepsHostname(t *testing.T) {
	pointer, err := ignition.RenderBootstrapPointer("bootstrap", "https://sos-ch-gva-2.exo.io/b/bootstrap.ign", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	parsed := parse(t, pointer)
	if parsed.Ignition.Config.Replace.Source != nil {
		t.Error("what is fetched would replace the host name")
	}
	fetched := parse(t, []byte(`{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/motd"}]}}`))
	var paths []string
	for _, file := range v3_2.Merge(parsed, fetched).Storage.Files {
		paths = append(paths, file.Path)
	}
	if diff := cmp.Diff([]string{"/etc/hostname", "/etc/motd"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestBootstrapPointer_HasDocumentHash(t *testing.T) {
	pointer, err := ignition.RenderBootstrapPointer("bootstrap", "https://example.net/", []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha512-ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
		"2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" // FIPS 180-2, appendix C.1
	if got := *parse(t, pointer).Ignition.Config.Merge[0].Verification.Hash; got != want {
		t.Errorf("hash %s", got)
	}
}

func TestPool_WorkerUnlessMaster(t *testing.T) {
	for role, want := range map[state.Role]string{
		state.RoleMaster: "master", state.RoleInfra: "worker", state.RoleStorage: "worker", state.RoleWorker: "worker", "gpu": "worker",
	} {
		if got := ignition.Pool(role); got != want {
			t.Errorf("%s starts in %s, want %s", role, got, want)
		}
	}
}

func TestPointer_RefusesInvalidDocument(t *testing.T) {
	good := ignition.Pointer{Hostname: "worker-0", Source: "https://example.net/config"}
	for name, spoil := range map[string]func(*ignition.Pointer){
		"no host name":      func(p *ignition.Pointer) { p.Hostname = "" },
		"two lines":         func(p *ignition.Pointer) { p.Hostname = "worker-0\nworker-1" },
		"capitals":          func(p *ignition.Pointer) { p.Hostname = "Worker-0" },
		"64 characters":     func(p *ignition.Pointer) { p.Hostname = strings.Repeat("a", 62) + ".b" },
		"no source":         func(p *ignition.Pointer) { p.Source = "" },
		"without TLS":       func(p *ignition.Pointer) { p.Source = "http://example.net/config" },
		"unknown scheme":    func(p *ignition.Pointer) { p.Source = "ftp://example.net/config" },
		"unknown hash":      func(p *ignition.Pointer) { p.Hash = "md5-900150983cd24fb0d6963f7d28e17f72" },
		"short hash":        func(p *ignition.Pointer) { p.Hash = "sha512-abc" },
		"hash without name": func(p *ignition.Pointer) { p.Hash = "abc" },
		"more than fits":    func(p *ignition.Pointer) { p.CA = bytes.Repeat([]byte("a"), 24<<10) },
	} {
		pointer := good
		spoil(&pointer)
		if _, err := pointer.Render(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := good.Render(); err != nil {
		t.Errorf("the good one: %v", err)
	}
	if _, err := ignition.RenderNodePointer(state.Default().Machines(state.RoleWorker)[0], domain, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("without an authority: error %v", err)
	}
}

func TestCheckSize_Base64Limit(t *testing.T) {
	if err := ignition.CheckSize("create", make([]byte, 24573)); err != nil { // 32764 in base64
		t.Error(err)
	}
	err := ignition.CheckSize("create", make([]byte, 24574)) // 32768 in base64
	if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}

func parse(t *testing.T, document []byte) types.Config {
	t.Helper()
	config, report, err := v3_2.Parse(document)
	if err != nil || len(report.Entries) > 0 {
		t.Fatalf("%v: %s", err, report.String())
	}
	return config
}

func compareGolden(t *testing.T, name string, document []byte) {
	t.Helper()
	parse(t, document)
	var got bytes.Buffer
	if err := json.Indent(&got, document, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", path, diff)
	}
}
