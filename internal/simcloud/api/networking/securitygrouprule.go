package networking

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/api/rest"
)

type wireRule struct {
	ID          string     `json:"id"`
	Description string     `json:"description,omitempty"`
	Direction   string     `json:"flow-direction"`
	Protocol    string     `json:"protocol"`
	StartPort   int64      `json:"start-port,omitempty"`
	EndPort     int64      `json:"end-port,omitempty"`
	ICMP        *wireICMP  `json:"icmp,omitempty"`
	Network     string     `json:"network,omitempty"`
	Group       *wirePeers `json:"security-group,omitempty"`
}

type wireICMP struct {
	Code *int64 `json:"code,omitempty"`
	Type *int64 `json:"type,omitempty"`
}

// wirePeers is the group whose members a rule matches.
type wirePeers struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Visibility string `json:"visibility,omitempty"`
}

func (s *SecurityGroups) addRule(req *rest.Request) (any, error) {
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	var rule wireRule
	if err := req.Decode(&rule); err != nil {
		return nil, err
	}
	if err := rest.FirstError(checkRule(rule), checkPorts(rule), s.checkPeer(&rule)); err != nil {
		return nil, err
	}
	rule.ID = uuid.NewString()
	group.Wire.Rules = append(slices.Clone(group.Wire.Rules), rule)
	return s.table.Save(group) // the operation's reference is the group, not the rule
}

func checkRule(rule wireRule) error {
	return rest.FirstError(
		rest.CheckOneOf("flow-direction", rule.Direction, "ingress", "egress"),
		rest.CheckOneOf("protocol", rule.Protocol, "tcp", "udp", "icmp", "icmpv6", "esp", "ah", "gre", "ipip"),
		rest.CheckLength("description", rule.Description, 0, 255),
	)
}

func checkPorts(rule wireRule) error {
	switch {
	case rule.Protocol == "tcp" || rule.Protocol == "udp":
		if rule.EndPort < rule.StartPort {
			return rest.Invalidf("end-port must not be below start-port")
		}
		return rest.FirstError(rest.CheckRange("start-port", rule.StartPort, 1, 65535), rest.CheckRange("end-port", rule.EndPort, 1, 65535))
	case strings.HasPrefix(rule.Protocol, "icmp") && rule.ICMP != nil:
		return rest.FirstError(checkICMP("icmp.code", rule.ICMP.Code), checkICMP("icmp.type", rule.ICMP.Type))
	}
	return nil
}

func checkICMP(field string, value *int64) error {
	if value == nil {
		return nil
	}
	return rest.CheckRange(field, *value, -1, 254)
}

// checkPeer requires exactly one peer, and completes a group's name or ID.
func (s *SecurityGroups) checkPeer(rule *wireRule) error {
	if (rule.Network == "") == (rule.Group == nil) {
		return rest.Invalidf("a rule needs either network or security-group")
	}
	if rule.Group == nil {
		if _, err := netip.ParsePrefix(rule.Network); err != nil {
			return rest.Invalidf("network: %v", err)
		}
		return nil
	}
	if rule.Group.Visibility == "public" {
		return completePublic(rule.Group)
	}
	group, err := s.table.Get("", rule.Group.ID)
	rule.Group = &wirePeers{ID: group.ID, Name: group.Wire.Name}
	return err
}

func completePublic(peers *wirePeers) error {
	for _, public := range listPublicGroups() {
		if public.Name == peers.Name {
			peers.ID = public.ID
			return nil
		}
	}
	return rest.NotFound("security-group", peers.Name)
}

func (s *SecurityGroups) deleteRule(req *rest.Request) (any, error) {
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	id := req.PathValue("rule")
	kept := slices.DeleteFunc(slices.Clone(group.Wire.Rules), func(r wireRule) bool { return r.ID == id })
	if len(kept) == len(group.Wire.Rules) {
		return nil, rest.NotFound("security-group-rule", id)
	}
	group.Wire.Rules = kept
	return s.table.Save(group)
}

// RemoveRules removes the ingress rules that cover port from all groups whose names end with groupSuffix, as another operator
// would, and returns their number.
func (s *SecurityGroups) RemoveRules(groupSuffix string, port int) int {
	removed := 0
	for _, group := range s.table.All() {
		if !strings.HasSuffix(group.Wire.Name, groupSuffix) {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(group.Wire.Rules), func(r wireRule) bool {
			return r.Direction == "ingress" && int64(port) >= r.StartPort && int64(port) <= r.EndPort
		})
		gone := len(group.Wire.Rules) - len(kept)
		group.Wire.Rules = kept
		if gone > 0 && s.table.Put(group) == nil {
			removed += gone
		}
	}
	return removed
}
