package wizard

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
)

// Migrate returns an answers file in the current format; a current one stays as it is, byte for byte. There is no older
// format: what is put on top is what says which format it is. Other faults are not its business.
func Migrate(name string, yaml []byte) (migrated []byte, faults []Problem) {
	d := read(name, yaml, true)
	if d.unparsable {
		return nil, d.problems
	}
	var missing []string
	for _, head := range []struct{ key, value, current string }{
		{"apiVersion", d.spec.APIVersion, state.APIVersion}, {"kind", d.spec.Kind, state.Kind},
	} {
		p, given := d.positions[head.key]
		switch {
		case !given:
			missing = append(missing, head.key+": "+head.current)
		case hasProblem(d.problems, head.key):
			faults = append(faults, d.problems[slices.IndexFunc(d.problems, func(f Problem) bool { return f.Field == head.key })])
		case head.value != head.current:
			faults = append(faults, d.withPosition(Problem{Field: head.key, Message: quote(head.value) + " is not known to this version of exoshift",
				Allowed: head.current + "; newer formats are read by newer versions"}, p))
		}
	}
	if len(missing) == 0 || len(faults) > 0 {
		return yaml, faults
	}
	migrated = insertOnTop(yaml, missing)
	if !isSameBelow(d, read(name, migrated, true), len(missing)) {
		return nil, []Problem{d.withPosition(Problem{Field: wholeFile, Message: "nothing can be put on top of it", Allowed: "keys on lines of their own, below " + strings.Join(missing, " and ")}, position{1, 1})}
	}
	return migrated, nil
}

// insertOnTop inserts lines where the document begins.
func insertOnTop(yaml []byte, added []string) []byte {
	start := len(regexp.MustCompile(`\A(?:\x{FEFF})?(?:(?:%[^\n]*|#[^\n]*|[ \t\r]*)\n)*---[ \t]*(?:#[^\n]*)?\r?\n|\A\x{FEFF}`).Find(yaml))
	end := "\n"
	if bytes.Contains(yaml, []byte("\r\n")) {
		end = "\r\n"
	}
	return slices.Concat(yaml[:start], []byte(strings.Join(added, end)+end), yaml[start:])
}

// isSameBelow tells whether a document says the same after lines were added above.
func isSameBelow(before, after *document, added int) bool {
	if after.unparsable || len(before.problems) != len(after.problems) || len(before.positions)+added != len(after.positions) {
		return false
	}
	return !slices.ContainsFunc(before.fields, func(f Field) bool { return f.Get(before.spec) != f.Get(after.spec) })
}
