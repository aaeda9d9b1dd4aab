package cel

import "maps"

// kind is a static type without its parameters.
type kind string

const (
	dynKind       kind = "dyn"
	nullKind      kind = "null_type"
	boolKind      kind = "bool"
	intKind       kind = "int"
	uintKind      kind = "uint"
	doubleKind    kind = "double"
	stringKind    kind = "string"
	bytesKind     kind = "bytes"
	timestampKind kind = "google.protobuf.Timestamp"
	durationKind  kind = "google.protobuf.Duration"
	listKind      kind = "list"
	mapKind       kind = "map"
	typeKind      kind = "type"
	parameterKind kind = "parameter"
)

// staticType is what is known of a value before evaluation.
type staticType struct {
	kind   kind
	number int // of a parameter
	args   []staticType
}

func listOf(item staticType) staticType { return staticType{kind: listKind, args: []staticType{item}} }

func mapOf(key, value staticType) staticType {
	return staticType{kind: mapKind, args: []staticType{key, value}}
}

func (t staticType) equals(other staticType) bool {
	if t.kind != other.kind || t.number != other.number || len(t.args) != len(other.args) {
		return false
	}
	for i := range t.args {
		if !t.args[i].equals(other.args[i]) {
			return false
		}
	}
	return true
}

// isLessSpecific reports whether a type is another one, or has dyn where that is more specific.
func (t staticType) isLessSpecific(other staticType) bool {
	switch {
	case t.kind == dynKind || t.kind == parameterKind:
		return true
	case other.kind == dynKind || other.kind == parameterKind || t.kind != other.kind:
		return false
	case t.kind == listKind || t.kind == mapKind:
		for i := range t.args {
			if !t.args[i].isLessSpecific(other.args[i]) {
				return false
			}
		}
	}
	return true
}

func mostGeneral(a, b staticType) staticType {
	if a.isLessSpecific(b) {
		return a
	}
	return b
}

// substitutions are the types that parameters stand for.
type substitutions map[int]staticType

func (s substitutions) find(t staticType) (staticType, bool) {
	if t.kind != parameterKind {
		return t, false
	}
	found, ok := s[t.number]
	return found, ok
}

// resolve replaces the parameters that are known.
func (s substitutions) resolve(t staticType) staticType {
	if found, ok := s.find(t); ok {
		return s.resolve(found)
	}
	if len(t.args) == 0 {
		return t
	}
	resolved := staticType{kind: t.kind}
	for _, arg := range t.args {
		resolved.args = append(resolved.args, s.resolve(arg))
	}
	return resolved
}

// unify reports whether values of each type can be used as the other, and notes what parameters stand for then.
func (s *substitutions) unify(from, to []staticType) bool {
	tried := maps.Clone(*s)
	if !tried.assignAll(from, to) {
		return false
	}
	*s = tried
	return true
}

func (s substitutions) assignAll(from, to []staticType) bool {
	if len(from) != len(to) {
		return false
	}
	for i := range from {
		if !s.assign(from[i], to[i]) {
			return false
		}
	}
	return true
}

func (s substitutions) assign(from, to staticType) bool {
	if to.kind == parameterKind {
		ok, known := s.substitute(to, from)
		if ok || known {
			return ok
		}
	}
	if from.kind == parameterKind {
		ok, _ := s.substitute(from, to)
		return ok
	}
	switch {
	case from.kind == dynKind || to.kind == dynKind:
		return true
	case from.kind == nullKind || to.kind == nullKind:
		return isNullable(from.kind) && isNullable(to.kind)
	case from.kind != to.kind:
		return false
	}
	return from.kind == typeKind || s.assignAll(from.args, to.args)
}

func isNullable(k kind) bool { return k == nullKind || k == timestampKind || k == durationKind }

// substitute lets a parameter stand for a type, or for the more general one of that and what it stands for already.
func (s substitutions) substitute(parameter, by staticType) (ok, known bool) {
	if parameter.equals(by) {
		return true, true
	}
	current, known := s.find(parameter)
	switch {
	case !known && s.occurs(parameter, by):
		return false, false
	case !known:
		s[parameter.number] = by
		return true, false
	case by.equals(current):
		return true, true
	case !s.assign(by, current):
		return false, true
	}
	if general := mostGeneral(by, current); !s.occurs(parameter, general) {
		s[parameter.number] = general
	}
	return true, true
}

func (s substitutions) occurs(parameter, within staticType) bool {
	if parameter.equals(within) {
		return true
	}
	if found, ok := s.find(within); ok {
		return s.occurs(parameter, found)
	}
	for _, arg := range within.args {
		if s.occurs(parameter, arg) {
			return true
		}
	}
	return false
}
