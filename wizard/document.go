package wizard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"exoshift/internal/fileread"
	"exoshift/state"
)

// maxSize is the length of an answers file in bytes that is read: real ones have a few thousand.
const maxSize = 64 << 10

// document is an answers file while it is read: the Spec that it says, and where it says what.
type document struct {
	name   string
	lines  []string
	fields []Field
	spec   state.Spec
	places map[string]place // of values, and of the keys of sections, by path
	ask    []string         // keys of fields that are asked all the same
	faults []Fault
	broken bool // there is nothing to check: the file is no YAML, or no mapping
	usual  bool // these are somebody's usual answers: nothing is required of them
}

// place is a position in the file, from 1.
type place struct{ line, column int }

// read decodes a file over the defaults. It looks at forms only, not at values.
func read(name string, content []byte, usual bool) *document {
	d := &document{
		name: name, lines: strings.Split(string(content), "\n"), fields: Fields(), spec: state.Default(),
		places: map[string]place{"": {1, 1}}, usual: usual,
	}
	root := d.root(content)
	if d.broken {
		return d
	}
	if d.section(root, "", place{1, 1}); !d.broken && !usual {
		d.require("", "apiVersion", "kind")
	}
	return d
}

// wholeFile stands in for the field of faults that are about the file itself.
const wholeFile = "file"

// root parses the file and returns its first document, nil for an empty file.
func (d *document) root(content []byte) ast.Node {
	start := place{1, 1}
	if len(content) > maxSize {
		return d.refuse(start, fmt.Sprintf("has %d bytes", len(content)), fmt.Sprintf("at most %d bytes", maxSize))
	}
	text, err := fileread.DecodeText(content)
	if err == nil {
		err = fileread.CheckNesting(text)
	}
	var wrongAt *fileread.TextError
	if errors.As(err, &wrongAt) {
		return d.refuse(place{wrongAt.Line, wrongAt.Column}, wrongAt.Problem, "")
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return d.refuse(errorPlace(err), "is not YAML: "+message(err), "")
	}
	return d.only(file)
}

// refuse reports a fault after which there is nothing more to read.
func (d *document) refuse(p place, problem, allowed string) ast.Node {
	d.broken = true
	d.report(p, Fault{Field: wholeFile, Problem: problem, Allowed: allowed})
	return nil
}

// only returns the first document and reports a second one.
func (d *document) only(file *ast.File) ast.Node {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	if len(bodies) > 1 {
		d.report(d.start(bodies[1], place{1, 1}), Fault{Field: wholeFile, Problem: "holds several YAML documents", Allowed: "one document"})
	}
	return bodies[0]
}

// message returns what a YAML error says without the lines of the file that it would quote.
func message(err error) string {
	var positioned yaml.Error
	if errors.As(err, &positioned) {
		return positioned.GetMessage()
	}
	return "it cannot be parsed"
}

func errorPlace(err error) place {
	var positioned yaml.Error
	if errors.As(err, &positioned) && positioned.GetToken() != nil {
		return at(positioned.GetToken(), place{1, 1})
	}
	return place{1, 1}
}

func at(t *token.Token, otherwise place) place {
	if t == nil || t.Position == nil {
		return otherwise
	}
	return place{t.Position.Line, t.Position.Column}
}

// start returns where a node begins. The token of a mapping is the colon after its first key, so that key is asked.
func (d *document) start(node ast.Node, otherwise place) place {
	switch n := node.(type) {
	case nil:
		return otherwise
	case *ast.NullNode:
		return otherwise
	case ast.MapNode:
		if entries := n.MapRange(); entries.Next() {
			return at(entries.Key().GetToken(), otherwise)
		}
	}
	return at(node.GetToken(), otherwise)
}

// report adds a fault.
func (d *document) report(p place, f Fault) { d.faults = append(d.faults, d.placed(f, p)) }

// placed names the place of a fault, which is kept within the file, whatever the YAML parser believes.
func (d *document) placed(f Fault, p place) Fault {
	p.line = min(max(p.line, 1), len(d.lines))
	p.column = min(max(p.column, 1), utf8.RuneCountInString(d.lines[p.line-1])+1)
	f.File, f.Line, f.Column = d.name, p.line, p.column
	return f
}

// place returns where the value at a path is, or, if it is missing, what would hold it.
func (d *document) place(path string) place {
	for {
		if p, ok := d.places[path]; ok || path == "" {
			return p
		}
		path = parent(path)
	}
}

// require reports the keys that are missing below a path although they have a value by default.
func (d *document) require(path string, keys ...string) {
	for _, key := range keys {
		full := prefix(path) + key
		if _, given := d.places[full]; given || known(d.faults, full) {
			continue
		}
		field, _ := find(d.fieldsAt(full), full)
		d.report(d.place(path), Fault{Field: full, Problem: "is missing", Allowed: field.allowed()})
	}
}

// fieldsAt returns the fields that a path may belong to: those of one additional group, or all others.
func (d *document) fieldsAt(path string) []Field {
	var i int
	if _, err := fmt.Sscanf(path, groupsKey+"[%d]", &i); err == nil {
		return groupFields(i)
	}
	return d.fields
}

// section reads a mapping whose keys lead to fields and further sections.
func (d *document) section(node ast.Node, path string, here place) {
	fields := d.fieldsAt(path)
	for key, entry := range d.entries(node, path, here) {
		full := prefix(path) + key
		spot := at(entry.Key.GetToken(), here)
		field, isField := find(fields, full)
		switch {
		case full == askKey:
			d.asks(entry.Value, spot)
		case isField:
			d.places[full] = d.start(entry.Value, spot)
			d.value(field, entry.Value, spot)
		case slices.ContainsFunc(fields, func(f Field) bool { return strings.HasPrefix(f.Key, full+".") }):
			d.places[full] = spot
			d.section(entry.Value, full, spot)
		default:
			keys := d.keysBelow(fields, path)
			d.report(spot, Fault{Field: printed(full), Problem: "unknown key", Allowed: oneOf(keys), Suggestion: nearest(key, keys)})
		}
	}
}
