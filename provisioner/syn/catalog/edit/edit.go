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
	d, err := parse(file, content)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		wanted := modelOf(d.root)
		changed, err := d.wish(wanted, e)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		if d, err = d.write(e, wanted); err != nil {
			return nil, err
		}
		content = d.bytes()
	}
	return content, nil
}

// write makes the change in the text, and makes sure that the text then says what is wanted and nothing else. A text of
// several lines is written in one if it cannot stand where it would.
func (d *document) write(e state.YAMLEdit, wanted *node) (*document, error) {
	before := d.bytes()
	for _, inline := range []bool{false, true} {
		fresh, err := parse(d.file, before)
		if err != nil {
			return nil, err
		}
		fresh.inline = inline
		if err := fresh.change(e); err != nil {
			return nil, err
		}
		after, err := parse(d.file, fresh.bytes())
		if err == nil && equal(modelOf(after.root), wanted) {
			return after, nil
		}
	}
	return nil, d.conflict(0, "%s cannot be changed without changing what is around it", dotted(e.Path)).
		WithHint("change it in that file by hand: %s", purpose(e))
}

// Same makes sure that the places of edits are as they were when somebody looked, or as they are wanted by now.
func Same(file string, before, now []byte, edits []state.YAMLEdit) error {
	old, err := parse(file, before)
	if err != nil {
		return err
	}
	latest, err := parse(file, now)
	if err != nil {
		return err
	}
	oldModel, nowModel := modelOf(old.root), modelOf(latest.root)
	for _, e := range edits {
		was, is := oldModel.at(e.Path), nowModel.at(e.Path)
		if e.Item != "" || equal(was, is) || e.Value != nil && equal(is, made(e.Value)) || e.Value == nil && is == nil {
			continue
		}
		return latest.conflict(is.place(), "somebody changed %s just now, from %s to %s", dotted(e.Path), was, is).
			WithHint("ask them what it should be; this program wants: %s", purpose(e))
	}
	return nil
}

// conflict is a place that is somebody else's; line 0: no line says it.
func (d *document) conflict(line int, format string, args ...any) *fault.Error {
	return d.problem(fault.Conflict, line, format, args...)
}
