// Package answersfile reads and writes answers: files with the positions of their values, flags and variables, the merge of all of
// them, drafts, and what is missing.
package answersfile

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
	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard"
)

// document is an answers file while it is read: the Spec, and the positions of its values.
type document struct {
	name         string
	lines        []string
	fields       []wizard.Field
	spec         state.Spec
	positions    map[string]position // of values, and of the keys of sections, by path
	ask          []string            // keys of fields that are asked even with a file
	problems     []wizard.Problem
	unparsable   bool // the file is no YAML, or no mapping: nothing can be checked
	isUserConfig bool // a user's defaults: nothing is required
}

// From 1.
type position struct{ line, column int }

// read decodes a file over the defaults. It checks the structure only, not the values.
func read(name string, content []byte, usual bool) *document {
	d := &document{
		name: name, lines: strings.Split(string(content), "\n"), fields: wizard.Fields(), spec: state.Default(),
		positions: map[string]position{"": {1, 1}}, isUserConfig: usual,
	}
	root := d.parseRoot(content)
	if d.unparsable {
		return d
	}
	if d.readSection(root, "", position{1, 1}); !d.unparsable && !usual {
		d.require("", "apiVersion", "kind")
	}
	return d
}

// wholeFile replaces the field in problems of the file itself.
const wholeFile = "file"

// parseRoot returns nil for an empty file.
func (d *document) parseRoot(content []byte) ast.Node {
	start := position{1, 1}
	if len(content) > wizard.MaxSize {
		return d.rejectFile(start, fmt.Sprintf("is %d bytes long", len(content)), fmt.Sprintf("at most %d bytes", wizard.MaxSize))
	}
	text, err := fileread.DecodeText(content)
	if err == nil {
		err = fileread.CheckNesting(text)
	}
	var wrongAt *fileread.TextError
	if errors.As(err, &wrongAt) {
		return d.rejectFile(position{wrongAt.Line, wrongAt.Column}, wrongAt.Problem, "")
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return d.rejectFile(findErrorPosition(err), "is not valid YAML: "+formatYAMLError(err), "")
	}
	return d.selectOnly(file)
}

func (d *document) rejectFile(p position, problem, allowed string) ast.Node {
	d.unparsable = true
	d.report(p, wizard.Problem{Field: wholeFile, Message: problem, Allowed: allowed})
	return nil
}

func (d *document) selectOnly(file *ast.File) ast.Node {
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
		d.report(d.start(bodies[1], position{1, 1}), wizard.Problem{Field: wholeFile, Message: "contains several YAML documents", Allowed: "one document"})
	}
	return bodies[0]
}

// The lines that goccy/go-yaml quotes are removed.
func formatYAMLError(err error) string {
	var positioned yaml.Error
	if errors.As(err, &positioned) {
		return positioned.GetMessage()
	}
	return "cannot be parsed"
}

func findErrorPosition(err error) position {
	var positioned yaml.Error
	if errors.As(err, &positioned) && positioned.GetToken() != nil {
		return positionOf(positioned.GetToken(), position{1, 1})
	}
	return position{1, 1}
}

func positionOf(t *token.Token, otherwise position) position {
	if t == nil || t.Position == nil {
		return otherwise
	}
	return position{t.Position.Line, t.Position.Column}
}

// The token of a mapping is the colon after its first key, so the position is that of the key.
func (d *document) start(node ast.Node, otherwise position) position {
	switch n := node.(type) {
	case nil:
		return otherwise
	case *ast.NullNode:
		return otherwise
	case ast.MapNode:
		if entries := n.MapRange(); entries.Next() {
			return positionOf(entries.Key().GetToken(), otherwise)
		}
	}
	return positionOf(node.GetToken(), otherwise)
}

func (d *document) report(p position, f wizard.Problem) {
	d.problems = append(d.problems, d.withPosition(f, p))
}

// The position is bounded by the file, whatever the YAML parser returns.
func (d *document) withPosition(f wizard.Problem, p position) wizard.Problem {
	p.line = min(max(p.line, 1), len(d.lines))
	p.column = min(max(p.column, 1), utf8.RuneCountInString(d.lines[p.line-1])+1)
	f.File, f.Line, f.Column = d.name, p.line, p.column
	return f
}

// If the value is missing, it is the position of its parent.
func (d *document) findPosition(path string) position {
	for {
		if p, ok := d.positions[path]; ok || path == "" {
			return p
		}
		path = wizard.ParentOf(path)
	}
}

func (d *document) require(path string, keys ...string) {
	for _, key := range keys {
		full := wizard.ToPrefix(path) + key
		if _, given := d.positions[full]; given || hasProblem(d.problems, full) {
			continue
		}
		field, _ := wizard.Find(d.listFieldsAt(full), full)
		d.report(d.findPosition(path), wizard.Problem{Field: full, Message: "is missing", Allowed: field.FormatAllowed()})
	}
}

func (d *document) listFieldsAt(path string) []wizard.Field {
	var i int
	if _, err := fmt.Sscanf(path, wizard.GroupsKey+"[%d]", &i); err == nil {
		return wizard.GroupFields(i)
	}
	return d.fields
}

// stateKey is where a user's configuration says that clusters are kept. It is no answer.
const stateKey = "state"

func (d *document) readSection(node ast.Node, path string, here position) {
	fields := d.listFieldsAt(path)
	for key, entry := range d.readEntries(node, path, here) {
		full := wizard.ToPrefix(path) + key
		spot := positionOf(entry.Key.GetToken(), here)
		field, isField := wizard.Find(fields, full)
		switch {
		case full == stateKey && d.isUserConfig:
		case full == wizard.AskKey:
			d.readAskList(entry.Value, spot)
		case isField:
			d.positions[full] = d.start(entry.Value, spot)
			d.readValue(field, entry.Value, spot)
		case slices.ContainsFunc(fields, func(f wizard.Field) bool { return strings.HasPrefix(f.Key, full+".") }):
			d.positions[full] = spot
			d.readSection(entry.Value, full, spot)
		default:
			keys := d.listKeysBelow(fields, path)
			d.report(spot, wizard.Problem{Field: wizard.FormatPath(full), Message: "unknown key", Allowed: wizard.FormatChoices(keys), Suggestion: similar.FindNearest(key, keys)})
		}
	}
}

// ReadDraft reads answers as Export wrote them, with the origins in their comments. Answers may be missing or wrong: the
// screens show that.
func ReadDraft(name string, yaml []byte) *wizard.Answers {
	d := read(name, yaml, true)
	answers := &wizard.Answers{Spec: d.spec, Origins: map[string]string{}}
	for _, field := range d.fields {
		p, given := d.positions[field.Key]
		if !given {
			continue
		}
		if origin := d.readOrigin(wizard.LastElement(field.Key), p.line); origin != "" && origin != wizard.ByDefault {
			answers.Origins[field.Key] = origin
		}
	}
	return answers
}

// The comment is on the same line, or on the one above.
func (d *document) readOrigin(key string, line int) string {
	for ; line > 0 && line <= len(d.lines); line-- {
		text := d.lines[line-1]
		if !strings.HasPrefix(strings.TrimSpace(text), key+":") {
			continue
		}
		at := strings.LastIndex(text, " # ")
		if at < 0 || strings.ContainsRune(text[at:], '"') { // "#" inside quotes starts no comment
			return ""
		}
		return strings.TrimSpace(text[at+len(" # "):])
	}
	return ""
}

const askExample = "a list of keys or sections, e.g. [cluster.id, sizing]"

// Its items are keys of fields, or sections, which stand for every field below.
func (d *document) readAskList(node ast.Node, key position) {
	if d.isUserConfig {
		d.report(key, wizard.Problem{Field: wizard.AskKey, Message: "belongs in an answers file, not in the usual answers"})
		return
	}
	list := wizard.AskField()
	nodes, _ := d.readItems(list, node, key)
	for i, item := range nodes {
		path := list.ItemKey(i, "")
		if text, ok := d.readScalar(path, list, item, key); ok {
			d.addAsk(path, text, d.start(item, key))
		}
	}
}

func (d *document) addAsk(path, name string, spot position) {
	found := FindFields(name)
	if name == "" {
		found = nil
	}
	if len(found) == 0 {
		d.report(spot, wizard.Problem{Field: path, Message: wizard.Quote(name) + " is neither a key nor a section", Allowed: askExample,
			Suggestion: FindNearest(name)})
	}
	for _, field := range found {
		if !slices.Contains(d.ask, field.Key) {
			d.ask = append(d.ask, field.Key)
		}
	}
}

func (d *document) listKeysBelow(fields []wizard.Field, path string) []string {
	keys := listKeysBelow(fields, path)
	if path == "" && !d.isUserConfig {
		keys = append(keys, wizard.AskKey)
	}
	return keys
}

// listKeysBelow returns the keys of a section's fields and sections, without those below them.
func listKeysBelow(fields []wizard.Field, path string) []string {
	var keys []string
	for _, f := range fields {
		rest, below := strings.CutPrefix(f.Key, wizard.ToPrefix(path))
		if key, _, _ := strings.Cut(rest, "."); below && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
