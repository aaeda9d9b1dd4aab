package release

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// platforms are those of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// release is a folder that make packages, or GoReleaser, made.
type release struct {
	dir   string
	files map[string]string // paths by the part of the name that begins with the system: "linux_amd64.deb"
}

var released = regexp.MustCompile(`^exoshift_.+?_((?:linux|darwin)_.+)$`)

// opened returns the release of a folder that a variable names, or skips the test.
func opened(t *testing.T, variable string) release {
	t.Helper()
	r := release{os.Getenv(variable), map[string]string{}}
	if r.dir == "" {
		t.Skip("make release-check looks into a release")
	}
	for _, folder := range []string{r.dir, filepath.Join(r.dir, "images")} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if name := released.FindStringSubmatch(entry.Name()); name != nil && !entry.IsDir() {
				r.files[name[1]] = filepath.Join(folder, entry.Name())
			}
		}
	}
	return r
}

// wanted returns what a release has for a platform, by the ends of the names.
func wanted(platform string) []string {
	name := strings.Replace(platform, "/", "_", 1)
	kinds := []string{".tar.gz", ".cdx.json"}
	if strings.HasPrefix(platform, "linux/") {
		kinds = append(kinds, ".deb", ".rpm", ".oci.tar")
	}
	for i := range kinds {
		kinds[i] = name + kinds[i]
	}
	return kinds
}

func TestRelease_Complete(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	var missing []string
	count := 0
	for _, platform := range platforms {
		for _, name := range wanted(platform) {
			count++
			if r.files[name] == "" {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) > 0 || count != len(r.files) {
		t.Errorf("missing: %v; found: %v", missing, r.files)
	}
}

// Each file is in the list of checksums, and nothing else.
func TestRelease_Checksums(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	sums := map[string]string{}
	for line := range strings.Lines(read(t, filepath.Join(r.dir, "SHA256SUMS"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for _, path := range r.files {
		name := filepath.Base(path)
		if got := digest(read(t, path)); sums[name] != got {
			t.Errorf("%s: %s, the list has %q", name, got, sums[name])
		}
		delete(sums, name)
	}
	if len(sums) > 0 {
		t.Errorf("checksums without files: %v", sums)
	}
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// besides is what an archive has beside the program, some of it as examples of more.
var besides = []string{
	"man/exoshift.1.gz", "man/exoshift-install.1.gz", "completions/exoshift.bash", "completions/_exoshift", "completions/exoshift.fish",
	"examples/answers.yaml", "examples/kubernetes/base/install.yaml", "examples/gitlab/exoshift.yml", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md",
}

func TestRelease_Archives(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	for _, platform := range platforms {
		files := readArchive(t, r.archive(platform))
		for _, name := range besides {
			if f := files[name]; f.size == 0 || f.mode != 0o644 {
				t.Errorf("%s: %s has %d bytes and mode %o", platform, name, f.size, f.mode)
			}
		}
		program := files["exoshift"]
		if program.mode != 0o755 {
			t.Errorf("%s: the program has mode %o", platform, program.mode)
		}
		for name, f := range files {
			if f.owner != 0 || f.changed != program.changed {
				t.Errorf("%s: %s is of user %d, of %d, and the program of %d", platform, name, f.owner, f.changed, program.changed)
			}
		}
		info := readInfo(t, program.content)
		if got := setting(info, "GOOS") + "/" + setting(info, "GOARCH"); got != platform || setting(info, "CGO_ENABLED") != "0" {
			t.Errorf("the program for %s is for %s, with C %s", platform, got, setting(info, "CGO_ENABLED"))
		}
	}
}

func (r release) archive(platform string) string { return r.files[wanted(platform)[0]] }

// file is one of an archive.
type file struct {
	size, mode, changed int64
	owner               int
	content             string
}

func readArchive(t *testing.T, path string) map[string]file {
	t.Helper()
	content, err := gzip.NewReader(strings.NewReader(read(t, path)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return readTar(t, content)
}

// readTar returns the regular files of an archive.
func readTar(t *testing.T, archive io.Reader) map[string]file {
	t.Helper()
	files := map[string]file{}
	for entries := tar.NewReader(archive); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "./")] = file{header.Size, header.Mode & 0o777, header.ModTime.Unix(), header.Uid, string(content)}
	}
}

func readInfo(t *testing.T, program string) *debug.BuildInfo {
	t.Helper()
	info, err := buildinfo.Read(strings.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func setting(info *debug.BuildInfo, key string) string {
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
	if i < 0 {
		return ""
	}
	return info.Settings[i].Value
}

// bill is a bill of materials, as far as it is looked into.
type bill struct {
	BOMFormat  string `json:"bomFormat"`
	Metadata   struct{ Component component }
	Components []component
}

type component struct {
	Name, Version, PURL string
	Hashes              []struct{ Alg, Content string }
	Licenses            []struct{ License struct{ ID string } }
}

// Each module of a program, and of the one embedded in it, is in its bill of materials with its version and licence, and nothing else.
func TestRelease_BillsNameEveryModule(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	probe := readProbe(t)
	for _, platform := range platforms {
		program := readArchive(t, r.archive(platform))["exoshift"].content
		var found bill
		if err := json.Unmarshal([]byte(read(t, r.files[wanted(platform)[1]])), &found); err != nil || found.BOMFormat != "CycloneDX" {
			t.Fatalf("%s: %q, %v", platform, found.BOMFormat, err)
		}
		if hashes := found.Metadata.Component.Hashes; len(hashes) != 1 || hashes[0].Content != digest(program) {
			t.Errorf("%s: the bill is of another program: %v", platform, hashes)
		}
		named := map[string]bool{}
		for _, c := range found.Components {
			named[c.PURL] = true
			if len(c.Licenses) == 0 {
				t.Errorf("%s: %s has no licence", platform, c.Name)
			}
		}
		info := readInfo(t, program)
		for _, module := range info.Deps {
			module = cmp.Or(module.Replace, module)
			if !named["pkg:golang/"+module.Path+"@"+module.Version] {
				t.Errorf("%s: %s %s is missing", platform, module.Path, module.Version)
			}
		}
		for _, module := range probe {
			if !named["pkg:golang/"+module.Path+"@"+module.Version] {
				t.Errorf("%s: %s %s of the embedded program is missing", platform, module.Path, module.Version)
			}
		}
		if len(info.Deps) < 50 || len(named) != len(info.Deps)+1 {
			t.Errorf("%s: %d components of %d modules and the standard library", platform, len(named), len(info.Deps))
		}
	}
}

// readProbe returns the modules of the program that is embedded.
func readProbe(t *testing.T) []*debug.Module {
	t.Helper()
	packed, err := os.Open("../../internal/app/probeprogram/program/exoshift-probe.gz")
	if err != nil {
		t.Skip("make probe makes the embedded program")
	}
	defer func() { _ = packed.Close() }()
	content, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	program, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return readInfo(t, string(program)).Deps
}

// A package for Debian has the program of the archive.
func TestRelease_Packages(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	for _, platform := range platforms[:2] {
		data := readMember(t, r.files[wanted(platform)[2]], "data.tar.gz")
		content, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		files := readTar(t, content)
		if got, want := files["usr/bin/exoshift"], readArchive(t, r.archive(platform))["exoshift"]; got.content != want.content || got.mode != 0o755 {
			t.Errorf("%s: the package has another program, or its mode is %o", platform, got.mode)
		}
		for _, name := range []string{
			"usr/share/man/man1/exoshift.1.gz", "usr/share/bash-completion/completions/exoshift", "usr/share/zsh/vendor-completions/_exoshift",
			"usr/share/fish/vendor_completions.d/exoshift.fish", "usr/share/doc/exoshift/copyright", "usr/share/doc/exoshift/changelog.gz",
			"usr/share/doc/exoshift/examples/answers.yaml", "usr/share/doc/exoshift/examples/kubernetes/base/install.yaml",
		} {
			if f := files[name]; f.size == 0 || f.mode != 0o644 || f.owner != 0 {
				t.Errorf("%s: %s has %d bytes, mode %o and owner %d", platform, name, f.size, f.mode, f.owner)
			}
		}
	}
}

// readMember returns a member of an archive of ar, which a package for Debian is.
func readMember(t *testing.T, path, member string) []byte {
	t.Helper()
	archive := bufio.NewReader(strings.NewReader(read(t, path)))
	if _, err := archive.Discard(len("!<arch>\n")); err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 60)
	for {
		if _, err := io.ReadFull(archive, header); err != nil {
			t.Fatalf("%s has no %s: %v", path, member, err)
		}
		size, err := strconv.Atoi(strings.TrimSpace(string(header[48:58])))
		if err != nil {
			t.Fatal(err)
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(archive, content); err != nil {
			t.Fatal(err)
		}
		if strings.Trim(string(header[:16]), " /") == member {
			return content
		}
		if _, err := archive.Discard(size % 2); err != nil {
			t.Fatal(err)
		}
	}
}

// Made again in another folder, everything is the same byte for byte.
func TestRelease_SameBytesAgain(t *testing.T) {
	r, again := opened(t, "EXOSHIFT_RELEASE"), opened(t, "EXOSHIFT_RELEASE_AGAIN")
	if len(r.files) == 0 || len(r.files) != len(again.files) {
		t.Fatalf("%d files, and again %d", len(r.files), len(again.files))
	}
	for name, path := range r.files {
		if digest(read(t, path)) != digest(read(t, again.files[name])) {
			t.Errorf("%s differs", name)
		}
	}
}

// GoReleaser's programs are those of make packages.
func TestRelease_SamePrograms(t *testing.T) {
	r, other := opened(t, "EXOSHIFT_RELEASE"), opened(t, "EXOSHIFT_PROGRAMS")
	for _, platform := range platforms {
		if readArchive(t, r.archive(platform))["exoshift"].content != readArchive(t, other.archive(platform))["exoshift"].content {
			t.Errorf("the programs for %s differ", platform)
		}
	}
}

var formulaSum = regexp.MustCompile(`url "[^"]*/([^"/]+)"[^\n]*\n\s*sha256 "([0-9a-f]{64})"`)

// The formula has the checksum of each archive.
func TestRelease_Formula(t *testing.T) {
	r := opened(t, "EXOSHIFT_RELEASE")
	formula, err := os.ReadFile(filepath.Join(r.dir, "homebrew", "Formula", "exoshift.rb"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("only GoReleaser makes a formula")
	}
	sums := map[string]string{}
	for _, found := range formulaSum.FindAllStringSubmatch(string(formula), -1) {
		sums[found[1]] = found[2]
	}
	for _, platform := range platforms {
		path := r.archive(platform)
		if got := sums[filepath.Base(path)]; got != digest(read(t, path)) {
			t.Errorf("%s: the checksum is %q", filepath.Base(path), got)
		}
	}
	if len(sums) != len(platforms) {
		t.Errorf("%s", fmt.Sprint(sums))
	}
}
