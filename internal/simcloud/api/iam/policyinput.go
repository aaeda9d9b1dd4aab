package iam

import (
	"encoding/json"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/api/rest"
)

// buildPolicyInput converts a call to the variables of policies, whose names have underscores.
func (a *Authorizer) buildPolicyInput(req *rest.Request, pattern string) policyInput {
	q := policyInput{parameters: map[string]any{}, resources: map[string]any{}}
	q.service, q.operation = a.operations.Lookup(pattern)
	var body map[string]any
	if json.Unmarshal(req.Content, &body) == nil {
		q.parameters = toSnakeCaseKeys(body).(map[string]any)
	}
	for name := range req.URL.Query() {
		q.parameters[toSnakeCase(name)] = req.Query(name)
	}
	for name, value := range PathParams(req, pattern) {
		q.parameters[toSnakeCase(name)] = value
	}
	a.addResource(q, req, strings.Split(strings.TrimPrefix(req.URL.Path, "/v2/"), "/")[0], req.ID())
	if target, ok := body["instance"].(map[string]any); ok {
		id, _ := target["id"].(string)
		a.addResource(q, req, "instance", id)
	}
	return q
}

// addResource adds the API's representation of a resource under its noun, as "resources.elastic_ip.ip". That this holds for
// every kind is our reading.
func (a *Authorizer) addResource(q policyInput, req *rest.Request, noun, id string) {
	show, ok := a.shows[noun]
	if !ok || id == "" {
		return
	}
	request := req.Clone(req.Context())
	request.Method = http.MethodGet
	request.SetPathValue("id", id)
	shown, err := show(&rest.Request{Request: request, Zone: req.Zone})
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
