package exoscale

import (
	"fmt"
	"net/netip"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

const ingress = "ingress"

type ruleValue struct {
	protocol           string
	from, to, icmpType int
	cidr, group        string // group is an id
}

func findMissingRules(wanted []state.Rule, live *v2.SecurityGroup, ids map[string]string) ([]state.Rule, error) {
	has := map[ruleValue]bool{}
	for _, rule := range live.Rules {
		if deref(rule.FlowDirection) == ingress {
			has[newLiveValue(rule)] = true
		}
	}
	var rules []state.Rule
	for _, rule := range wanted {
		wants, err := newWantedValue(rule, ids)
		if err != nil {
			return nil, err
		}
		if !has[wants] {
			has[wants] = true
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

func newLiveValue(rule *v2.SecurityGroupRule) ruleValue {
	v := ruleValue{
		protocol: deref(rule.Protocol),
		from:     int(deref(rule.StartPort)),
		to:       int(deref(rule.EndPort)),
		icmpType: int(deref(rule.ICMPType)),
		group:    deref(rule.SecurityGroupID),
	}
	if rule.Network != nil {
		v.cidr = rule.Network.String()
	}
	return v
}

func newWantedValue(rule state.Rule, ids map[string]string) (ruleValue, error) {
	v := ruleValue{protocol: rule.Protocol, from: rule.From, to: rule.To}
	if rule.Protocol == "icmp" {
		v = ruleValue{protocol: rule.Protocol, icmpType: rule.ICMPType}
	}
	if rule.Group != "" {
		if v.group = ids[rule.Group]; v.group == "" {
			v.group = "no group " + rule.Group // equal to no live rule
		}
		return v, nil
	}
	prefix, err := netip.ParsePrefix(rule.CIDR)
	if err != nil {
		return v, fault.New(fault.Invalid, "read the rule "+describeRule(rule), err)
	}
	v.cidr = prefix.Masked().String()
	return v, nil
}

type ruleRequest struct {
	Description   string         `json:"description,omitempty"`
	FlowDirection string         `json:"flow-direction"`
	Protocol      string         `json:"protocol"`
	StartPort     int            `json:"start-port,omitempty"`
	EndPort       int            `json:"end-port,omitempty"`
	ICMP          *icmpRequest   `json:"icmp,omitempty"`
	Network       string         `json:"network,omitempty"`
	SecurityGroup *api.Reference `json:"security-group,omitempty"`
}

type icmpRequest struct {
	Code int `json:"code"`
	Type int `json:"type"`
}

// newRuleRequest expects a CIDR that newWantedValue has accepted.
func newRuleRequest(rule state.Rule, ids map[string]string) ruleRequest {
	request := ruleRequest{Description: rule.Description, FlowDirection: ingress, Protocol: rule.Protocol}
	if rule.Protocol == "icmp" {
		request.ICMP = &icmpRequest{Type: rule.ICMPType}
	} else {
		request.StartPort, request.EndPort = rule.From, rule.To
	}
	if rule.Group != "" {
		request.SecurityGroup = &api.Reference{ID: ids[rule.Group]}
	} else if prefix, err := netip.ParsePrefix(rule.CIDR); err == nil {
		request.Network = prefix.Masked().String()
	}
	return request
}

func describeRule(rule state.Rule) string {
	if rule.Protocol == "icmp" {
		return fmt.Sprintf("icmp %d from %s", rule.ICMPType, rule.CIDR+rule.Group)
	}
	return fmt.Sprintf("%s %d-%d from %s", rule.Protocol, rule.From, rule.To, rule.CIDR+rule.Group)
}
