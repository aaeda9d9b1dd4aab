package api

import (
	"net/http"
	"time"
)

type snapshot struct {
	row
	transition
	Name       string
	Size       int64 // GiB
	Instance   string
	Template   string // the instance's template
	Consistent bool
}

type wireSnapshot struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created-at"`
	State      string     `json:"state"`
	Size       int64      `json:"size"`
	Instance   ref        `json:"instance"`
	Export     wireExport `json:"export"` // the exo program requires it, even empty
	Consistent bool       `json:"application-consistent"`
}

type wireExport struct {
	URL string `json:"presigned-url,omitempty"`
	MD5 string `json:"md5sum,omitempty"`
}

const (
	ready     = "ready"
	exporting = "exporting"
	exported  = "exported"
)

func (a *API) registerSnapshotRoutes(register func(string, handler)) {
	register("GET /snapshot", a.listSnapshots)
	register("GET /snapshot/{id}", func(c *call) (any, error) {
		s, err := a.tables.snapshots.get(c.zone, c.id())
		return s.view(), err
	})
	register("DELETE /snapshot/{id}", a.deleteSnapshot)
	register("POST /snapshot/{id}/:export", a.exportSnapshot)
	register("POST /snapshot/{id}/:promote", a.promoteSnapshot)
}

// view contains the URL of an exported image, which nothing serves in the simulation.
func (s snapshot) view() wireSnapshot {
	view := wireSnapshot{
		ID: s.ID, Name: s.Name, CreatedAt: s.Created.Truncate(time.Second), State: s.State, Size: s.Size,
		Instance: ref{s.Instance}, Consistent: s.Consistent,
	}
	if s.State == exported {
		view.Export.URL = "https://sos-" + s.Zone + ".exo.io/exported-snapshots/" + s.ID + ".qcow2"
		view.Export.MD5 = "00000000000000000000000000000000"
	}
	return view
}

func (a *API) listSnapshots(c *call) (any, error) {
	list := []wireSnapshot{}
	for _, s := range a.tables.snapshots.list(c.zone) {
		list = append(list, s.view())
	}
	return map[string]any{"snapshots": list}, nil
}

func (a *API) findSnapshots(instance string) []ref {
	list := []ref{}
	for _, s := range a.tables.snapshots.listAll() {
		if s.Instance == instance {
			list = append(list, ref{s.ID})
		}
	}
	return list
}

func (a *API) createSnapshot(c *call) (any, error) {
	i, err := a.tables.instances.get(c.zone, c.id())
	if err == nil && i.State == destroying {
		err = newAPIError(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	}
	if err := check(err, a.checkQuota("snapshot", 1)); err != nil {
		return nil, err
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	return a.startSnapshotTransition(snapshot{
		row: head, Name: i.Name + "_" + head.Created.Format("20060102150405"), Size: i.DiskSize, Instance: i.ID,
		Template: i.Template, Consistent: i.Consistent,
	}, snapshotting, ready)
}

func (a *API) startSnapshotTransition(s snapshot, by, to string) (any, error) {
	delay := computeDuration(s.ID)
	a.setTransition(a.tables.snapshots.noun, s.row, &s.transition, by, to, delay)
	if err := a.tables.snapshots.put(s); err != nil {
		return nil, err
	}
	return a.begin(s.Zone, delay, operation{Wire: wireOperation{Reference: newReference("snapshot", s.ID)}})
}

// findIdleSnapshot refuses a snapshot with a pending change.
func (a *API) findIdleSnapshot(zone, id string) (snapshot, error) {
	s, err := a.tables.snapshots.get(zone, id)
	if err == nil && s.Next != "" {
		err = newAPIError(http.StatusConflict, "Snapshot %s is %s", s.Name, s.State)
	}
	return s, err
}

func (a *API) deleteSnapshot(c *call) (any, error) {
	s, err := a.findIdleSnapshot(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	return a.startSnapshotTransition(s, deleting, destroyed)
}

func (a *API) exportSnapshot(c *call) (any, error) {
	s, err := a.findIdleSnapshot(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	return a.startSnapshotTransition(s, exporting, exported)
}

// revertToSnapshot restores an instance's disk: in the simulation only its size changes.
func (a *API) revertToSnapshot(c *call) (any, error) {
	i, err := a.requireState(c, stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	var body ref
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	s, err := a.findIdleSnapshot(c.zone, body.ID)
	if err != nil {
		return nil, err
	}
	if s.Instance != i.ID {
		return nil, newInvalidError("Snapshot %s is not one of instance %s", s.Name, i.Name)
	}
	i.DiskSize = s.Size
	return a.putInstance(i)
}
