package edit

import (
	"fmt"
	"slices"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/state"
)

const maxShown = 200 // bytes

type resolvedPath struct {
	at     *node // the last value that exists
	rest   []string
	line   int
	shared string
}

// applier applies edits to the model of a file.
type applier struct {
	fileName
	root *node
}

// apply applies an edit, and reports whether it changed. What an edit may not change is a conflict.
func (a applier) apply(e state.YAMLEdit) (changed bool, err error) {
	if len(e.Path) == 0 || slices.Contains(e.Path, "") {
		return false, fault.Newf(fault.Internal, a.op(), "an edit names no key")
	}
	way, err := a.walk(e.Path)
	if err != nil {
		return false, err
	}
	if e.Item != "" {
		return a.applyItem(way, e)
	}
	return a.applyValue(way, e)
}

func (a applier) walk(path []string) (resolvedPath, error) {
	t := resolvedPath{at: a.root, rest: path, line: a.root.line}
	for i, key := range path {
		t.markShared()
		at := a.resolveAlias(t.at)
		switch {
		case at.nodeKind == null:
			return t, nil
		case at.nodeKind != mapping:
			return t, a.newConflict(t.line, "%s is %s instead of a mapping", describePath(path[:i]), at).
				WithHint("change that line manually, so that %s can be set below it", formatPath(path))
		}
		for _, other := range []string{"~" + key, "=" + key, "? " + key} {
			if i, found := at.find(other); found {
				return t, a.newOverrideConflict(at.entries[i].line, other, path)
			}
		}
		found, exists := at.find(key)
		if !exists {
			if merge, merges := at.find(mergeKey); merges {
				t.shared = fmt.Sprintf("line %d takes keys from another map", at.entries[merge].line)
			}
			return t, nil
		}
		t.at, t.rest, t.line = at.entries[found].value, path[i+1:], at.entries[found].line
	}
	t.markShared()
	return t, nil
}

func (a applier) newOverrideConflict(line int, key string, path []string) error {
	return a.newConflict(line, "%q already sets the key, overriding others", sanitize(key)).
		WithHint("decide which of the two applies: that line, or %s", formatPath(path))
}

func (t *resolvedPath) markShared() {
	switch {
	case t.shared != "":
	case t.at.nodeKind == alias:
		t.shared = fmt.Sprintf("line %d is *%s, an alias of a value elsewhere", t.line, sanitize(t.at.text))
	case t.at.anchor != "":
		t.shared = fmt.Sprintf("line %d is &%s, which others may use", t.line, sanitize(t.at.anchor))
	case t.at.tag != "":
		t.shared = fmt.Sprintf("line %d has the tag %s", t.line, sanitize(t.at.tag))
	}
}

// resolveAlias follows a limited number of aliases.
func (a applier) resolveAlias(n *node) *node {
	for range 5 {
		if n.nodeKind != alias {
			break
		}
		if n = a.root.findAnchored(n.text); n == nil {
			return &node{}
		}
	}
	return n
}

func (n *node) findAnchored(anchor string) *node {
	if n.anchor == anchor {
		return n
	}
	for _, each := range n.entries {
		if found := each.value.findAnchored(anchor); found != nil {
			return found
		}
	}
	for _, each := range n.items {
		if found := each.findAnchored(anchor); found != nil {
			return found
		}
	}
	return nil
}

// checkOwned fails if a value to be changed is shared.
func (a applier) checkOwned(t resolvedPath, e state.YAMLEdit) error {
	shared := t.shared
	if name := t.at.findAnchor(); shared == "" && len(t.rest) == 0 && name != "" {
		shared = fmt.Sprintf("below line %d is &%s, which others may use", t.line, sanitize(name))
	}
	if shared == "" {
		return nil
	}
	return a.newConflict(t.line, "changing %s would change other places, too: %s", formatPath(e.Path), shared).
		WithHint("change it manually: %s", describeEdit(e))
}

func (a applier) applyValue(t resolvedPath, e state.YAMLEdit) (bool, error) {
	if len(t.rest) > 0 {
		if e.Value == nil || e.Existing {
			return false, nil
		}
		if err := a.checkOwned(t, e); err != nil {
			return false, err
		}
		t.at.insertValue(t.rest, newValue(e.Value))
		return true, nil
	}
	is := a.resolveAlias(t.at)
	if e.Value != nil && equalValues(is, newValue(e.Value)) {
		return false, nil
	}
	if is.nodeKind != null && e.Over != nil && !slices.ContainsFunc(e.Over, func(v any) bool { return equalValues(is, newValue(v)) }) {
		return false, a.newForeignConflict(t.line, is, e)
	}
	if err := a.checkOwned(t, e); err != nil {
		return false, err
	}
	parent := a.root.lookup(e.Path[:len(e.Path)-1])
	i, _ := parent.find(e.Path[len(e.Path)-1])
	if e.Value == nil {
		parent.entries = slices.Delete(parent.entries, i, i+1)
	} else {
		parent.entries[i].value = newValue(e.Value)
	}
	return true, nil
}

// newForeignConflict refuses to overwrite what somebody else wrote.
func (a applier) newForeignConflict(line int, is *node, e state.YAMLEdit) error {
	if e.Otherwise != "" {
		return a.newConflict(line, "%s is %s, set by someone else", formatPath(e.Path), is).WithHint("%s", e.Otherwise)
	}
	return a.newConflict(line, "%s is %s, set by someone else, and should be %s", formatPath(e.Path), is, describeTarget(e)).
		WithHint("find out which is right; then correct that line: %s", describeEdit(e))
}

// equalValues ignores anchors, tags and the order of a map's keys.
func equalValues(a, b *node) bool {
	if a.nodeKind != b.nodeKind || a.kind != b.kind || a.text != b.text || len(a.entries) != len(b.entries) {
		return false
	}
	for _, each := range a.entries {
		i, found := b.find(each.key)
		if !found || !equalValues(each.value, b.entries[i].value) {
			return false
		}
	}
	return slices.EqualFunc(a.items, b.items, equalValues)
}

func (a applier) applyItem(t resolvedPath, e state.YAMLEdit) (bool, error) {
	if len(t.rest) > 0 || t.at.nodeKind == null {
		if e.Remove {
			return false, nil
		}
		if err := a.checkOwned(t, e); err != nil {
			return false, err
		}
		t.at.insertValue(t.rest, newValue([]string{e.Item}))
		return true, nil
	}
	if t.at.nodeKind == alias {
		return true, a.checkOwned(t, e)
	}
	if t.at.nodeKind != sequence {
		return false, a.newConflict(t.line, "%s is %s instead of a list", formatPath(e.Path), t.at).WithHint("change it manually: %s", describeEdit(e))
	}
	if i := slices.IndexFunc(t.at.items, matchItem("~"+e.Item)); i >= 0 && !e.Remove {
		return false, a.newOverrideConflict(t.at.items[i].line, "~"+e.Item, e.Path)
	}
	i := slices.IndexFunc(t.at.items, matchItem(e.Item))
	if i >= 0 != e.Remove {
		return false, nil
	}
	if err := a.checkOwned(t, e); err != nil {
		return false, err
	}
	if e.Remove {
		t.at.items = slices.DeleteFunc(t.at.items, matchItem(e.Item))
	} else {
		t.at.items = append(t.at.items, newValue(e.Item))
	}
	return true, nil
}

func matchItem(item string) func(*node) bool {
	return func(n *node) bool { return n.nodeKind == scalar && n.kind == "string" && n.text == item }
}

func (n *node) insertValue(path []string, value *node) {
	if len(path) == 0 {
		line := n.line
		*n = *value
		n.line = line
		return
	}
	n.nodeKind, n.kind, n.text = mapping, "", ""
	below := &node{}
	n.entries = append(n.entries, entry{key: path[0], value: below})
	below.insertValue(path[1:], value)
}

func describeEdit(e state.YAMLEdit) string {
	switch path := formatPath(e.Path); {
	case e.Item != "" && e.Remove:
		return fmt.Sprintf("%s without the item %q", path, sanitize(e.Item))
	case e.Item != "":
		return fmt.Sprintf("%s with the item %q", path, sanitize(e.Item))
	case e.Value == nil:
		return path + " removed"
	}
	return fmt.Sprintf("%s: %s", formatPath(e.Path), newValue(e.Value))
}

func describeTarget(e state.YAMLEdit) string {
	if e.Value == nil {
		return "removed"
	}
	return newValue(e.Value).String()
}

func describePath(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	return formatPath(path)
}

func sanitize(foreign string) string { return text.Sanitize(foreign, text.WithLimit(maxShown)) }
