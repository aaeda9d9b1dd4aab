package edit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

const file = "c-demo-1.yml"

func set(value any, path string, over ...any) state.YAMLEdit {
	return state.YAMLEdit{Path: strings.Split(path, "|"), Value: value, Over: over}
}

func item(text, path string) state.YAMLEdit {
	return state.YAMLEdit{Path: strings.Split(path, "|"), Item: text}
}

func without(text, path string) state.YAMLEdit {
	return state.YAMLEdit{Path: strings.Split(path, "|"), Item: text, Remove: true}
}

func existing(value any, path string) state.YAMLEdit {
	return state.YAMLEdit{Path: strings.Split(path, "|"), Value: value, Existing: true}
}

func gone(path string, over ...any) state.YAMLEdit {
	return state.YAMLEdit{Path: strings.Split(path, "|"), Over: over}
}

const full = `# The cluster of the demo.
classes:
  - .openshift4 # the usual
  - "global.distribution.openshift4.no-opsgenie"

applications:
  - argocd
  # - cilium is for later

parameters:
  openshift:
    baseDomain: 'old.example.net' # set by hand
    infraID: TO_BE_DEFINED

  cilium:
    olm:
      generate_olm_deployment: true
# the end
`

func TestApply_ChangesOwnLinesOnly(t *testing.T) {
	for name, test := range map[string]struct {
		before string
		edits  []state.YAMLEdit
		after  string
	}{
		"a value keeps its quotes and its comment": {full, []state.YAMLEdit{set("new.example.net", "parameters|openshift|baseDomain")},
			strings.Replace(full, "'old.example.net'", "'new.example.net'", 1)},
		"a value among those that may be replaced": {full, []state.YAMLEdit{set("demo-x7", "parameters|openshift|infraID", "TO_BE_DEFINED")},
			strings.Replace(full, "TO_BE_DEFINED", "demo-x7", 1)},
		"a new key stands behind its neighbours": {full, []state.YAMLEdit{set("TO_BE_DEFINED", "parameters|openshift|clusterID")},
			strings.Replace(full, "infraID: TO_BE_DEFINED\n", "infraID: TO_BE_DEFINED\n    clusterID: TO_BE_DEFINED\n", 1)},
		"keys that are missing on the way": {full, []state.YAMLEdit{set("aldebaran", "parameters|openshift4_terraform|terraform_variables|team")},
			strings.Replace(full, "deployment: true\n", "deployment: true\n  openshift4_terraform:\n    terraform_variables:\n      team: aldebaran\n", 1)},
		"an item that is there in quotes": {full, []state.YAMLEdit{item("global.distribution.openshift4.no-opsgenie", "classes"), item("argocd", "applications")}, full},
		"a new item stands behind the last one": {full, []state.YAMLEdit{item("exoscale-cloud-controller-manager", "applications")},
			strings.Replace(full, "- argocd\n", "- argocd\n  - exoscale-cloud-controller-manager\n", 1)},
		"an item goes": {full, []state.YAMLEdit{without("global.distribution.openshift4.no-opsgenie", "classes")},
			strings.Replace(full, "  - \"global.distribution.openshift4.no-opsgenie\"\n", "", 1)},
		"the last item goes":      {full, []state.YAMLEdit{without("argocd", "applications")}, strings.Replace(full, "applications:\n  - argocd\n", "applications: []\n", 1)},
		"the last key goes":       {full, []state.YAMLEdit{gone("parameters|cilium|olm|generate_olm_deployment")}, strings.Replace(full, "olm:\n      generate_olm_deployment: true", "olm: {}", 1)},
		"what is not there stays": {full, []state.YAMLEdit{gone("parameters|cilium|other"), without("other", "classes"), without("x", "nowhere|list")}, full},
		"a text of several lines": {full, []state.YAMLEdit{set("-----BEGIN\nabc\n-----END\n", "parameters|openshift|ca"), set("a\nb", "parameters|openshift|infraID")},
			strings.Replace(full, "infraID: TO_BE_DEFINED\n", "infraID: |-\n      a\n      b\n    ca: |\n      -----BEGIN\n      abc\n      -----END\n", 1)},
		"an existing value only": {full, []state.YAMLEdit{existing(4, "parameters|cilium|olm|generate_olm_deployment"), existing(4, "parameters|openshift4_terraform|worker_count")},
			strings.Replace(full, "generate_olm_deployment: true", "generate_olm_deployment: 4", 1)},
		"no file yet": {"", []state.YAMLEdit{item(".openshift4", "classes"), item("cilium", "applications"), set("c.example.net", "parameters|openshift|baseDomain"), set(true, "parameters|cilium|olm|x")},
			"classes:\n  - .openshift4\napplications:\n  - cilium\nparameters:\n  openshift:\n    baseDomain: c.example.net\n  cilium:\n    olm:\n      x: true\n"},
		"comments only":           {"# nothing yet", []state.YAMLEdit{set(1, "a|b")}, "# nothing yet\na:\n  b: 1"},
		"a document mark":         {"---\n", []state.YAMLEdit{set(1, "a|b")}, "---\na:\n  b: 1\n"},
		"an end mark":             {"---\na: 1\n...\n", []state.YAMLEdit{set(2, "b")}, "---\na: 1\nb: 2\n...\n"},
		"empty braces":            {"{}\n", []state.YAMLEdit{set(1, "a|b")}, "a:\n  b: 1\n"},
		"empty values":            {"classes: [] # c\nparameters: # p\n", []state.YAMLEdit{item("x", "classes"), set(1, "parameters|a")}, "classes: # c\n  - x\nparameters: # p\n  a: 1\n"},
		"null and tilde":          {"classes: ~\nparameters: null # p\n", []state.YAMLEdit{item("x", "classes"), set(1, "parameters|a")}, "classes:\n  - x\nparameters: # p\n  a: 1\n"},
		"braces":                  {"parameters: {openshift: {baseDomain: 'a', x: 1}, l: [a, b]} # c\n", []state.YAMLEdit{set("b", "parameters|openshift|baseDomain"), set("x: y", "parameters|openshift|z"), item("c", "parameters|l"), gone("parameters|openshift|x"), without("a", "parameters|l")}, "parameters: {openshift: {baseDomain: 'b', z: 'x: y'}, l: [b, c]} # c\n"},
		"empty braces in braces":  {"parameters: {a: {}, b: [], c: , d: }\n", []state.YAMLEdit{set(1, "parameters|a|x"), item("w", "parameters|b"), set("v", "parameters|c|d")}, "parameters: {a: {x: 1}, b: [w], c: {d: v}, d: }\n"},
		"braces over lines":       {"p: {\n  a: 1, # one\n  b: 2 # two\n}\nq: [\n  x,\n]\n", []state.YAMLEdit{set(3, "p|c"), item("w", "q")}, "p: {\n  a: 1, # one\n  b: 2 # two\n, c: 3}\nq: [\n  x,\nw]\n"},
		"dashes below the key":    {"classes:\n- a\n- b # c\n# d\nparameters:\n    x: 1\n", []state.YAMLEdit{item("c", "classes"), without("a", "classes"), item("m", "applications"), set(2, "parameters|w|z")}, "classes:\n- b # c\n- c\n# d\nparameters:\n    x: 1\n    w:\n        z: 2\napplications:\n- m\n"},
		"Windows lines":           {"a: 1\r\nb:\r\n  c: 2\r\n", []state.YAMLEdit{set(3, "b|d"), set(4, "b|c")}, "a: 1\r\nb:\r\n  c: 4\r\n  d: 3\r\n"},
		"no end of the last line": {"a: 1\nb:\n  c: 2", []state.YAMLEdit{set(3, "b|d")}, "a: 1\nb:\n  c: 2\n  d: 3"},
		"a byte order mark":       {"\ufeffa: 1\n", []state.YAMLEdit{set(2, "a"), set(3, "b")}, "\ufeffa: 2\nb: 3\n"},
		"keys with dots and slashes": {"parameters:\n  \"a.b/c\": 1\n", []state.YAMLEdit{set(2, "parameters|a.b/c"), set("p", "parameters|service.beta.kubernetes.io/exoscale-id")},
			"parameters:\n  \"a.b/c\": 2\n  service.beta.kubernetes.io/exoscale-id: p\n"},
		"letters beyond ASCII":                  {"parameters: {ü: 1, \"öä\": 'ß', x: 2}\n", []state.YAMLEdit{set(3, "parameters|x"), set("ẞ", "parameters|öä")}, "parameters: {ü: 1, \"öä\": 'ẞ', x: 3}\n"},
		"a text with comments":                  {"a:\n  t: |\n    x\n    # y\n\n  # c\nb: 1\n", []state.YAMLEdit{set(1, "a|u")}, "a:\n  t: |\n    x\n    # y\n  u: 1\n\n  # c\nb: 1\n"},
		"a text is replaced":                    {"a:\n  t: | # k\n    x\n    # y\n\n  u: 1\n", []state.YAMLEdit{set("z", "a|t")}, "a:\n  t: z # k\n\n  u: 1\n"},
		"a text that keeps its empty lines":     {"a: |+\n  x\n\n\n", []state.YAMLEdit{set(1, "b")}, "a: |+\n  x\n\n\nb: 1\n"},
		"a text behind a last line without end": {"a: 1", []state.YAMLEdit{set("x\ny\n", "b")}, "a: 1\nb: \"x\\ny\\n\""},
		"quotes over lines":                     {"a: \"x\n  # y\n\n  z\" # c\nb: 1\n", []state.YAMLEdit{set("k", "a"), set(2, "c")}, "a: \"k\" # c\nb: 1\nc: 2\n"},
		"a plain text over lines":               {"a: x\n  y\nb: 1\n", []state.YAMLEdit{set("k", "a")}, "a: k\nb: 1\n"},
		"a map by a value":                      {"a:\n  b: # k\n    c: 1\n    d: 2\n  e: 3\n", []state.YAMLEdit{set("v", "a|b")}, "a:\n  b: v # k\n  e: 3\n"},
		"a map of values":                       {"a: 1\n", []state.YAMLEdit{set(map[string]any{"y": "yes", "b": 1.5}, "m")}, "a: 1\nm:\n  b: 1.5\n  'y': 'yes'\n"},
		"an anchor that is not touched":         {"x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n", []state.YAMLEdit{set(1, "x|a"), set(3, "y|b"), set(4, "z")}, "x: &x {a: 1}\ny:\n  <<: *x\n  b: 3\nz: 4\n"},
		"words are quoted":                      {"a: 1\n", []state.YAMLEdit{set("no", "b"), set("1.5", "c"), set("it's", "d"), set("", "e"), set("a # b", "f"), set("2024-01-01", "g"), set("a: b", "h"), set("ssh-ed25519 AAAA+/= me@host", "i"), set("0x1f", "j"), set(" x", "k"), set("a\tb", "l")}, "a: 1\nb: 'no'\nc: '1.5'\nd: \"it's\"\ne: ''\nf: 'a # b'\ng: '2024-01-01'\nh: 'a: b'\ni: ssh-ed25519 AAAA+/= me@host\nj: '0x1f'\nk: ' x'\nl: \"a\\tb\"\n"},
		"the only key goes":                     {"a: 1 # c\n", []state.YAMLEdit{gone("a")}, "{}\n"},
		"a value below its key":                 {"a:\n  'x' # c\nb: 1\n", []state.YAMLEdit{set("w", "a")}, "a: w\nb: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var content []byte
			if test.before != "" {
				content = []byte(test.before)
			}
			after, err := edit.Apply(file, content, test.edits)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := edit.Apply(file, after, test.edits)
			if err != nil || string(again) != string(after) {
				t.Errorf("the second time: %v\n%s", err, cmp.Diff(string(after), string(again)))
			}
		})
	}
}

func TestApply_ConflictHint(t *testing.T) {
	change := set("x", "parameters|openshift|baseDomain", "y")
	for otherwise, want := range map[string]string{"": "which is right;", "look in the other folder": "look in the other folder"} {
		change.Otherwise = otherwise
		_, err := edit.Apply(file, []byte(full), []state.YAMLEdit{change})
		if hint := fault.HintOf(err); !strings.Contains(hint, want) {
			t.Errorf("%v, hint %q", err, hint)
		}
	}
}

func TestApply_ForeignPathConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		before string
		edit   state.YAMLEdit
		says   []string
	}{
		"another value":        {full, set("x", "parameters|openshift|baseDomain", "y"), []string{"line 12", `"old.example.net"`, `"x"`}},
		"another value goes":   {full, gone("parameters|openshift|baseDomain", "y"), []string{"line 12", `"old.example.net"`, "removed"}},
		"a list for a map":     {full, set("x", "classes|a"), []string{"line 2", "a list of 2 items"}},
		"a text for a map":     {full, set("x", "parameters|openshift|infraID|a"), []string{"line 13", `"TO_BE_DEFINED"`}},
		"a map for a list":     {full, item("x", "parameters"), []string{"line 10", "a map of 2 keys"}},
		"an override":          {"parameters:\n  ~openshift:\n    a: 1\n", set(1, "parameters|openshift|b"), []string{"line 2", "~openshift"}},
		"a constant":           {"parameters:\n  =openshift: 1\n", set(1, "parameters|openshift"), []string{"line 2", "=openshift"}},
		"an item taken back":   {"applications:\n  - ~cilium\n", item("cilium", "applications"), []string{"line 2", "~cilium"}},
		"an anchor":            {"a: &x\n  b: 1\nc: *x\n", set(2, "a|b"), []string{"&x"}},
		"an anchor's key":      {"a: &x\n  b: 1\nc: *x\n", set(2, "a|c"), []string{"&x"}},
		"an alias":             {"a: &x\n  b: 1\nc: *x\n", set(2, "c|b"), []string{"line 3", "*x"}},
		"an alias for a value": {"a: &x 1\nc: *x\n", set(2, "c"), []string{"line 2", "*x"}},
		"an anchor below":      {"a:\n  b: &x 1\nc: *x\n", gone("a"), []string{"&x"}},
		"an alias for a list":  {"a: &x [b]\nc: *x\n", item("d", "c"), []string{"*x"}},
		"a merged key":         {"a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n", set(2, "c|b"), []string{"line 3"}},
		"a tag":                {"a: !x\n  b: 1\n", set(2, "a|b"), []string{"!x"}},
		"a key of its own":     {"? a\n: b: 1\n", set(2, "a"), []string{"line 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit.Apply(file, []byte(test.before), []state.YAMLEdit{test.edit})
			if !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "" || !strings.Contains(err.Error(), file) {
				t.Fatalf("%v, hint %q", err, fault.HintOf(err))
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestApply_RefusesInvalidDocument(t *testing.T) {
	bomb := "a: &a [x]\n"
	for i := range 60 {
		bomb += "b" + strings.Repeat("b", i) + ": &a [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
	}
	for name, before := range map[string]string{
		"twice the same key": "a: 1\na: 2\n",
		"tabs":               "a:\n\tb: 1\n",
		"two documents":      "a: 1\n---\nb: 2\n",
		"not closed":         "a: {b: 1\n",
		"no text":            "a: \x00\n",
		"not UTF-8":          "a: \xff\n",
		"old Macintosh":      "a: 1\rb: 2\r",
		"10 MB":              strings.Repeat("# x\n", 10<<18),
		"deep brackets":      "a: " + strings.Repeat("[", 100_000),
		"deep dashes":        strings.Repeat("- ", 100_000),
		"deep maps":          strings.Repeat("- a:\n  ", 1) + strings.Repeat("? ", 100_000),
		"many brackets":      "a: " + strings.Repeat("[]", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit.Apply(file, []byte(before), []state.YAMLEdit{set(1, "z")})
			if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || len(err.Error()) > 1000 {
				t.Errorf("%v", err)
			}
		})
	}
	after, err := edit.Apply(file, []byte(bomb), []state.YAMLEdit{set(1, "z")})
	if err == nil && string(after) != bomb+"z: 1\n" {
		t.Errorf("a bomb of aliases: %v", err)
	}
}

func TestCheckUnchanged_DetectsOtherWriter(t *testing.T) {
	edits := []state.YAMLEdit{set("new.example.net", "parameters|openshift|baseDomain"), item("cilium", "applications")}
	theirs := strings.Replace(full, "old.example.net", "theirs.example.net", 1)
	err := edit.CheckUnchanged(file, []byte(full), []byte(theirs), edits)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "theirs.example.net") || !strings.Contains(err.Error(), "old.example.net") {
		t.Errorf("%v", err)
	}
	for _, other := range []string{strings.Replace(full, "argocd", "rook", 1), strings.Replace(full, "old.example.net", "new.example.net", 1), full} {
		if err := edit.CheckUnchanged(file, []byte(full), []byte(other), edits); err != nil {
			t.Error(err)
		}
	}
}
