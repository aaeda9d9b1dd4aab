package architecture

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const page = "# Architecture\n\n## Who may import whom\n\n| package | may import of ours |\n|---|---|\n" +
	"| `state` | nothing |\n| `provisioner` | nothing |\n| `provisioner/install` | `provisioner`, `state` |\n" +
	"| `provisioner/exoscale` | `state` |\n| `internal/simcloud` | nothing |\n| `cmd/exoshift` | everything |\n" +
	"| `internal/app` | everything but `cmd/exoshift`, `internal/simcloud` |\n| `internal/stable` | nothing |\n| any | `internal/stable` |\n\n" +
	"## Doors\n\n| library | room |\n|---|---|\n| `github.com/exoscale/egoscale` | `provisioner/exoscale` |\n"

// Each case is one file of an otherwise empty project, and what the rule has to say about it; "" is nothing.
func TestRules_FindViolations(t *testing.T) {
	const ego = "package exoscale\nimport _ \"github.com/exoscale/egoscale/v2\"\n"
	files := func(p project) []string { return machinePaths(p, "/srv/build/checkout") }
	for name, test := range map[string]struct {
		rule             func(project) []string
		file, text, want string
	}{
		"forbidden import":     {wrongImports, "state/a.go", "package state\nimport _ \"exoshift/provisioner\"\n", "state/a.go: state may not import provisioner"},
		"allowed import":       {wrongImports, "provisioner/install/a.go", "package install\nimport _ \"exoshift/state\"\n", ""},
		"import of a subroom":  {wrongImports, "provisioner/a.go", "package provisioner\nimport _ \"exoshift/provisioner/install\"\n", "provisioner may not import"},
		"import within a room": {wrongImports, "internal/simcloud/api/a.go", "package api\nimport _ \"exoshift/internal/simcloud/store\"\n", ""},
		"main imports all":     {wrongImports, "cmd/exoshift/main.go", "package main\nimport _ \"exoshift/state\"\n", ""},
		"all but one":          {wrongImports, "internal/app/a.go", "package app\nimport _ \"exoshift/state\"\n", ""},
		"the one":              {wrongImports, "internal/app/a.go", "package app\nimport _ \"exoshift/internal/simcloud/api\"\n", "internal/app may not import internal/simcloud/api"},
		"any may import it":    {wrongImports, "state/a.go", "package state\nimport _ \"exoshift/internal/stable\"\n", ""},
		"test imports all":     {wrongImports, "state/a_test.go", "package state\nimport _ \"exoshift/provisioner\"\n", ""},
		"unknown package":      {wrongImports, "attic/a.go", "package attic\n", "attic/a.go: the import table"},
		"wrong door":           {wrongDoors, "provisioner/install/a.go", ego, "provisioner/install/a.go: github.com/exoscale/egoscale is imported by provisioner/exoscale only"},
		"right door":           {wrongDoors, "provisioner/exoscale/a.go", ego, ""},
		"never built":          {wrongDoors, "state/tools.go", "//go:build tools\n\n" + ego, ""},
		"long file":            {longFiles, "state/a.go", "package state\n" + strings.Repeat("\n", 400), "state/a.go: a file has at most 400 lines"},
		"file within limits":   {longFiles, "state/a.go", "package state\n" + strings.Repeat("\n", 399), ""},
		"long package":         {largePackages, "state/a.go", "package state\n" + strings.Repeat("\n", 3000), "state: a package has at most 3000 lines"},
		"package within":       {largePackages, "state/a.go", "package state\n" + strings.Repeat("\n", 2999), ""},
		"large type":           {largeTypes, "state/a.go", "package state\n" + strings.Repeat("func (*T[K]) m() {}\n", 31), "state.T: a type has at most 30 methods, this one 31"},
		"type within limits":   {largeTypes, "state/a.go", "package state\n" + strings.Repeat("func (t T) m() {}\n", 30), ""},
		"methods in a test":    {largeTypes, "state/a_test.go", "package state\n" + strings.Repeat("func (t T) m() {}\n", 31), ""},
		"silent package":       {silentPackages, "state/a.go", "package state\n", "state: a package opens with a comment"},
		"wrong comment":        {silentPackages, "state/a.go", "// The state.\npackage state\n", "state: a package opens with a comment"},
		"spoken package":       {silentPackages, "state/a.go", "// Package state is.\npackage state\n", ""},
		"util":                 {emptyNames, "state/util/a.go", "package util\n", "state/util/a.go: \"util\" says nothing"},
		"helpers_test.go":      {emptyNames, "state/helpers_test.go", "package state\n", "\"helpers\" says nothing"},
		"sentence":             {sentenceNames, "state/a_test.go", "package state\nfunc TestAFileWithoutAnEndIsRefused() {}\n", "state/a_test.go: TestAFileWithoutAnEndIsRefused is a sentence"},
		"unit and case":        {sentenceNames, "state/a_test.go", "package state\nfunc TestFileReader_RefusesWhatHasNoEnd() {}\n", ""},
		"short name":           {sentenceNames, "state/a_test.go", "package state\nfunc TestHTTPSResolverOverProxy2() {}\n", ""},
		"long name":            {sentenceNames, "state/a_test.go", "package state\nfunc TestFile_" + strings.Repeat("x", 52) + "() {}\n", "has 61 letters, a test's name at most 60"},
		"helper of tests":      {sentenceNames, "state/a_test.go", "package state\nfunc testAFileWithoutAnEndIsRefused() {}\n", ""},
		"init":                 {initFunctions, "state/a.go", "package state\nfunc init() {}\n", "state/a.go: no init"},
		"panic":                {panics, "state/a.go", "package state\nfunc f() { panic(1) }\n", "state/a.go:2:12: return an error"},
		"panic in a test":      {panics, "state/a_test.go", "package state\nfunc f() { panic(1) }\n", ""},
		"sleep":                {sleeps, "state/a_test.go", "package state\nimport \"time\"\nfunc f() { time.Sleep(1) }\n", "state/a_test.go:3:12: wait"},
		"virtual sleep":        {sleeps, "state/a_test.go", "package state\nimport \"testing/synctest\"\nfunc f() { synctest.Test(t, f); time.Sleep(1) }\n", ""},
		"blind trust":          {blindTrust, "state/a.go", "package state\nvar c = tls.Config{InsecureSkipVerify: true}\n", "no InsecureSkipVerify"},
		"blind assignment":     {blindTrust, "state/a.go", "package state\nfunc f() { c.InsecureSkipVerify = true }\n", "no InsecureSkipVerify"},
		"whole file":           {unboundedReads, "state/a.go", "package state\nvar c, _ = os.ReadFile(name)\n", "state/a.go:2:12: read files by internal/fileread"},
		"open file":            {unboundedReads, "state/a.go", "package state\nvar c, _ = os.Open(name)\n", "read files by"},
		"file of a root":       {unboundedReads, "state/a.go", "package state\nvar c, _ = root.ReadFile(name)\n", "read files by"},
		"opened to read":       {unboundedReads, "state/a.go", "package state\nvar c, _ = os.OpenFile(name, 0, 0)\n", "read files by"},
		"opened in a root":     {unboundedReads, "state/a.go", "package state\nvar c, _ = root.OpenFile(name, syscall.O_NONBLOCK, 0)\n", "read files by"},
		"opened to write":      {unboundedReads, "state/a.go", "package state\nvar c, _ = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0)\n", ""},
		"another name of os":   {unboundedReads, "state/a.go", "package state\nimport system \"os\"\n", "read files by"},
		"read by a library":    {unboundedReads, "state/a.go", "package state\nvar c, _ = knownhosts.New(name)\n", "read files by"},
		"named in a file":      {unboundedReads, "state/a.go", "package state\nvar c, _ = clientcmd.RESTConfigFromKubeConfig(content)\n", "read files by"},
		"file read in a test":  {unboundedReads, "state/a_test.go", "package state\nvar c, _ = os.ReadFile(name)\n", ""},
		"file of the one room": {unboundedReads, "internal/fileread/a.go", "package fileread\nvar c, _ = os.Open(name)\n", ""},
		"unfinished":           {leftovers, "docs/a.md", "later: TO" + "DO\n", "docs/a.md"},
		"conflict":             {leftovers, "docs/a.md", "a\n<<<<<<" + "< ours\n", "docs/a.md"},
		"checkout":             {files, "docs/a.md", "see /srv/build/" + "checkout/docs\n", "docs/a.md"},
		"home":                 {files, "docs/a.md", "see /home/" + "alice/x\n", "/home/" + "alice/"},
		"home of a machine":    {files, "docs/a.md", "see /home/core/.ssh/authorized_keys\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{
				"docs/architecture.md": {Data: []byte(page)},
				test.file:              {Data: []byte(test.text)},
			}
			got := strings.Join(test.rule(load(t, root)), "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSizeRules_ManyFiles(t *testing.T) {
	root := fstest.MapFS{"docs/architecture.md": {Data: []byte(page)}}
	for i := range mostFiles + 1 {
		root[fmt.Sprintf("state/f%d.go", i)] = &fstest.MapFile{Data: []byte("package state\n")}
	}
	for i := range mostFilesOfAType + 1 {
		root[fmt.Sprintf("state/f%d.go", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "package state\nfunc (T) m%d() {}\n", i)}
	}
	p := load(t, root)
	want := []string{
		"state: a package has at most 25 files, this one 26",
		"state.T: the methods of a type are in at most 3 files, these in 4",
	}
	if got := append(largePackages(p), largeTypes(p)...); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
