package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

// author generates documents in many styles, with comments and empty lines.
type author struct {
	*rapid.T
	b        strings.Builder
	comments []string
	maps     [][]string // paths of all maps
	lists    [][]string
	scalars  [][]string
	step     int
	dash     int
	text     bool // there are multi-line strings
}

func (a *author) one(of ...string) string { return rapid.SampledFrom(of).Draw(a.T, "one of") }
func (a *author) number(most int) int     { return rapid.IntRange(0, most).Draw(a.T, "number") }

// comment returns a unique comment, or nothing.
func (a *author) comment(before string) string {
	if a.number(3) > 0 {
		return ""
	}
	text := fmt.Sprintf("# note %d: [x] {y", len(a.comments))
	a.comments = append(a.comments, text)
	return before + text
}

func (a *author) line(indent int, text string) {
	a.b.WriteString(strings.Repeat(" ", indent) + text + a.comment("  ") + "\n")
	for range a.number(3) / 2 {
		if note := a.comment(""); note != "" {
			a.b.WriteString(strings.Repeat(" ", indent) + note + "\n")
		} else {
			a.b.WriteString("\n")
		}
	}
}

func (a *author) scalar() string {
	return a.one("plain", "a b", "1", "1.5", "true", "'single # quoted'", `"double \" quoted: # x"`, "''", "http://x/y#z", "'it''s'", "ü")
}

// keys writes a map's keys; each map has a unique key, so that all paths differ.
func (a *author) keys(path []string, indent, depth int) {
	a.maps = append(a.maps, path)
	for i := range 1 + a.number(3) {
		key := a.one("k", "q.u/o", "ö", "x-y") + fmt.Sprint(i)
		shown := a.one(key, `"`+key+`"`, `'`+key+`'`)
		a.value(append(path[:len(path):len(path)], key), shown, indent, depth)
	}
}

func (a *author) value(path []string, key string, indent, depth int) {
	kind := a.number(9)
	if depth > 2 && kind < 4 {
		kind = 4
	}
	switch kind {
	case 0, 1, 2:
		a.line(indent, key+":")
		a.keys(path, indent+a.step, depth+1)
	case 3:
		a.maps, a.scalars = append(a.maps, path), append(a.scalars, append(path[:len(path):len(path)], "f"))
		a.line(indent, key+": {f: "+a.one("1", "x", "'y, z'")+a.one("", ", g: [1, 2]", ", 'h': {}", " ")+"}")
	case 4:
		a.lists = append(a.lists, path)
		a.line(indent, key+":")
		for range 1 + a.number(2) {
			a.line(indent+a.dash, "- "+a.one("one", "'two'", `"three"`, "four # really", "5"))
		}
	case 5:
		a.lists = append(a.lists, path)
		a.line(indent, key+": "+a.one("[]", "[one]", "['two', three]", "[ one, 5 ]", "[one,]"))
	case 6:
		a.text = true
		a.scalars = append(a.scalars, path)
		a.b.WriteString(strings.Repeat(" ", indent) + key + ": " + a.one("|", "|-", ">") + "\n")
		for _, text := range []string{"text", "# no comment", "", "  deeper"}[:1+a.number(3)] {
			if text != "" {
				text = strings.Repeat(" ", indent+a.step) + text
			}
			a.b.WriteString(text + "\n")
		}
	case 7:
		a.maps = append(a.maps, path)
		a.line(indent, key+":"+a.one("", " {}", " ~", " null"))
	default:
		a.scalars = append(a.scalars, path)
		a.line(indent, key+": "+a.scalar())
	}
}

func (a *author) wish() state.YAMLEdit {
	value := []any{"plain", "no", "a: b", "x\ny\n", true, 7, map[string]any{"m": "n"}, "-----BEGIN X-----\nabc\n-----END X-----"}[a.number(7)]
	pick := func(from [][]string) []string { return from[a.number(len(from)-1)] }
	switch kind := a.number(5); {
	case kind == 0 && len(a.lists) > 0:
		return state.YAMLEdit{Path: pick(a.lists), Item: a.one("one", "two", "new", "a: b")}
	case kind == 1 && len(a.lists) > 0:
		return state.YAMLEdit{Path: pick(a.lists), Item: a.one("one", "two", "three", "four"), Remove: true}
	case kind == 2 && len(a.scalars) > 0:
		return state.YAMLEdit{Path: pick(a.scalars), Value: value}
	case kind == 3 && len(a.scalars) > 0:
		return state.YAMLEdit{Path: pick(a.scalars)}
	}
	into := pick(a.maps)
	return state.YAMLEdit{Path: append(into[:len(into):len(into)], []string{"new", "new.key/x"}[:1+a.number(1)]...), Value: value}
}

func TestApply_ChangesPathOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &author{T: t, step: rapid.IntRange(1, 4).Draw(t, "step")}
		a.dash = a.number(a.step)
		a.b.WriteString(a.one("", "# top\n", "---\n", "\n\n"))
		a.keys(nil, 0, 0)
		before := a.b.String()
		if a.number(3) == 0 && !a.text { // a new line ending would change a string at the end
			before = strings.TrimRight(before, "\n ")
		}
		if a.number(3) == 0 {
			before = strings.ReplaceAll(before, "\n", "\r\n")
		}
		e := a.wish()
		after, err := edit.Apply(file, []byte(before), []state.YAMLEdit{e})
		if err != nil {
			t.Fatalf("%v of\n%s\n%+v", err, before, e)
		}
		want := meant(decoded(t, before), e, e.Path)
		if diff := cmp.Diff(want, any(decoded(t, string(after)))); diff != "" {
			t.Fatalf("%+v of\n%s\nis\n%s\n%s", e, before, after, diff)
		}
		apart(t, a, before, string(after), e)
	})
}

// decoded uses another parser.
func decoded(t *rapid.T, text string) any {
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	return value
}

// meant is the expected value after an edit.
func meant(value any, e state.YAMLEdit, path []string) any {
	if len(path) == 0 {
		list, _ := value.([]any)
		kept := []any{}
		for _, item := range list {
			if item != any(e.Item) || e.Item == "" || !e.Remove {
				kept = append(kept, item)
			}
		}
		switch {
		case e.Item == "":
			return e.Value
		case e.Remove:
			return kept
		}
		for _, item := range list {
			if item == any(e.Item) {
				return list
			}
		}
		return append(kept, e.Item)
	}
	fields, _ := value.(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	if len(path) == 1 && e.Item == "" && e.Value == nil {
		delete(fields, path[0])
		return fields
	}
	fields[path[0]] = meant(fields[path[0]], e, path[1:])
	return fields
}

// apart checks that lines before and after one place are unchanged, and that comments remain, except for those of a removed
// value.
func apart(t *rapid.T, a *author, before, after string, e state.YAMLEdit) {
	old, fresh := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	head := 0
	for head < len(old) && head < len(fresh) && old[head] == fresh[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(fresh)-head && old[len(old)-1-tail] == fresh[len(fresh)-1-tail] {
		tail++
	}
	changed := old[head : len(old)-tail]
	if most := 8; len(changed) > most {
		t.Fatalf("%d lines changed by %+v:\n%s\nis\n%s", len(changed), e, before, after)
	}
	for _, note := range a.comments {
		if strings.Contains(before, note) && !strings.Contains(after, note) && e.Value != nil {
			t.Fatalf("%q is gone by %+v:\n%s\nis\n%s", note, e, before, after)
		}
	}
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") && (e.Value != nil || e.Item != "" && !e.Remove) {
		t.Fatalf("the end of the last line is another one by %+v:\n%q\n%q", e, before, after)
	}
	if strings.Contains(before, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Fatalf("lines end in two ways:\n%q", after)
	}
}
