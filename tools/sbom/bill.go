package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// program is a Go program, and what the toolchain noted in it.
type program struct {
	digest [sha256.Size]byte
	info   *debug.BuildInfo
}

func readProgram(path string) (*program, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &program{digest: sha256.Sum256(content), info: info}, nil
}

// setting returns one of the toolchain's settings, such as GOOS.
func (p *program) setting(key string) string {
	for _, s := range p.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// bill returns the bill of materials as JSON. licences are those of modules, by path.
func (p *program) bill(version string, at time.Time, licences map[string][]string) ([]byte, error) {
	made := cyclonedx.NewBOM()
	made.SerialNumber = p.serial()
	name := p.info.Main.Path
	root := cyclonedx.Component{
		BOMRef: "pkg:generic/" + name + "@" + version, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: version,
		PackageURL: "pkg:generic/" + name + "@" + version,
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(p.digest[:])}},
		Licenses:   newLicences([]string{"Apache-2.0"}),
		Properties: &[]cyclonedx.Property{
			{Name: "cdx:gomod:build:env:GOOS", Value: p.setting("GOOS")}, {Name: "cdx:gomod:build:env:GOARCH", Value: p.setting("GOARCH")},
			{Name: "cdx:gomod:build:env:CGO_ENABLED", Value: p.setting("CGO_ENABLED")},
		},
	}
	made.Metadata = &cyclonedx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &root}
	components := []cyclonedx.Component{newLibrary("std", strings.TrimPrefix(p.info.GoVersion, "go"), licences["The Go standard library"])}
	for _, module := range p.info.Deps {
		component, err := newModule(module, licences)
		if err != nil {
			return nil, err
		}
		components = append(components, component)
	}
	made.Components = &components
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(made, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}

// serial is a UUID made of the program's checksum: another program has another one, and the same program always the same.
func (p *program) serial() string {
	id := p.digest
	id[6] = id[6]&0x0f | 0x80 // version 8: made by a rule of one's own
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

// newModule describes the module that was linked: of one that is replaced, what takes its place.
func newModule(module *debug.Module, licences map[string][]string) (cyclonedx.Component, error) {
	linked := cmp.Or(module.Replace, module)
	component := newLibrary(linked.Path, linked.Version, licences[module.Path])
	if linked.Sum == "" { // of a folder beside this module
		return component, nil
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(linked.Sum, "h1:"))
	if err != nil {
		return component, fmt.Errorf("checksum of %s: %w", linked.Path, err)
	}
	component.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	return component, nil
}

func newLibrary(path, version string, licences []string) cyclonedx.Component {
	id := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{
		BOMRef: id, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: id, Scope: cyclonedx.ScopeRequired,
		Licenses: newLicences(licences),
	}
}

func newLicences(ids []string) *cyclonedx.Licenses {
	if len(ids) == 0 {
		return nil
	}
	var found cyclonedx.Licenses
	for _, id := range ids {
		found = append(found, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	return &found
}

var noticeLine = regexp.MustCompile(`(?m)^  (\S.*): ([\w.-]+(?:, [\w.-]+)*)$`)

// parseLicences returns the licences of modules by path, as the list at the head of NOTICE has them.
func parseLicences(notice string) map[string][]string {
	list, _, _ := strings.Cut(notice, "\n====")
	found := map[string][]string{}
	for _, line := range noticeLine.FindAllStringSubmatch(list, -1) {
		found[line[1]] = strings.Split(line[2], ", ")
	}
	return found
}
