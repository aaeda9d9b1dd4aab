package console_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/state"
)

// section is a part of docs/reference/events.md: the fields in its table and the example lines below it.
type section struct {
	fields   []string
	examples []string
}

const common = "Every event"

// page parses docs/reference/events.md by its headings; those of types lose their backquotes.
func page(t *testing.T) (content string, sections map[string]*section) {
	t.Helper()
	file, err := os.ReadFile("../../docs/reference/events.md")
	if err != nil {
		t.Fatal(err)
	}
	sections = map[string]*section{}
	row := regexp.MustCompile("^\\| `([^`]+)` \\|")
	current := &section{}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		heading, isHeading := strings.CutPrefix(line, "## ")
		switch cell := row.FindStringSubmatch(line); {
		case isHeading:
			current = &section{}
			sections[strings.Trim(heading, "`")] = current
		case cell != nil:
			current.fields = append(current.fields, cell[1])
		case strings.HasPrefix(line, "{"):
			current.examples = append(current.examples, line)
		}
	}
	return string(file), sections
}

// constants returns the values of the constants in provisioner/event.go: those of type Type, and the plain strings.
func constants(t *testing.T) (types, states []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../provisioner/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) == 0 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		if kind, typed := spec.Type.(*ast.Ident); typed && kind.Name == "Type" {
			types = append(types, value)
		} else {
			states = append(states, value)
		}
		return true
	})
	return types, states
}

func jsonFields(of reflect.Type) []string {
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func TestEventsPage_DescribesEveryType(t *testing.T) {
	_, sections := page(t)
	types, _ := constants(t)
	want := slices.Sorted(slices.Values(append(types, common)))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(sections))); diff != "" {
		t.Errorf("(-code +page):\n%s", diff)
	}
}

func TestEventsPage_DescribesEveryField(t *testing.T) {
	want := map[string]bool{}
	for _, name := range jsonFields(reflect.TypeFor[provisioner.Event]()) {
		want[name] = true
	}
	for _, name := range jsonFields(reflect.TypeFor[provisioner.Member]()) {
		want["members[]."+name] = true
	}
	for _, name := range jsonFields(reflect.TypeFor[provisioner.PlannedStep]()) {
		want["steps[]."+name] = true
	}
	for _, name := range jsonFields(reflect.TypeFor[provisioner.CephStatus]()) {
		want["ceph."+name] = true
	}
	got := map[string]bool{}
	_, sections := page(t)
	for _, s := range sections {
		for _, field := range s.fields {
			got[field] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-code +page):\n%s", diff)
	}
}

func TestEventsPage_NamesStatesActionsPhases(t *testing.T) {
	content, _ := page(t)
	_, words := constants(t)
	words = append(words, state.ListPhases()...)
	words = append(words, state.Approved, state.Skipped)
	for _, action := range []state.Action{state.Created, state.Adopted, state.Found, state.Updated, state.Deleted} {
		words = append(words, string(action))
	}
	for _, word := range words {
		if !strings.Contains(content, "`"+word+"`") {
			t.Errorf("the page does not name %q", word)
		}
	}
}

func TestEventsPage_ExamplesDecode(t *testing.T) {
	_, sections := page(t)
	for name, s := range sections {
		if name != common && len(s.examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, line := range s.examples {
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.DisallowUnknownFields()
			var e provisioner.Event
			if err := decoder.Decode(&e); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if string(e.Type) != name || e.V != provisioner.Version {
				t.Errorf("in the section of %s is: %s", name, line)
			}
			var written strings.Builder
			console.NewJSON(&written)(e)
			if diff := cmp.Diff(line+"\n", written.String()); diff != "" {
				t.Errorf("(-page +written):\n%s", diff)
			}
		}
	}
}

func TestEventsPage_ExamplesUseEveryField(t *testing.T) {
	_, sections := page(t)
	for name, s := range sections {
		used := map[string]bool{}
		for _, line := range s.examples {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatal(err)
			}
			for field := range fields {
				used[field] = true
				if !slices.Contains(s.fields, field) && !slices.Contains(sections[common].fields, field) {
					t.Errorf("the section of %s does not describe %q", name, field)
				}
			}
		}
		for _, field := range s.fields {
			if name != common && !used[field] && !strings.Contains(field, ".") {
				t.Errorf("no example of %s has %q", name, field)
			}
		}
	}
}
