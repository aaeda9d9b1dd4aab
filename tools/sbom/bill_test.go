package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/xeipuuv/gojsonschema"
)

// notice is of the modules of this test, which is the program that bills are made of here.
const notice = "head\n\n  The Go standard library: BSD-3-Clause\n  github.com/CycloneDX/cyclonedx-go: Apache-2.0\n  sigs.k8s.io/yaml: Apache-2.0, BSD-3-Clause, MIT\n\n" +
	"================\n  no.list/any: MIT\n"

func newBill(t *testing.T) (*program, []byte) {
	t.Helper()
	p, err := readProgram(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	bill, err := p.bill("v1.2.3", time.Unix(1_700_000_000, 0).UTC(), parseLicences(notice))
	if err != nil {
		t.Fatal(err)
	}
	return p, bill
}

func TestBill_NamesEveryModule(t *testing.T) {
	p, text := newBill(t)
	var bill cyclonedx.BOM
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if root := bill.Metadata.Component; root.Version != "v1.2.3" || bill.Metadata.Timestamp != "2023-11-14T22:13:20Z" || len((*root.Hashes)[0].Value) != 64 {
		t.Errorf("the program is %+v", root)
	}
	found := map[string]cyclonedx.Component{}
	for _, c := range *bill.Components {
		found[c.PackageURL] = c
	}
	if len(p.info.Deps) == 0 || len(found) != len(p.info.Deps)+1 {
		t.Errorf("%d components of %d modules and the standard library", len(found), len(p.info.Deps))
	}
	for _, module := range p.info.Deps {
		if _, ok := found["pkg:golang/"+module.Path+"@"+module.Version]; !ok {
			t.Errorf("%s is missing", module.Path)
		}
	}
	if c := found["pkg:golang/std@"+strings.TrimPrefix(p.info.GoVersion, "go")]; c.Licenses == nil || (*c.Licenses)[0].License.ID != "BSD-3-Clause" {
		t.Errorf("the standard library is %+v", c)
	}
}

func TestBill_SameBytes(t *testing.T) {
	_, first := newBill(t)
	_, second := newBill(t)
	if !bytes.Equal(first, second) {
		t.Error("two bills of one program differ")
	}
}

// The schema is CycloneDX's own, which comes with the library.
func TestBill_FollowsSchema(t *testing.T) {
	_, bill := newBill(t)
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := gojsonschema.NewSchemaLoader()
	for _, name := range []string{"spdx.schema.json", "jsf-0.82.schemax.json"} {
		name = filepath.Join(strings.TrimSpace(string(folder)), "schema", name)
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := loader.AddSchemas(gojsonschema.NewBytesLoader(content)); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "schema", "bom-1.6.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := loader.Compile(gojsonschema.NewBytesLoader(content))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(bill))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range result.Errors() {
		t.Error(problem)
	}
}

func TestParseLicences_ListOnly(t *testing.T) {
	got := parseLicences(notice)
	if len(got) != 3 || strings.Join(got["sigs.k8s.io/yaml"], " ") != "Apache-2.0 BSD-3-Clause MIT" {
		t.Errorf("%v", got)
	}
}
