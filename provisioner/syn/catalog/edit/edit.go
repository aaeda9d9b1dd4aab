// Package edit changes values of a YAML document in place, and leaves every other byte unchanged: comments, order, quoting,
// indentation, line endings.
package edit

import (
	"exoshift/state"
)

// Apply applies edits to a file, which does not exist if content is nil. fault.Conflict: a value was written by somebody else, or
// is shared by an alias; fault.Invalid: it is no YAML that can be edited.
func Apply(file string, content []byte, edits []state.YAMLEdit) ([]byte, error) {
	d, err := parseDocument(fileName(file), content)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		wanted := newModel(d.root)
		changed, err := applier{d.fileName, wanted}.apply(e)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if d, err = writeEdit(d, e, wanted); err != nil {
			return nil, err
		}
		content = d.render()
	}
	return content, nil
}

// writeEdit changes the text, and verifies that the changed text has the wanted values and nothing else changed. A multi-line string
// is written in one line if it cannot be written as a block.
func writeEdit(d *document, e state.YAMLEdit, wanted *node) (*document, error) {
	before := d.render()
	for _, inline := range []bool{false, true} {
		fresh, err := parseDocument(d.fileName, before)
		if err != nil {
			return nil, err
		}
		fresh.inline = inline
		if err := (writer{fresh}).updateText(e); err != nil {
			return nil, err
		}
		after, err := parseDocument(d.fileName, fresh.render())
		if err == nil && equalNodes(newModel(after.root), wanted) {
			return after, nil
		}
	}
	return nil, d.newConflict(0, "%s cannot be changed without changing its context", formatPath(e.Path)).
		WithHint("change it in that file manually: %s", describeEdit(e))
}

// CheckUnchanged verifies that the values that edits concern are as they were in before, or as they are wanted.
func CheckUnchanged(file string, before, now []byte, edits []state.YAMLEdit) error {
	old, err := parseDocument(fileName(file), before)
	if err != nil {
		return err
	}
	latest, err := parseDocument(fileName(file), now)
	if err != nil {
		return err
	}
	oldModel, nowModel := newModel(old.root), newModel(latest.root)
	for _, e := range edits {
		was, is := oldModel.lookup(e.Path), nowModel.lookup(e.Path)
		if e.Item != "" || equalNodes(was, is) || e.Value != nil && equalNodes(is, newValue(e.Value)) || e.Value == nil && is == nil {
			continue
		}
		return latest.newConflict(is.lineNumber(), "%s was changed concurrently, from %s to %s", formatPath(e.Path), was, is).
			WithHint("find out the intended value; exoshift requires: %s", describeEdit(e))
	}
	return nil
}
