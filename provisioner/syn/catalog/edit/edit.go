// Package edit changes values of a YAML document where they stand, and leaves every byte beside them as it is: comments,
// order, quoting, indentation, line ends.
package edit

import (
	"exoshift/internal/fault"
	"exoshift/state"
)

// Apply carries edits out on a file, which does not exist if content is nil. fault.Conflict: a place holds what somebody
// else wrote, or what others share; fault.Invalid: it is no YAML that can be edited.
func Apply(file string, content []byte, edits []state.YAMLEdit) ([]byte, error) {
	d, err := parseDocument(file, content)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		wanted := newModel(d.root)
		changed, err := d.apply(wanted, e)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if d, err = d.write(e, wanted); err != nil {
			return nil, err
		}
		content = d.render()
	}
	return content, nil
}

// write makes the change in the text, and makes sure that the text then says what is wanted and nothing else. A text of
// several lines is written in one if it cannot stand where it would.
func (d *document) write(e state.YAMLEdit, wanted *node) (*document, error) {
	before := d.render()
	for _, inline := range []bool{false, true} {
		fresh, err := parseDocument(d.file, before)
		if err != nil {
			return nil, err
		}
		fresh.inline = inline
		if err := fresh.updateText(e); err != nil {
			return nil, err
		}
		after, err := parseDocument(d.file, fresh.render())
		if err == nil && equalNodes(newModel(after.root), wanted) {
			return after, nil
		}
	}
	return nil, d.newConflict(0, "%s cannot be changed without changing what is around it", formatPath(e.Path)).
		WithHint("change it in that file by hand: %s", describeEdit(e))
}

// CheckUnchanged makes sure that the places of edits are as they were when somebody looked, or as they are wanted by now.
func CheckUnchanged(file string, before, now []byte, edits []state.YAMLEdit) error {
	old, err := parseDocument(file, before)
	if err != nil {
		return err
	}
	latest, err := parseDocument(file, now)
	if err != nil {
		return err
	}
	oldModel, nowModel := newModel(old.root), newModel(latest.root)
	for _, e := range edits {
		was, is := oldModel.lookup(e.Path), nowModel.lookup(e.Path)
		if e.Item != "" || equalNodes(was, is) || e.Value != nil && equalNodes(is, newValue(e.Value)) || e.Value == nil && is == nil {
			continue
		}
		return latest.newConflict(is.lineNumber(), "somebody changed %s just now, from %s to %s", formatPath(e.Path), was, is).
			WithHint("ask them what it should be; this program wants: %s", describeEdit(e))
	}
	return nil
}

// newConflict is a place that is somebody else's; line 0: no line says it.
func (d *document) newConflict(line int, format string, args ...any) *fault.Error {
	return d.newFault(fault.Conflict, line, format, args...)
}
