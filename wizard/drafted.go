package wizard

import "strings"

// ReadDraft reads answers as Export wrote them, with the origins that their comments tell. Anything may be missing, or
// wrong by now: that shows on the screens.
func ReadDraft(name string, yaml []byte) *Answers {
	d := read(name, yaml, true)
	answers := &Answers{Spec: d.spec, Origins: map[string]string{}}
	for _, field := range d.fields {
		p, given := d.positions[field.Key]
		if !given {
			continue
		}
		if origin := d.readOrigin(lastElement(field.Key), p.line); origin != "" && origin != ByDefault {
			answers.Origins[field.Key] = origin
		}
	}
	return answers
}

// readOrigin returns the comment beside a key whose value begins in a line: there, or in the line above.
func (d *document) readOrigin(key string, line int) string {
	for ; line > 0 && line <= len(d.lines); line-- {
		text := d.lines[line-1]
		if !strings.HasPrefix(strings.TrimSpace(text), key+":") {
			continue
		}
		at := strings.LastIndex(text, " # ")
		if at < 0 || strings.ContainsRune(text[at:], '"') { // what looks like a comment in quotes is none
			return ""
		}
		return strings.TrimSpace(text[at+len(" # "):])
	}
	return ""
}
