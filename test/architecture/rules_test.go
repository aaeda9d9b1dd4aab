package architecture

import (
	"strings"
	"testing"
	"testing/fstest"
)

const page = "# Architecture\n\n## Who may import whom\n\n| package | may import of ours |\n|---|---|\n" +
	"| `state` | nothing |\n| `provisioner` | nothing |\n| `provisioner/install` | `provisioner`, `state` |\n" +
	"| `provisioner/exoscale` | `state` |\n| `internal/simcloud` | nothing |\n| `cmd/exoshift` | everything |\n" +
	"| `internal/app` | everything but `cmd/exoshift`, `internal/simcloud` |\n\n" +
	"## Doors\n\n| library | room |\n|---|---|\n| `github.com/exoscale/egoscale` | `provisioner/exoscale` |\n"

// Each case is one file of an otherwise empty project, and what the rule has to say about it; "" is nothing.
func TestEachRuleSeesWhatBreaksIt(t *testing.T) {
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
		"test imports all":     {wrongImports, "state/a_test.go", "package state\nimport _ \"exoshift/provisioner\"\n", ""},
		"unknown package":      {wrongImports, "attic/a.go", "package attic\n", "attic/a.go: the import table"},
		"wrong door":           {wrongDoors, "provisioner/install/a.go", ego, "provisioner/install/a.go: github.com/exoscale/egoscale is imported by provisioner/exoscale only"},
		"right door":           {wrongDoors, "provisioner/exoscale/a.go", ego, ""},
		"never built":          {wrongDoors, "state/tools.go", "//go:build tools\n\n" + ego, ""},
		"long file":            {longFiles, "state/a.go", "package state\n" + strings.Repeat("\n", 400), "state/a.go: a file has at most 400 lines"},
		"file within limits":   {longFiles, "state/a.go", "package state\n" + strings.Repeat("\n", 399), ""},
		"silent package":       {silentPackages, "state/a.go", "package state\n", "state: a package opens with a comment"},
		"wrong comment":        {silentPackages, "state/a.go", "// The state.\npackage state\n", "state: a package opens with a comment"},
		"spoken package":       {silentPackages, "state/a.go", "// Package state is.\npackage state\n", ""},
		"util":                 {emptyNames, "state/util/a.go", "package util\n", "state/util/a.go: \"util\" says nothing"},
		"helpers_test.go":      {emptyNames, "state/helpers_test.go", "package state\n", "\"helpers\" says nothing"},
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
