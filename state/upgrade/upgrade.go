// Package upgrade is the vocabulary of updates to another release of OpenShift: what a cluster reports about them, and what is recorded
// while one goes on.
package upgrade

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is what a cluster reports about its release and its updates.
type Status struct {
	Version   string    // that it has, or is being updated to
	Wanted    string    // that somebody wants; "": nothing but Version
	By        string    // who wrote that last, by the name of their program; "": it is not known
	Partial   bool      // Version is not applied as a whole yet
	Begun     time.Time // when Version was begun; zero: it is not known
	From      string    // what the cluster had before Version; "": nothing
	Channel   string
	Channels  []string  // that have Version
	Observed  bool      // what follows is about Channel
	Updates   []Release // newest first
	Retrieved bool      // the list of updates was retrieved
	Failure   string    // why it was not
	Blocked   string    // why there can be no update to another minor version; "": there can
	Refused   string    // why Wanted is not begun
	Failing   bool
	Message   string // of the update that goes on
	Gates     []Gate
	Removed   []RemovedAPI
	Operators []Operator // sorted by name
	Pools     []Pool     // sorted by name
	Nodes     []Node     // sorted by name
}

// Release is a release that a cluster can be updated to.
type Release struct {
	Version     string
	URL         string // of its notes
	Recommended bool
	Risks       []Risk // why it is not recommended
}

// Update is a release that a cluster can be updated to, in short.
type Update struct {
	Version     string `json:"version"`
	Recommended bool   `json:"recommended"`
}

// Risk is why an update is not recommended.
type Risk struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	URL     string `json:"url"`
}

// Gate is a decision that OpenShift asks an administrator for before an update to another minor version.
type Gate struct {
	Key          string `json:"key"`
	Text         string `json:"text"`
	Acknowledged bool   `json:"acknowledged"`
}

// RemovedAPI is an API that clients use, and that a later release does not have.
type RemovedAPI struct {
	Resource string   `json:"resource"`
	Release  string   `json:"release"` // of Kubernetes, such as 1.34
	Requests int      `json:"requests"`
	Users    []string `json:"users"`
}

// Operator is a cluster operator.
type Operator struct {
	Name                string
	Version             string
	Available, Degraded bool
	Message             string
	Since               time.Time // of the condition that the message is of, by the cluster's clock
}

// Pool is a machine config pool.
type Pool struct {
	Name                     string
	Machines, Updated, Ready int
	Degraded, Paused         bool
	Message                  string // why it is degraded
}

// IsUpdated reports whether every machine of the pool has its configuration, and is in use.
func (p Pool) IsUpdated() bool {
	return !p.Degraded && p.Updated == p.Machines && p.Ready == p.Machines
}

// Node is a node whose configuration is being changed.
type Node struct {
	Name   string
	Ready  bool
	State  string // of its machine config daemon: Working or Degraded
	Reason string
}

// FindRelease returns nil if the cluster cannot be updated to that release.
func (s Status) FindRelease(version string) *Release {
	at := slices.IndexFunc(s.Updates, func(r Release) bool { return r.Version == version })
	if at < 0 {
		return nil
	}
	return &s.Updates[at]
}

// FindPool returns nil if there is no such pool.
func (s Status) FindPool(name string) *Pool {
	at := slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &s.Pools[at]
}

// ListMissing returns the gates of the cluster's minor version that nobody has acknowledged.
func (s Status) ListMissing() []Gate {
	prefix := "ack-" + FormatMinor(s.Version) + "-"
	return slices.DeleteFunc(slices.Clone(s.Gates), func(g Gate) bool { return g.Acknowledged || !strings.HasPrefix(g.Key, prefix) })
}

// CountUpdated returns how many operators have the release.
func (s Status) CountUpdated(version string) int {
	count := 0
	for _, operator := range s.Operators {
		if operator.Version == version {
			count++
		}
	}
	return count
}

// Change is an update that was begun and has not ended. What it sets in the cluster is recorded before it is set.
type Change struct {
	From      string    `json:"from"`
	To        string    `json:"to"`
	Begun     time.Time `json:"begun"`
	Requested bool      `json:"requested,omitzero"` // the ClusterVersion may have it; until then the pauses are ended if it is given up
	Canary    string    `json:"canary,omitzero"`    // the pool that is updated first
	Paused    []string  `json:"paused,omitempty"`   // pools that the update has paused
}

// IsRelease reports whether a text has the form of a release: X.Y.Z or X.Y.Z-PRE.
func IsRelease(text string) bool {
	number, pre, isPre := strings.Cut(text, "-")
	parts := strings.Split(number, ".")
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 16); err != nil {
			return false
		}
	}
	return len(parts) == 3 && isPre == (pre != "")
}

// DescribeUpdates returns the releases that the cluster can be updated to in one sentence's part.
func (s Status) DescribeUpdates() string {
	if len(s.Updates) == 0 {
		if !s.Retrieved {
			return "the cluster has no list of updates"
		}
		return "the channel " + s.Channel + " has no update from " + s.Version
	}
	var names []string
	for _, release := range s.Updates {
		name := release.Version
		if !release.Recommended {
			name += " (not recommended)"
		}
		names = append(names, name)
	}
	return "the channel " + s.Channel + " has " + strings.Join(names, ", ")
}

// Compare orders releases of the form X.Y.Z or X.Y.Z-PRE: -1 if a is older than b. Forms that are not known come first.
func Compare(a, b string) int {
	left, right := parse(a), parse(b)
	return slices.Compare(left, right)
}

// parse returns major, minor, patch, and 1 for a release that is no candidate, with the number of the candidate behind it.
func parse(version string) []int {
	number, candidate, isCandidate := strings.Cut(version, "-")
	parts := make([]int, 0, 5)
	for part := range strings.SplitSeq(number, ".") {
		value, _ := strconv.Atoi(part)
		parts = append(parts, value)
	}
	if !isCandidate {
		return append(parts, 1)
	}
	last, _ := strconv.Atoi(candidate[strings.LastIndex(candidate, ".")+1:])
	return append(parts, 0, last)
}

// FormatMinor returns X.Y of X.Y.Z.
func FormatMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// CountMinors returns how many minor versions b is after a; negative: before. ok is false if their major versions differ, or a form is not
// known.
func CountMinors(a, b string) (count int, ok bool) {
	left, right := parse(a), parse(b)
	if len(left) < 4 || len(right) < 4 || left[0] != right[0] {
		return 0, false
	}
	return right[1] - left[1], true
}
