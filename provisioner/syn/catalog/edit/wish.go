package edit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"exoshift/internal/fault"
	"exoshift/state"
)

const mostShown = 200 // bytes

// trail is the way to a place: how far it exists, and what on it is shared with other places.
type trail struct {
	at     *node // the last value that exists
	rest   []string
	line   int
	shared string
}

// wish changes the model as the edit wants; changed: it differed. What an edit may not touch is a conflict.
func (d *document) wish(root *node, e state.YAMLEdit) (changed bool, err error) {
	if len(e.Path) == 0 || slices.Contains(e.Path, "") {
		return false, fault.Newf(fault.Internal, "change "+d.file, "an edit names no key")
	}
	way, err := d.walk(root, e.Path)
	if err != nil {
		return false, err
	}
	if e.Item != "" {
		return d.wishItem(way, e)
	}
	return d.wishValue(root, way, e)
}

// walk goes along a path as far as there is something.
func (d *document) walk(root *node, path []string) (trail, error) {
	t := trail{at: root, rest: path, line: root.line}
	for i, key := range path {
		t.share()
		at := d.behind(root, t.at)
		switch {
		case at.sort == null:
			return t, nil
		case at.sort != mapping:
			return t, d.conflict(t.line, "%s is %s, and should be a map of keys", named(path[:i]), at).
				WithHint("change that line by hand, so that %s can be set below it", dotted(path))
		}
		for _, other := range []string{"~" + key, "=" + key, "? " + key} {
			if i, found := at.find(other); found {
				return t, d.override(at.entries[i].line, other, path)
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
	t.share()
	return t, nil
}

func (d *document) override(line int, key string, path []string) error {
	return d.conflict(line, "%q says already what the key should be, instead of what others say", shown(key)).
		WithHint("decide by hand which of both holds: that line, or %s", dotted(path))
}

// share notes that others use the value, too.
func (t *trail) share() {
	switch {
	case t.shared != "":
	case t.at.sort == alias:
		t.shared = fmt.Sprintf("line %d is *%s, which stands for a value elsewhere", t.line, shown(t.at.text))
	case t.at.anchor != "":
		t.shared = fmt.Sprintf("line %d is &%s, which others may use", t.line, shown(t.at.anchor))
	case t.at.tag != "":
		t.shared = fmt.Sprintf("line %d has the tag %s", t.line, shown(t.at.tag))
	}
}

// behind follows an alias, a few times at most.
func (d *document) behind(root, n *node) *node {
	for range 5 {
		if n.sort != alias {
			break
		}
		if n = root.defining(n.text); n == nil {
			return &node{}
		}
	}
	return n
}

// defining finds the value with an anchor.
func (n *node) defining(anchor string) *node {
	if n.anchor == anchor {
		return n
	}
	for _, each := range n.entries {
		if found := each.value.defining(anchor); found != nil {
			return found
		}
	}
	for _, each := range n.items {
		if found := each.defining(anchor); found != nil {
			return found
		}
	}
	return nil
}

// owned fails if a place that has to change is shared with others.
func (d *document) owned(t trail, e state.YAMLEdit) error {
	shared := t.shared
	if name := t.at.anchored(); shared == "" && len(t.rest) == 0 && name != "" {
		shared = fmt.Sprintf("below line %d is &%s, which others may use", t.line, shown(name))
	}
	if shared == "" {
		return nil
	}
	return d.conflict(t.line, "%s is written in a way that changes other places, too: %s", dotted(e.Path), shared).
		WithHint("change it by hand: %s", purpose(e))
}

func (d *document) wishValue(root *node, t trail, e state.YAMLEdit) (bool, error) {
	if len(t.rest) > 0 {
		if e.Value == nil {
			return false, nil
		}
		if err := d.owned(t, e); err != nil {
			return false, err
		}
		t.at.grow(t.rest, made(e.Value))
		return true, nil
	}
	is := d.behind(root, t.at)
	if e.Value != nil && same(is, made(e.Value)) {
		return false, nil
	}
	if is.sort != null && e.Over != nil && !slices.ContainsFunc(e.Over, func(v any) bool { return same(is, made(v)) }) {
		return false, d.foreign(t.line, is, e)
	}
	if err := d.owned(t, e); err != nil {
		return false, err
	}
	parent := root.at(e.Path[:len(e.Path)-1])
	i, _ := parent.find(e.Path[len(e.Path)-1])
	if e.Value == nil {
		parent.entries = slices.Delete(parent.entries, i, i+1)
	} else {
		parent.entries[i].value = made(e.Value)
	}
	return true, nil
}

// foreign refuses to write over what somebody else wrote.
func (d *document) foreign(line int, is *node, e state.YAMLEdit) error {
	if e.Otherwise != "" {
		return d.conflict(line, "%s is %s, which somebody else wrote", dotted(e.Path), is).WithHint("%s", e.Otherwise)
	}
	return d.conflict(line, "%s is %s, which somebody else wrote, and should be %s", dotted(e.Path), is, target(e)).
		WithHint("find out which of both is right; then correct that line by hand: %s", purpose(e))
}

// same compares what two values say, without their anchors and tags. The order of a map's keys does not count.
func same(a, b *node) bool {
	if a.sort != b.sort || a.kind != b.kind || a.text != b.text || len(a.entries) != len(b.entries) {
		return false
	}
	for _, each := range a.entries {
		i, found := b.find(each.key)
		if !found || !same(each.value, b.entries[i].value) {
			return false
		}
	}
	return slices.EqualFunc(a.items, b.items, same)
}

func (d *document) wishItem(t trail, e state.YAMLEdit) (bool, error) {
	if len(t.rest) > 0 || t.at.sort == null {
		if e.Remove {
			return false, nil
		}
		if err := d.owned(t, e); err != nil {
			return false, err
		}
		t.at.grow(t.rest, made([]string{e.Item}))
		return true, nil
	}
	if t.at.sort == alias {
		return true, d.owned(t, e)
	}
	if t.at.sort != sequence {
		return false, d.conflict(t.line, "%s is %s, and should be a list", dotted(e.Path), t.at).WithHint("change it by hand: %s", purpose(e))
	}
	if i := slices.IndexFunc(t.at.items, is("~"+e.Item)); i >= 0 && !e.Remove {
		return false, d.override(t.at.items[i].line, "~"+e.Item, e.Path)
	}
	i := slices.IndexFunc(t.at.items, is(e.Item))
	if i >= 0 != e.Remove {
		return false, nil
	}
	if err := d.owned(t, e); err != nil {
		return false, err
	}
	if e.Remove {
		t.at.items = slices.DeleteFunc(t.at.items, is(e.Item))
	} else {
		t.at.items = append(t.at.items, made(e.Item))
	}
	return true, nil
}

func is(item string) func(*node) bool {
	return func(n *node) bool { return n.sort == scalar && n.kind == "string" && n.text == item }
}

// grow puts a value below one that is a map or nothing yet.
func (n *node) grow(path []string, value *node) {
	if len(path) == 0 {
		line := n.line
		*n = *value
		n.line = line
		return
	}
	n.sort, n.kind, n.text = mapping, "", ""
	below := &node{}
	n.entries = append(n.entries, entry{key: path[0], value: below})
	below.grow(path[1:], value)
}

// purpose says what an edit is for.
func purpose(e state.YAMLEdit) string {
	switch path := dotted(e.Path); {
	case e.Item != "" && e.Remove:
		return fmt.Sprintf("%s without the item %q", path, shown(e.Item))
	case e.Item != "":
		return fmt.Sprintf("%s with the item %q", path, shown(e.Item))
	case e.Value == nil:
		return path + " taken away"
	}
	return fmt.Sprintf("%s: %s", dotted(e.Path), made(e.Value))
}

func target(e state.YAMLEdit) string {
	if e.Value == nil {
		return "taken away"
	}
	return made(e.Value).String()
}

func named(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	return dotted(path)
}

// shown bounds a text of somebody else, and takes away what could move a cursor.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return text
}
