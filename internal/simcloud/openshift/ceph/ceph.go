// Package ceph is Rook with Ceph in a simulated cluster: its operator, its daemons, and the data that they keep. Whatever is purged,
// or whose disk is destroyed, before others have a copy of it is lost.
package ceph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

// Names of what Project Syn's component installs.
const (
	OperatorNamespace = "syn-rook-ceph-operator"
	Namespace         = "syn-rook-ceph-cluster"
	ClusterResource   = "cephclusters.ceph.rook.io"
	clusterName       = "cluster"
	operatorApp       = "rook-ceph-operator"
	osdApp            = "rook-ceph-osd"
	monApp            = "rook-ceph-mon"
	toolsApp          = "rook-ceph-tools"
	osdLabel          = "ceph-osd-id"
	claimLabel        = "ceph.rook.io/pvc"
	storageLabel      = "node-role.kubernetes.io/storage"
	deviceClass       = "localblock"
)

const (
	groupCount = 32 // placement groups of the one pool
	poolSize   = 3  // copies, each on a host of its own
	minSize    = 2  // copies without which a group serves nothing
	// groupObjects is how many objects a group counts as, beside those that were written by name.
	groupObjects = 100
	// downOutInterval is after how long Ceph takes a silent OSD out.
	downOutInterval = 10 * time.Minute
)

// storage is what the daemons keep, and what they know of each other.
type storage struct {
	Updated time.Time
	OSDs    []*osd   // by ID
	Groups  []*group // by ID
	Objects map[string]object
	Flags   []string
	Config  map[string]string // by section and option, as "osd osd_max_backfills"
	// Fault is when the fault of a scenario began; zero: it has not.
	Fault time.Time

	mapped    map[int][]int // of mapGroup, by group
	mappedFor string        // the weights that it was made with
}

// osd is a daemon with its disk.
type osd struct {
	ID      int
	Host    string
	NodeUID string
	Volume  string // the persistent volume, which is its disk
	Claim   string
	MiB     int
	Weight  float64 // in the CRUSH map
	In      bool
	// TakenOut: Ceph itself took it out, which ends when it is back.
	TakenOut  bool
	Up        bool
	DownSince time.Time
}

// group is a placement group.
type group struct {
	ID      int
	MiB     int
	Version int         // of the last write
	Copies  map[int]int // the version that an OSD has, by its ID
	// Moving is for how many seconds a copy has been made, by the OSD that gets it.
	Moving map[int]float64
}

// object is something that a client was told is stored.
type object struct{ Group, Version int }

const recordName = "ceph"

// change loads what is stored, brings it up to date, and stores what f made of it.
func change(c *cluster.Cluster, f func(*storage) error) error {
	c.Storage.Lock()
	defer c.Storage.Unlock()
	record, _ := c.StateRecords.Get(recordName)
	s := &storage{}
	if record.State != "" {
		if err := json.Unmarshal([]byte(record.State), s); err != nil {
			return fmt.Errorf("ceph: %w", err)
		}
	}
	recovery{s}.advance(c)
	failure := f(s)
	content, err := json.Marshal(s)
	if err != nil || string(content) == record.State {
		return cmp.Or(failure, err)
	}
	err = c.StateRecords.Put(recordName, cluster.StateRecord{What: recordName, State: string(content), Since: c.Clock.Now()})
	return cmp.Or(failure, err)
}

// format makes the groups of a new cluster, which hold a part of what one disk has room for.
func (s *storage) format(diskMiB int) {
	const usedPart = 3 // of ten
	s.Objects, s.Config = map[string]object{}, map[string]string{}
	for id := range groupCount {
		s.Groups = append(s.Groups, &group{ID: id, MiB: diskMiB * usedPart / 10 / groupCount, Copies: map[int]int{}, Moving: map[int]float64{}})
	}
}

func (s *storage) find(id int) *osd {
	for _, one := range s.OSDs {
		if one.ID == id {
			return one
		}
	}
	return nil
}

// add makes an OSD of a disk, with the lowest ID that is free.
func (s *storage) add(made osd) *osd {
	for s.find(made.ID) != nil {
		made.ID++
	}
	s.OSDs = append(s.OSDs, &made)
	stable.Sort(s.OSDs, func(a, b *osd) int { return a.ID - b.ID })
	return &made
}

// purge removes an OSD with all that it has.
func (s *storage) purge(id int) {
	s.OSDs = slices.DeleteFunc(s.OSDs, func(o *osd) bool { return o.ID == id })
	s.erase(id)
}

// erase is what becomes of a disk that is destroyed.
func (s *storage) erase(id int) {
	for _, g := range s.Groups {
		delete(g.Copies, id)
		delete(g.Moving, id)
	}
}

func (s *storage) usedMiB(id int) (used int) {
	for _, g := range s.Groups {
		if _, has := g.Copies[id]; has {
			used += g.MiB
		}
	}
	return used
}

// listCurrent returns the OSDs that serve the newest version of a group.
func (s *storage) listCurrent(g *group) (ids []int) {
	for _, id := range slices.Sorted(maps.Keys(g.Copies)) {
		if one := s.find(id); one != nil && one.Up && g.Copies[id] == g.Version {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *storage) hasFlag(name string) bool { return slices.Contains(s.Flags, name) }

// isHeld reports whether the flags keep a group from being copied. Without norecover, lost copies are made again.
func (s *storage) isHeld(g *group) bool {
	whole := len(s.listCurrent(g)) >= poolSize
	return s.hasFlag("norecover") || s.hasFlag("nobackfill") || whole && s.hasFlag("norebalance")
}

func (s *storage) isTooFull(g *group, to *osd) bool {
	return float64(s.usedMiB(to.ID)+g.MiB) > backfillfullRatio*float64(to.MiB)
}
