// Package recovery is the vocabulary of an etcd without a quorum: what the masters themselves say of their members, and what is recorded while
// etcd is recovered.
package recovery

import (
	"slices"
	"time"
)

// Host is the member of etcd on a master, as the master itself knows it.
type Host struct {
	Name    string // of the master
	Address string // "": it has no machine
	Machine string // the state of its machine; "": it has none

	Failure string // why nothing is known; "": what follows is known
	// Running: the container of the member runs.
	Running bool
	// Leader: the member follows a leader, which there is only with a quorum.
	Leader  bool
	Learner bool
	Data    bool // the disk has the member's data
	// Index is how far the member had come with the log that all members share, as its file revision.json says; 0: there is no such file.
	Index   uint64
	Release string // that the master has; "": it is not known
	// Scripts: the release has the scripts disable-etcd.sh and quorum-restore.sh.
	Scripts bool
}

// File is a file of a backup that is copied to a master.
type File struct {
	Name   string
	SHA256 string // hexadecimal
}

// IsKnown reports whether the master was asked.
func (h Host) IsKnown() bool { return h.Failure == "" }

// IsDead reports whether the master cannot have a member again as it is: it has no machine that runs, or no data.
func (h Host) IsDead() bool { return h.IsOff() || h.IsKnown() && !h.Data }

// IsOff reports whether the master has no machine that runs.
func (h Host) IsOff() bool { return h.Machine != "running" }

// State is the member's state in the words of the dashboard.
func (h Host) State() string {
	switch {
	case !h.IsKnown():
		return "unknown"
	case !h.Data:
		return "no data"
	case !h.Running:
		return "stopped"
	case h.Learner:
		return "learner"
	case h.Leader:
		return "voter"
	}
	return "no leader"
}

// Change is a recovery that was begun and has not ended.
type Change struct {
	From    string    `json:"from"`            // the master whose member remains, or to which the backup is restored
	Backup  string    `json:"backup,omitzero"` // the name of the backup that is restored; "": the member's own data stays
	Copied  bool      `json:"copied,omitzero"` // files of the backup may be on the master, recorded before they are
	Unsafe  bool      `json:"unsafe,omitzero"` // etcd's operator may roll out with fewer members than are safe, recorded before it may
	Started time.Time `json:"started"`
	// Stopped are the masters whose members were stopped, each recorded before it is.
	Stopped []string `json:"stopped,omitempty"`
	// Dead are the masters that get a new machine.
	Dead []string `json:"dead,omitempty"`
	// Gone are those of them that have no machine: it is made when it is their turn.
	Gone []string `json:"gone,omitempty"`
	// Restoring: the script was started that makes a cluster of the member, recorded before it is.
	Restoring bool `json:"restoring,omitzero"`
	Restored  bool `json:"restored,omitzero"` // the API has answered since
}

// Replaced records that a master has a new machine with a member.
func (c *Change) Replaced(name string) {
	isIt := func(other string) bool { return other == name }
	c.Dead, c.Gone = slices.DeleteFunc(slices.Clone(c.Dead), isIt), slices.DeleteFunc(slices.Clone(c.Gone), isIt)
}

// AddStopped records a master once.
func (c *Change) AddStopped(name string) {
	if !slices.Contains(c.Stopped, name) {
		c.Stopped = append(slices.Clone(c.Stopped), name)
	}
}
