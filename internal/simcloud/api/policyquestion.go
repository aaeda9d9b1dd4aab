package api

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// question puts a call into the words of policies. Names are spelled with underscores there.
func (a *API) question(c *call, pattern string) question {
	q := question{parameters: map[string]any{}, resources: map[string]any{}}
	q.service, q.operation = operationOf(a.operations, pattern)
	var body map[string]any
	if json.Unmarshal(c.body, &body) == nil {
		q.parameters = underscored(body).(map[string]any)
	}
	for name := range c.request.URL.Query() {
		q.parameters[underscore(name)] = c.query(name)
	}
	for _, found := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(pattern, -1) {
		q.parameters[underscore(found[1])] = c.request.PathValue(found[1])
	}
	a.addResource(q, c, strings.Split(strings.TrimPrefix(c.request.URL.Path, "/v2/"), "/")[0], c.id())
	if target, ok := body["instance"].(map[string]any); ok {
		id, _ := target["id"].(string)
		a.addResource(q, c, "instance", id)
	}
	return q
}

// addResource adds what the API shows of a thing under its noun, as "resources.elastic_ip.ip". That this holds for
// every kind of thing is our reading.
func (a *API) addResource(q question, c *call, noun, id string) {
	show, ok := a.shows[noun]
	if !ok || id == "" {
		return
	}
	request := c.request.Clone(c.request.Context())
	request.Method = http.MethodGet
	request.SetPathValue("id", id)
	shown, err := show(&call{request: request, zone: c.zone})
	if err != nil {
		return // the call itself will tell
	}
	text, err := json.Marshal(shown)
	var thing map[string]any
	if err == nil && json.Unmarshal(text, &thing) == nil {
		q.resources[underscore(noun)] = underscored(thing)
	}
}

func underscore(name string) string { return strings.ReplaceAll(name, "-", "_") }

// underscored spells all names in a JSON value with underscores.
func underscored(value any) any {
	switch value := value.(type) {
	case map[string]any:
		renamed := make(map[string]any, len(value))
		for name, field := range value {
			renamed[underscore(name)] = underscored(field)
		}
		return renamed
	case []any:
		for i := range value {
			value[i] = underscored(value[i])
		}
	}
	return value
}
