// Package iam is identity and access management of the Exoscale API of a simulated zone: roles, API keys, policies, and whether a
// request is signed and allowed.
package iam

import (
	"encoding/json"

	"exoshift/internal/simcloud/api/iam/cel"
	"exoshift/internal/simcloud/api/rest"
)

// policy is a compiled IAM policy.
type policy struct {
	strategy string
	services map[string]servicePolicy
}

type servicePolicy struct {
	kind  string // "allow", "deny" or "rules"
	rules []policyRule
}

type policyRule struct {
	action  string
	decides *cel.Program
}

// policyInput holds the variables of policy expressions.
type policyInput struct {
	service, operation string
	parameters         map[string]any
	resources          map[string]any
}

// isAllowed applies the first rule whose expression is true; without one, the operation is denied. A rule that cannot be
// evaluated, for example because the operation lacks a parameter, is not true: rules in use rely on that.
func (p *policy) isAllowed(q policyInput) bool {
	service, ok := p.services[q.service]
	if !ok {
		return p.strategy == "allow"
	}
	if service.kind != "rules" {
		return service.kind == "allow"
	}
	given := map[string]any{
		"operation": q.operation, "parameters": q.parameters, "resources": q.resources, "resource": q.resources,
	}
	for _, rule := range service.rules {
		if result, err := rule.decides.Evaluate(given); err == nil && result == true {
			return rule.action == "allow"
		}
	}
	return false
}

func (p *policy) hasRules() bool {
	for _, service := range p.services {
		if service.kind == "rules" {
			return true
		}
	}
	return false
}

// policies caches compiled policies by their text.
type policies struct{ compiled map[string]*policy }

type wirePolicy struct {
	Strategy string                 `json:"default-service-strategy"`
	Services map[string]wireService `json:"services"`
}

type wireService struct {
	Type  string           `json:"type"`
	Rules []wirePolicyRule `json:"rules"`
}

type wirePolicyRule struct {
	Action     string `json:"action"`
	Expression string `json:"expression"`
}

func (p *policies) compile(text json.RawMessage) (*policy, error) {
	if known, ok := p.compiled[string(text)]; ok {
		return known, nil
	}
	var wire wirePolicy
	if err := json.Unmarshal(text, &wire); err != nil {
		return nil, rest.Invalidf("policy: %v", err)
	}
	if wire.Services == nil {
		return nil, rest.Invalidf("policy: services is required")
	}
	made := &policy{strategy: wire.Strategy, services: map[string]servicePolicy{}}
	err := rest.CheckOneOf("default-service-strategy", wire.Strategy, "allow", "deny")
	for name, service := range wire.Services {
		var fault error
		made.services[name], fault = compileService(name, service)
		err = rest.FirstError(err, fault)
	}
	if err != nil {
		return nil, err
	}
	if p.compiled == nil {
		p.compiled = map[string]*policy{}
	}
	p.compiled[string(text)] = made
	return made, nil
}

func compileService(name string, wire wireService) (servicePolicy, error) {
	service := servicePolicy{kind: wire.Type}
	if err := rest.CheckOneOf("policy: type of service "+name, wire.Type, "allow", "deny", "rules"); err != nil {
		return service, err
	}
	for _, rule := range wire.Rules {
		if err := rest.CheckOneOf("policy: action of a rule of "+name, rule.Action, "allow", "deny"); err != nil {
			return service, err
		}
		program, err := compileExpression(rule.Expression)
		if err != nil {
			return service, rest.Invalidf("policy: expression of a rule of %s: %v", name, err)
		}
		service.rules = append(service.rules, policyRule{action: rule.Action, decides: program})
	}
	return service, nil
}

func compileExpression(expression string) (*cel.Program, error) {
	return cel.Compile(expression, cel.Variables{
		"operation": cel.String, "parameters": cel.Object, "resources": cel.Object, "resource": cel.Object,
	})
}
