// Package notice checks that the file NOTICE has the licences of everything that is in the program.
package notice

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write NOTICE anew")

const head = `exoshift
Copyright The exoshift authors

This product is licensed under the Apache License, Version 2.0; see LICENSE.

It contains the software below, on some platforms only. The texts of the licences follow the list; each is printed once, with its notices.
Generated: go test ./test/notice -update
`

// The platforms of releases.
var platforms = []string{"linux", "darwin"}

func TestNotice_IsCurrent(t *testing.T) {
	const file = "../../NOTICE"
	want := formatNotice(t, listModules(t))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("NOTICE is out of date (-modules +file):\n%s", diff)
	}
}

// Each licence that the program's own permits is recognized, and nothing else.
func TestIdentify_KnowsLicences(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0, January 2004":                                                             "Apache-2.0",
		"Mozilla Public License Version 2.0":                                                                      "MPL-2.0",
		"Permission is hereby granted, free of charge":                                                            "MIT",
		"Permission to use, copy, modify, and/or distribute this software":                                        "ISC",
		"Redistribution and use in source and binary forms, with or without\nmodification, are permitted":         "BSD-2-Clause",
		"Redistribution and use in source and binary forms,\nwith or without ... Neither the name of Google Inc.": "BSD-3-Clause",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                    "",
	} {
		if got := identify(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// module is a module in the program, and its folder.
type module struct{ path, dir string }

func listModules(t *testing.T) []module {
	t.Helper()
	found := map[module]bool{}
	for _, platform := range platforms {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./cmd/exoshift")
		list.Dir, list.Env = "../..", append(os.Environ(), "GOOS="+platform, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("list the modules of %s: %v", platform, err)
		}
		for line := range strings.Lines(string(out)) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
			found[module{path, dir}] = dir != "" && path != "exoshift"
		}
	}
	maps.DeleteFunc(found, func(_ module, foreign bool) bool { return !foreign })
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.SortedFunc(maps.Keys(found), func(a, b module) int { return strings.Compare(a.path, b.path) })
	return append([]module{{"The Go standard library", strings.TrimSpace(string(root))}}, modules...)
}

var isLicence = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice)`)

func formatNotice(t *testing.T, modules []module) string {
	var out strings.Builder
	out.WriteString(head + "\n")
	users := map[string][]string{} // by text
	for _, m := range modules {
		var names []string
		for _, text := range readLicences(t, m) {
			users[text] = append(users[text], m.path)
			if name := identify(text); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s: no known licence is in %s", m.path, m.dir)
		}
		fmt.Fprintf(&out, "  %s: %s\n", m.path, strings.Join(names, ", "))
	}
	texts := slices.SortedFunc(maps.Keys(users), func(a, b string) int {
		return strings.Compare(users[a][0]+a, users[b][0]+b)
	})
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[text], "\n"), text)
	}
	return out.String()
}

func readLicences(t *testing.T, m module) []string {
	t.Helper()
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, entry := range entries {
		if entry.IsDir() || !isLicence.MatchString(entry.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, normalize(string(content)))
	}
	return texts
}

// normalize makes equal texts of one licence equal: spaces at the ends of lines, and around the whole.
func normalize(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// identify returns the SPDX name of a licence, or "".
func identify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, known := range [][2]string{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Mozilla Public License Version 2.0", "MPL-2.0"},
		{"Mozilla Public License, version 2.0", "MPL-2.0"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Permission to use, copy, modify, and/or distribute", "ISC"},
		{"Neither the name", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return ""
}
