package etcd

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// Conditions of etcds.operator.openshift.io/cluster, as the cluster-etcd-operator sets them.
const (
	membersAvailable       = "EtcdMembersAvailable"
	RunningInCluster       = "EtcdRunningInCluster"
	BootstrapMemberRemoved = "EtcdBootstrapMemberRemoved"
)

const (
	voter      = "voter"
	learner    = "learner"
	unhealthy  = "unhealthy"
	notStarted = "not started"
)

// maxMembers limits the parsed counts: etcd itself advises against more than seven members.
const maxMembers = 32

var availablePattern = regexp.MustCompile(`^(?:(\d{1,4}) of )?(\d{1,4}) members? (?:are|is) available(?:,(.*))?$`)

// membership is parsed from the message of EtcdMembersAvailable. total includes the bootstrap member.
type membership struct {
	available, total int
	unavailable      []unavailableMember
}

type unavailableMember struct{ name, state string }

// parseMembership parses "N members are available" and "X of Y members are available, NAME has not started, NAME is unhealthy".
// It returns false for anything else.
func parseMembership(message string) (membership, bool) {
	match := availablePattern.FindStringSubmatch(strings.TrimSpace(message))
	if match == nil {
		return membership{}, false
	}
	total, _ := strconv.Atoi(match[2])
	available, _ := strconv.Atoi(cmp.Or(match[1], match[2]))
	if total > maxMembers || available > total {
		return membership{}, false
	}
	return membership{available: available, total: total, unavailable: parseUnavailable(match[3])}, true
}

func parseUnavailable(text string) []unavailableMember {
	var faults []unavailableMember
	for clause := range strings.SplitSeq(text, ",") {
		clause = strings.TrimSpace(clause)
		if name, found := strings.CutSuffix(clause, " has not started"); found {
			faults = append(faults, unavailableMember{name, notStarted})
		} else if name, found := strings.CutSuffix(clause, " is unhealthy"); found {
			faults = append(faults, unavailableMember{name, unhealthy})
		}
	}
	return faults
}
