package wizard

import "strings"

// ReadDraft reads answers as Export wrote them, with the origins in their comments. Answers may be missing or wrong: the
// screens show that.
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
