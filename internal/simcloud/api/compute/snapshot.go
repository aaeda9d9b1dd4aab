package compute

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type snapshot struct {
	resource.Row
	resource.Transition
	Name       string
	Size       int64 // GiB
	Instance   string
	Template   string // the instance's template
	Consistent bool
}

type wireSnapshot struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	CreatedAt  time.Time    `json:"created-at"`
	State      string       `json:"state"`
	Size       int64        `json:"size"`
	Instance   resource.Ref `json:"instance"`
	Export     wireExport   `json:"export"` // the exo program requires it, even empty
	Consistent bool         `json:"application-consistent"`
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

// Snapshots are the snapshots of instances in all zones.
type Snapshots struct {
	store     *resource.Store
	tables    *instance.Tables
	templates *Templates
	table     *resource.StatefulTable[snapshot, *snapshot]

	// Link returns a signed link to an exported image; nil: there is no object storage.
	Link func(name string) string
}

// registerRoutes adds the routes of snapshots.
func (s *Snapshots) registerRoutes(register rest.Register) {
	register("GET /snapshot", s.list)
	register("GET /snapshot/{id}", func(req *rest.Request) (any, error) {
		snap, err := s.table.Get(req.Zone, req.ID())
		return s.view(snap), err
	})
	register("DELETE /snapshot/{id}", s.delete)
	register("POST /snapshot/{id}/:export", s.export)
	register("POST /snapshot/{id}/:promote", s.promote)
	register("POST /instance/{id}/:create-snapshot", s.create)
	register("POST /instance/{id}/:revert-snapshot", s.revert)
}

// view signs a new link to an exported image each time. How long the live service's is valid is not known.
func (s *Snapshots) view(snap snapshot) wireSnapshot {
	view := wireSnapshot{
		ID: snap.ID, Name: snap.Name, CreatedAt: snap.Created.Truncate(time.Second), State: snap.State, Size: snap.Size,
		Instance: resource.Ref{ID: snap.Instance}, Consistent: snap.Consistent,
	}
	if snap.State == exported && s.Link != nil {
		view.Export.URL, view.Export.MD5 = s.Link(snap.imageName()), snap.checksum()
	}
	return view
}

func (s *Snapshots) list(req *rest.Request) (any, error) {
	list := []wireSnapshot{}
	for _, snap := range s.table.List(req.Zone) {
		list = append(list, s.view(snap))
	}
	return map[string]any{"snapshots": list}, nil
}

func (s *Snapshots) ofInstance(id string) []resource.Ref {
	list := []resource.Ref{}
	for _, snap := range s.table.All() {
		if snap.Instance == id {
			list = append(list, resource.Ref{ID: snap.ID})
		}
	}
	return list
}

func (s *Snapshots) create(req *rest.Request) (any, error) {
	i, err := s.tables.Instances.Get(req.Zone, req.ID())
	if err == nil && i.State == resource.Destroying {
		err = rest.Errorf(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	}
	if err := rest.FirstError(err, s.store.Quotas.Check("snapshot", 1)); err != nil {
		return nil, err
	}
	head, err := s.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	snap := snapshot{
		Row: head, Name: i.Name + "_" + head.Created.Format("20060102150405"), Size: i.DiskSize, Instance: i.ID,
		Template: i.Template, Consistent: i.Consistent,
	}
	return s.table.Start(snap, resource.Snapshotting, ready, resource.Duration(snap.ID))
}

// findIdle refuses a snapshot with a pending change.
func (s *Snapshots) findIdle(zone, id string) (snapshot, error) {
	snap, err := s.table.Get(zone, id)
	if err == nil && snap.Next != "" {
		err = rest.Errorf(http.StatusConflict, "Snapshot %s is %s", snap.Name, snap.State)
	}
	return snap, err
}

func (s *Snapshots) delete(req *rest.Request) (any, error) {
	snap, err := s.findIdle(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	return s.table.Start(snap, resource.Deleting, resource.Destroyed, resource.Duration(snap.ID))
}

func (s *Snapshots) export(req *rest.Request) (any, error) {
	snap, err := s.findIdle(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	return s.table.Start(snap, exporting, exported, resource.Duration(snap.ID))
}

// revert restores an instance's disk: in the simulation only its size changes.
func (s *Snapshots) revert(req *rest.Request) (any, error) {
	i, err := s.tables.FindInState(req, resource.Stopped, "The instance needs to be stopped.")
	if err != nil {
		return nil, err
	}
	var body resource.Ref
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	snap, err := s.findIdle(req.Zone, body.ID)
	if err != nil {
		return nil, err
	}
	if snap.Instance != i.ID {
		return nil, rest.Invalidf("Snapshot %s is not one of instance %s", snap.Name, i.Name)
	}
	i.DiskSize = snap.Size
	return s.tables.Instances.Save(i)
}

type promotion struct {
	Name            string  `json:"name"`
	Description     string  `json:"description"`
	DefaultUser     *string `json:"default-user"`
	KeyEnabled      *bool   `json:"ssh-key-enabled"`
	PasswordEnabled *bool   `json:"password-enabled"`
}

// promote creates a template; its defaults are those of the instance's template.
func (s *Snapshots) promote(req *rest.Request) (any, error) {
	snap, err := s.findIdle(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	var body promotion
	err = rest.FirstError(
		req.Decode(&body), rest.CheckLength("name", body.Name, 1, 255), rest.CheckLength("description", body.Description, 0, 4096),
		s.store.Quotas.Check("template", 1),
	)
	if err != nil {
		return nil, err
	}
	origin, err := s.templates.find(snap.Zone, snap.Template)
	if err != nil {
		origin.Wire.KeyEnabled, origin.Wire.BootMode = true, "legacy" // deleted meanwhile
	}
	origin.Wire.Size, origin.Wire.Family, origin.Wire.URL = snap.Size<<30, "", ""
	body.apply(&origin.Wire)
	return s.templates.createFrom(snap.Zone, origin)
}

func (p promotion) apply(t *wireTemplate) {
	t.Name, t.Description = p.Name, p.Description
	if p.DefaultUser != nil {
		t.DefaultUser = *p.DefaultUser
	}
	if p.KeyEnabled != nil {
		t.KeyEnabled = *p.KeyEnabled
	}
	if p.PasswordEnabled != nil {
		t.PasswordEnabled = *p.PasswordEnabled
	}
}
