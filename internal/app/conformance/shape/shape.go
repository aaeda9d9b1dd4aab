// Package shape compares what two recordings have of the same calls: statuses, and the fields of answers with their types.
package shape

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/app/conformance/har"
)

// Difference is one in which the simulation is not like the recording.
type Difference struct {
	Call string `json:"call"` // method and path, with {id} for whatever names one object
	Text string `json:"text"` // what differs, one sentence for humans
}

// shape is what the answers to one call look like.
type shape struct {
	statuses map[int]bool
	kinds    map[string]bool
	answers  int               // of success
	fields   map[string]*field // by their path, e.g. instances[].id
}

type field struct{ types map[string]bool }

// Compare returns how the simulated answers differ from the recorded ones, ordered by their calls.
func Compare(recorded, simulated har.Archive) (differences []Difference) {
	there, here := collect(recorded), collect(simulated)
	for _, call := range slices.Sorted(maps.Keys(there)) {
		other, asked := here[call]
		if !asked {
			differences = append(differences, Difference{call, "is in the recording, but was not requested from the simulated zone"})
			continue
		}
		for _, text := range there[call].compare(other) {
			differences = append(differences, Difference{call, text})
		}
	}
	return differences
}

func (s *shape) compare(simulated *shape) (texts []string) {
	for _, status := range slices.Sorted(maps.Keys(s.statuses)) {
		if !simulated.statuses[status] {
			texts = append(texts, fmt.Sprintf("is answered with %d %s, by the simulation with %s", status, http.StatusText(status), joinStatuses(simulated.statuses)))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		if !simulated.kinds[kind] {
			texts = append(texts, fmt.Sprintf("is answered as %s, by the simulation as %s", kind, strings.Join(slices.Sorted(maps.Keys(simulated.kinds)), ", ")))
		}
	}
	if s.answers == 0 || simulated.answers == 0 {
		return texts
	}
	for _, path := range slices.Sorted(maps.Keys(s.fields)) {
		texts = append(texts, compareField(path, s.fields[path], simulated.fields[path])...)
	}
	for _, path := range slices.Sorted(maps.Keys(simulated.fields)) {
		if s.fields[path] == nil && s.hasParent(path) {
			texts = append(texts, fmt.Sprintf("has no field %s, the simulation has", path))
		}
	}
	return texts
}

// hasParent reports whether the object is there that a field would be in: of an empty list nothing is known.
func (s *shape) hasParent(path string) bool {
	at := strings.LastIndexByte(path, '.')
	return !strings.HasSuffix(path, "[]") && (at < 0 || s.fields[path[:at]] != nil)
}

func compareField(path string, recorded, simulated *field) []string {
	if simulated == nil {
		return []string{fmt.Sprintf("has the field %s (%s), the simulation has not", path, joinTypes(recorded.types))}
	}
	for kind := range recorded.types {
		if !simulated.types[kind] {
			return []string{fmt.Sprintf("has %s as %s, the simulation as %s", path, joinTypes(recorded.types), joinTypes(simulated.types))}
		}
	}
	return nil
}

func joinTypes(types map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(types)), " or ")
}

func joinStatuses(statuses map[int]bool) string {
	var words []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		words = append(words, fmt.Sprint(status))
	}
	return strings.Join(words, ", ")
}

func collect(archive har.Archive) map[string]*shape {
	shapes := map[string]*shape{}
	for _, e := range archive.Log.Entries {
		call := describeCall(e.Request)
		if e.Response.Status == 0 || call == "" || isGoneAlready(e) {
			continue // no answer has no shape
		}
		s := shapes[call]
		if s == nil {
			s = &shape{map[int]bool{}, map[string]bool{}, 0, map[string]*field{}}
			shapes[call] = s
		}
		s.add(e.Response)
	}
	return shapes
}

// isGoneAlready reports whether two deletions of the same thing met, which is a matter of order.
func isGoneAlready(e har.Entry) bool {
	return e.Request.Method == http.MethodDelete && e.Response.Status == http.StatusNotFound
}

func (s *shape) add(response har.Response) {
	s.statuses[response.Status] = true
	if response.Status >= http.StatusMultipleChoices {
		return
	}
	s.answers++
	text := response.Content.Text
	if kind, _, err := mime.ParseMediaType(response.Content.MimeType); err == nil && text != "" {
		s.kinds[kind] = true
	}
	paths := map[string]string{}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		listJSON("", value, paths)
	} else {
		listXML(text, paths)
	}
	for path, kind := range paths {
		if s.fields[path] == nil {
			s.fields[path] = &field{map[string]bool{}}
		}
		s.fields[path].types[kind] = true
	}
}

// listJSON adds the types of all fields. Labels and the services of a policy are maps: their keys are no fields.
func listJSON(path string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		add(path, "object", into)
		if strings.HasSuffix(path, "labels") || strings.HasSuffix(path, "services") {
			return
		}
		for name, member := range v {
			listJSON(strings.TrimPrefix(path+"."+name, "."), member, into)
		}
	case []any:
		add(path, "list", into)
		for _, element := range v {
			listJSON(path+"[]", element, into)
		}
	case string:
		add(path, "text", into)
	case float64:
		add(path, "number", into)
	case bool:
		add(path, "true or false", into)
	default:
		add(path, "null", into)
	}
}

func add(path, kind string, into map[string]string) {
	if path != "" {
		into[path] = kind
	}
}

var element = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9]*)[ />]`)

func listXML(text string, into map[string]string) {
	for _, found := range element.FindAllStringSubmatch(text, -1) {
		into["<"+found[1]+">"] = "element"
	}
}

var (
	uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	run  = regexp.MustCompile(`exoshift-conformance-[0-9a-f]{14}`)
	zone = regexp.MustCompile(`^(api|sos)-[a-z0-9-]+\.`)
	key  = regexp.MustCompile(`/(api-key)/[^/]+`)
)

// describeCall returns "" for what is asked of machines.
func describeCall(request har.Request) string {
	address, err := url.Parse(request.URL)
	if err != nil {
		return ""
	}
	if _, err := netip.ParseAddr(address.Hostname()); err == nil {
		return ""
	}
	path := run.ReplaceAllString(uuid.ReplaceAllString(address.Path, "{id}"), "{run}")
	path = key.ReplaceAllString(path, "/$1/{id}")
	var names []string
	for name := range address.Query() {
		if !strings.HasPrefix(strings.ToLower(name), "x-amz-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		path += "?" + strings.Join(names, "&")
	}
	return request.Method + " " + zone.ReplaceAllString(address.Hostname(), "$1.") + path
}
