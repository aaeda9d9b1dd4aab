package etcd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Result is how etcdctl ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Etcdctl is the program of that name in the pod of a member: member list, member remove and endpoint health, as JSON.
func (c *Members) Etcdctl(arguments []string) Result {
	var words []string
	format := ""
	for i := 0; i < len(arguments); i++ {
		switch argument := arguments[i]; {
		case argument == "-w" && i+1 < len(arguments):
			i++
			format = arguments[i]
		case argument != "--cluster":
			words = append(words, argument)
		}
	}
	if format != "json" {
		return failed(errors.New("the simulated etcdctl prints JSON only: give -w json"), 128)
	}
	switch {
	case slices.Equal(words, []string{"member", "list"}):
		return c.printMembers()
	case slices.Equal(words, []string{"endpoint", "health"}):
		return c.printHealth()
	case len(words) == 3 && words[0] == "member" && words[1] == "remove":
		if err := c.Remove(words[2]); err != nil {
			return failed(err, 1)
		}
		return c.printMembers()
	}
	return failed(fmt.Errorf("unknown command %q for \"etcdctl\"", strings.Join(words, " ")), 1)
}

func failed(err error, code int) Result { return Result{Stderr: "Error: " + err.Error(), Code: code} }

type printedMember struct {
	ID         uint64   `json:"ID"`
	Name       string   `json:"name,omitempty"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs,omitempty"`
	IsLearner  bool     `json:"isLearner,omitempty"`
}

func (m Member) clientURL() string { return "https://" + m.Address + ":" + strconv.Itoa(clientPort) }

// printMembers needs a quorum, as a list is read from the leader.
func (c *Members) printMembers() Result {
	if err := c.CheckQuorum(); err != nil {
		return failed(err, 1)
	}
	var printed struct {
		Members []printedMember `json:"members"`
	}
	for _, m := range c.List() {
		id, _ := strconv.ParseUint(m.ID, 16, 64) // which was formatted so
		one := printedMember{ID: id, PeerURLs: []string{"https://" + m.Address + ":" + strconv.Itoa(PeerPort)}, IsLearner: m.Learner}
		if m.Started {
			one.Name, one.ClientURLs = m.Name, []string{m.clientURL()}
		}
		printed.Members = append(printed.Members, one)
	}
	return encode(printed, 0, "")
}

func (c *Members) printHealth() Result {
	if err := c.CheckQuorum(); err != nil {
		return failed(err, 1)
	}
	type health struct {
		Endpoint string `json:"endpoint"`
		Health   bool   `json:"health"`
		Took     string `json:"took"`
		Error    string `json:"error,omitempty"`
	}
	printed, code, said := []health{}, 0, ""
	for _, m := range c.List() {
		if !m.Started {
			continue
		}
		one := health{Endpoint: m.clientURL(), Health: c.IsAlive(m.Name), Took: "9.1ms"}
		if !one.Health {
			one.Took, one.Error, code, said = "5.0s", "context deadline exceeded", 1, "Error: unhealthy cluster"
		}
		printed = append(printed, one)
	}
	return encode(printed, code, said)
}

func encode(printed any, code int, said string) Result {
	content, err := json.Marshal(printed)
	if err != nil {
		return failed(err, 1)
	}
	return Result{Stdout: string(content) + "\n", Stderr: said, Code: code}
}

// Reasons of etcd for which a member is not removed.
var (
	errMemberNotFound = errors.New("etcdserver: member not found")
	errNotStarted     = errors.New("etcdserver: re-configuration failed due to not enough started members")
	errUnhealthy      = errors.New("etcdserver: unhealthy cluster")
)

// Remove removes a member by its ID, unless the quorum of those that run would be lost by that: etcd itself refuses it (mayRemoveMember of
// its server, with --strict-reconfig-check, which is its default).
func (c *Members) Remove(id string) error {
	if err := c.CheckQuorum(); err != nil {
		return err
	}
	members := c.List()
	at := slices.IndexFunc(members, func(m Member) bool { return m.ID == id })
	if at < 0 {
		return errMemberNotFound
	}
	if gone := members[at]; !gone.Learner {
		left, started, running := 0, 0, 0
		for _, m := range members {
			if m.Learner || m.ID == id {
				continue
			}
			left++
			if m.Started {
				started++
			}
			if c.IsAlive(m.Name) {
				running++
			}
		}
		switch {
		case started < left/2+1:
			return errNotStarted
		case c.IsAlive(gone.Name) && running < left/2+1:
			return errUnhealthy
		}
	}
	return c.Delete(members[at].Name)
}
