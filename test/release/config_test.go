// Package release holds what makes releases against itself, and looks into the releases that make release-check makes.
package release

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// packaging is what packaging/nfpm.yaml and a package of .goreleaser.yaml have in common.
type packaging struct {
	Section, Priority, Maintainer, Description, License string
	Recommends                                          []string
	RPM                                                 struct{ Buildhost string }
	Contents                                            []content
}

type content struct {
	Src, Dst, Type, Packager string
}

// goreleaser is what .goreleaser.yaml has, as far as it is compared.
type goreleaser struct {
	Builds []struct {
		Goos, Goarch, Env, Flags, Ldflags []string
	}
	NFPMs []packaging
}

func readConfig(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readGoreleaser(t *testing.T) (config goreleaser) {
	t.Helper()
	readConfig(t, "../../.goreleaser.yaml", &config)
	if len(config.Builds) != 1 || len(config.NFPMs) != 1 {
		t.Fatalf("%d builds and %d packages", len(config.Builds), len(config.NFPMs))
	}
	return config
}

// A package is the same whoever makes it. GoReleaser adds the program itself.
func TestConfig_SamePackages(t *testing.T) {
	theirs := readGoreleaser(t).NFPMs[0]
	for i := range theirs.Contents {
		theirs.Contents[i].Src = strings.TrimPrefix(theirs.Contents[i].Src, "bin/stage/")
	}
	var ours packaging
	readConfig(t, "../../packaging/nfpm.yaml", &ours)
	if len(ours.Contents) < 5 || ours.Contents[0] != (content{Src: "exoshift", Dst: "/usr/bin/exoshift"}) {
		t.Fatalf("the program is not the first file: %v", ours.Contents)
	}
	ours.Contents = ours.Contents[1:]
	if diff := cmp.Diff(ours, theirs); diff != "" {
		t.Errorf("packages differ (-packaging/nfpm.yaml +.goreleaser.yaml):\n%s", diff)
	}
}

var assignment = regexp.MustCompile(`-X (main\.\w+)=`)

// A program is the same whoever builds it: flags, and which variables the linker sets.
func TestConfig_SameProgram(t *testing.T) {
	build := readGoreleaser(t).Builds[0]
	makefile := read(t, "../../Makefile")
	rule := regexp.MustCompile(`(?m)^\tCGO_ENABLED=0 go build \$\(COMPILE\) -ldflags "(.*) \$\(BUILD\)" -o \$\(PROGRAM\)`).FindStringSubmatch(makefile)
	flags := regexp.MustCompile(`(?m)^COMPILE := (.*)$`).FindStringSubmatch(makefile)
	if rule == nil || flags == nil {
		t.Fatal("the Makefile does not build the program as expected")
	}
	if got := strings.Join(build.Flags, " "); got != flags[1] {
		t.Errorf("flags are %q, those of the Makefile %q", got, flags[1])
	}
	if !slices.Contains(build.Env, "CGO_ENABLED=0") || !strings.HasPrefix(build.Ldflags[0], rule[1]+" ") {
		t.Errorf("built with %q and %q", build.Env, build.Ldflags)
	}
	variables := func(text string) (names []string) {
		for _, found := range assignment.FindAllStringSubmatch(text, -1) {
			names = append(names, found[1])
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	if ours, theirs := variables(makefile), variables(build.Ldflags[0]); len(ours) < 4 || !slices.Equal(ours, theirs) {
		t.Errorf("the Makefile sets %v, .goreleaser.yaml %v", ours, theirs)
	}
}

// What is released runs where README says that it does.
func TestConfig_Platforms(t *testing.T) {
	build := readGoreleaser(t).Builds[0]
	var found []string
	for _, system := range build.Goos {
		for _, processor := range build.Goarch {
			found = append(found, system+"/"+processor)
		}
	}
	if !slices.Equal(found, platforms) {
		t.Errorf("platforms are %v", found)
	}
	if !strings.Contains(read(t, "../scripts/release-check"), `PLATFORMS="`+strings.Join(platforms, " ")+`"`) {
		t.Errorf("release-check does not make %v", platforms)
	}
}

// Who releases has the version of GoReleaser that was checked.
func TestConfig_SameGoReleaser(t *testing.T) {
	version := regexp.MustCompile(`goreleaser/goreleaser/v2 (v\S+)`).FindStringSubmatch(read(t, "../../tools/goreleaser/go.mod"))
	if version == nil {
		t.Fatal("tools/goreleaser has no GoReleaser")
	}
	if !strings.Contains(read(t, "../../.github/workflows/release.yml"), `version: "`+version[1]+`"`) {
		t.Errorf("the release is not made by %s", version[1])
	}
}
