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
func Migrate(name string, yaml []byte) (migrated []byte, faults []Fault) {
	d := read(name, yaml, true)
	if d.broken {
		return nil, d.faults
	}
	var missing []string
	for _, head := range []struct{ key, value, current string }{
		{"apiVersion", d.spec.APIVersion, state.APIVersion}, {"kind", d.spec.Kind, state.Kind},
	} {
		p, given := d.places[head.key]
		switch {
		case !given:
			missing = append(missing, head.key+": "+head.current)
		case known(d.faults, head.key):
			faults = append(faults, d.faults[slices.IndexFunc(d.faults, func(f Fault) bool { return f.Field == head.key })])
		case head.value != head.current:
			faults = append(faults, d.placed(Fault{Field: head.key, Problem: quote(head.value) + " is not known to this version of exoshift",
				Allowed: head.current + "; newer formats are read by newer versions"}, p))
		}
	}
	if len(missing) == 0 || len(faults) > 0 {
		return yaml, faults
	}
	migrated = onTop(yaml, missing)
	if !sameBelow(d, read(name, migrated, true), len(missing)) {
		return nil, []Fault{d.placed(Fault{Field: wholeFile, Problem: "nothing can be put on top of it", Allowed: "keys on lines of their own, below " + strings.Join(missing, " and ")}, place{1, 1})}
	}
	return migrated, nil
}

// onTop inserts lines where the document begins.
func onTop(yaml []byte, added []string) []byte {
	start := len(regexp.MustCompile(`\A(?:\x{FEFF})?(?:(?:%[^\n]*|#[^\n]*|[ \t\r]*)\n)*---[ \t]*(?:#[^\n]*)?\r?\n|\A\x{FEFF}`).Find(yaml))
	end := "\n"
	if bytes.Contains(yaml, []byte("\r\n")) {
		end = "\r\n"
	}
	return slices.Concat(yaml[:start], []byte(strings.Join(added, end)+end), yaml[start:])
}

// sameBelow tells whether a document says the same after lines were added above.
func sameBelow(before, after *document, added int) bool {
	if after.broken || len(before.faults) != len(after.faults) || len(before.places)+added != len(after.places) {
		return false
	}
	return !slices.ContainsFunc(before.fields, func(f Field) bool { return f.Get(before.spec) != f.Get(after.spec) })
}
