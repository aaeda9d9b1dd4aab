package api

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// buildPolicyInput converts a call to the variables of policies, whose names have underscores.
func (a *API) buildPolicyInput(c *call, pattern string) policyInput {
	q := policyInput{parameters: map[string]any{}, resources: map[string]any{}}
	q.service, q.operation = lookupOperation(a.operations, pattern)
	var body map[string]any
	if json.Unmarshal(c.body, &body) == nil {
		q.parameters = toSnakeCaseKeys(body).(map[string]any)
	}
	for name := range c.request.URL.Query() {
		q.parameters[toSnakeCase(name)] = c.query(name)
	}
	for _, found := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(pattern, -1) {
		q.parameters[toSnakeCase(found[1])] = c.request.PathValue(found[1])
	}
	a.addResource(q, c, strings.Split(strings.TrimPrefix(c.request.URL.Path, "/v2/"), "/")[0], c.id())
	if target, ok := body["instance"].(map[string]any); ok {
		id, _ := target["id"].(string)
		a.addResource(q, c, "instance", id)
	}
	return q
}

// addResource adds the API's representation of a resource under its noun, as "resources.elastic_ip.ip". That this holds for
// every kind is our reading.
func (a *API) addResource(q policyInput, c *call, noun, id string) {
	show, ok := a.shows[noun]
	if !ok || id == "" {
		return
	}
	request := c.request.Clone(c.request.Context())
	request.Method = http.MethodGet
	request.SetPathValue("id", id)
	shown, err := show(&call{request: request, zone: c.zone})
	if err != nil {
		return // the call itself will return the error
	}
	text, err := json.Marshal(shown)
	var thing map[string]any
	if err == nil && json.Unmarshal(text, &thing) == nil {
		q.resources[toSnakeCase(noun)] = toSnakeCaseKeys(thing)
	}
}

func toSnakeCase(name string) string { return strings.ReplaceAll(name, "-", "_") }

func toSnakeCaseKeys(value any) any {
	switch value := value.(type) {
	case map[string]any:
		renamed := make(map[string]any, len(value))
		for name, field := range value {
			renamed[toSnakeCase(name)] = toSnakeCaseKeys(field)
		}
		return renamed
	case []any:
		for i := range value {
			value[i] = toSnakeCaseKeys(value[i])
		}
	}
	return value
}
