package conformance

import (
	"maps"
	"net/http"
)

// The media types of bodies.
const (
	objectType    = "application/json"
	mergeType     = "application/merge-patch+json"
	strategicType = "application/strategic-merge-patch+json"
	jsonPatchType = "application/json-patch+json"
	protobufType  = "application/vnd.kubernetes.protobuf"
)

func get(path string) Step { return Step{As: Admin, Method: http.MethodGet, Path: path} }

func create(path, body string) Step {
	return Step{As: Admin, Method: http.MethodPost, Path: path, Type: objectType, Body: body}
}

func replace(path, body string) Step {
	return Step{As: Admin, Method: http.MethodPut, Path: path, Type: objectType, Body: body}
}

func merge(path, body string) Step {
	return Step{As: Admin, Method: http.MethodPatch, Path: path, Type: mergeType, Body: body}
}

func remove(path string) Step { return Step{As: Admin, Method: http.MethodDelete, Path: path} }

// as lets somebody else ask.
func (s Step) as(who string) Step {
	s.As = who
	return s
}

// show says what of the answer is written down.
func (s Step) show(paths ...string) Step {
	s.Shown = paths
	return s
}

// keep keeps a part of the answer under a name.
func (s Step) keep(name, path string) Step {
	s.Kept = maps.Clone(s.Kept)
	if s.Kept == nil {
		s.Kept = map[string]string{}
	}
	s.Kept[name] = path
	return s
}

// of gives the body another type.
func (s Step) of(media string) Step {
	s.Type = media
	return s
}

// accepting asks for the answer in another type than JSON.
func (s Step) accepting(media string) Step {
	s.Accept = media
	return s
}

// await repeats the request until the answer has a code.
func (s Step) await(code int) Step {
	s.Await = code
	return s
}

// vague says why the wording of the refusal does not matter.
func (s Step) vague(why string) Step {
	s.Vague = why
	return s
}
