package compute

import (
	"net/http"
	"slices"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// Template is an image that instances boot from.
type Template struct {
	ID          string
	Name        string
	Zone        string
	Public      bool
	BootMode    string // "legacy" or "uefi"
	DefaultUser string
	Platform    string // the value of ignition.platform.id in the image, or ""
	OSBuild     string // of CoreOS in the image, e.g. "9.6.20251212-1", or ""
}

// template is a registered image. Before Fetched is set, only its operation refers to it.
type template struct {
	resource.Row
	Wire     wireTemplate
	ReadyAt  time.Time
	Fetched  bool   // the fetch has ended, successfully or not
	Reason   string // of the failure
	Failure  string // why the registration failed, or ""
	Platform string // the value of ignition.platform.id in the image
	OSBuild  string // of CoreOS in the image, or ""
}

type wireTemplate struct {
	ID              string    `json:"id"`
	Name            string    `json:"name"`
	Description     string    `json:"description"`
	Family          string    `json:"family,omitempty"`
	Size            int64     `json:"size"` // bytes
	Build           string    `json:"build,omitempty"`
	Version         string    `json:"version,omitempty"`
	Maintainer      string    `json:"maintainer,omitempty"`
	DefaultUser     string    `json:"default-user,omitempty"`
	BootMode        string    `json:"boot-mode"`
	Checksum        string    `json:"checksum"`
	CreatedAt       time.Time `json:"created-at"`
	Visibility      string    `json:"visibility"`
	KeyEnabled      bool      `json:"ssh-key-enabled"`
	PasswordEnabled bool      `json:"password-enabled"`
	Consistent      bool      `json:"application-consistent-snapshot-enabled"`
	URL             string    `json:"url,omitempty"`
}

// Templates are the images of all zones.
type Templates struct {
	store *resource.Store
	table *resource.Table[template]
	http  *http.Client // fetches images

	// Terse: the organization's templates are returned without what few clients need.
	Terse bool
}

// registerRoutes adds the routes of templates.
func (s *Templates) registerRoutes(register rest.Register) {
	register("GET /template", s.list)
	register("POST /template", s.create)
	register("GET /template/{id}", func(req *rest.Request) (any, error) {
		t, err := s.find(req.Zone, req.ID())
		return s.view(t), err
	})
	register("PUT /template/{id}", s.update)
	register("DELETE /template/{id}", s.delete)
	register("POST /template/{id}", s.copy)
}

// listPublicTemplates returns a few of the 34 recorded templates.
func listPublicTemplates(zone string) []template {
	images := []struct{ name, family, version, user string }{
		{"Linux Ubuntu 22.04 LTS 64-bit", "ubuntu", "22.04 LTS", "ubuntu"},
		{"Linux Ubuntu 24.04 LTS 64-bit", "ubuntu", "24.04 LTS", "ubuntu"},
		{"Linux Debian 12 (Bookworm) 64-bit", "debian", "12", "debian"},
	}
	var list []template
	for _, image := range images {
		id := resource.StableID("template/" + zone + "/" + image.name)
		created := time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)
		list = append(list, template{
			Row: resource.Row{ID: id, Zone: zone, Created: created}, Fetched: true,
			Wire: wireTemplate{
				ID: id, Name: image.name, Description: image.name, Family: image.family, Size: 10 << 30, Build: "2026-07-01",
				Version: image.version, Maintainer: "Exoscale", DefaultUser: image.user, BootMode: "legacy",
				Checksum: "00000000000000000000000000000000", CreatedAt: created, Visibility: "public", KeyEnabled: true,
			},
		})
	}
	return list
}

// isUsable reports whether the registration of a template succeeded.
func (s *Templates) isUsable(t template) bool {
	return t.Fetched && t.Failure == "" && !s.store.Now().Before(t.ReadyAt)
}

func (s *Templates) find(zone, id string) (template, error) {
	public := listPublicTemplates(zone)
	if i := slices.IndexFunc(public, func(t template) bool { return t.ID == id }); i >= 0 && zone != "" {
		return public[i], nil
	}
	t, err := s.table.Get(zone, id)
	if err == nil && !s.isUsable(t) {
		err = rest.NotFound("template", id)
	}
	return t, err
}

func (s *Templates) list(req *rest.Request) (any, error) {
	var all []template
	switch {
	case req.Query("visibility") == "private":
		all = slices.DeleteFunc(s.table.List(req.Zone), func(t template) bool { return !s.isUsable(t) })
	case req.Zone != "":
		all = listPublicTemplates(req.Zone)
	}
	list := []any{}
	for _, t := range all {
		if family := req.Query("family"); family == "" || family == t.Wire.Family {
			list = append(list, s.view(t))
		}
	}
	return map[string]any{"templates": list}, nil
}

// terseTemplate is what a service that echoes little returns. What the live service returns of private templates is not recorded.
type terseTemplate struct {
	ID              string    `json:"id"`
	Name            string    `json:"name"`
	Size            int64     `json:"size"` // bytes
	Checksum        string    `json:"checksum"`
	CreatedAt       time.Time `json:"created-at"`
	Visibility      string    `json:"visibility"`
	KeyEnabled      bool      `json:"ssh-key-enabled"`
	PasswordEnabled bool      `json:"password-enabled"`
}

func (s *Templates) view(t template) any {
	w := t.Wire
	if !s.Terse || w.Visibility != "private" {
		return w
	}
	return terseTemplate{w.ID, w.Name, w.Size, w.Checksum, w.CreatedAt, w.Visibility, w.KeyEnabled, w.PasswordEnabled}
}

func (s *Templates) update(req *rest.Request) (any, error) {
	t, err := s.findOwn(req)
	if err != nil {
		return nil, err
	}
	body := struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}{t.Wire.Name, t.Wire.Description}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := rest.FirstError(rest.CheckLength("name", body.Name, 1, 255), rest.CheckDescription(&body.Description)); err != nil {
		return nil, err
	}
	t.Wire.Name, t.Wire.Description = body.Name, body.Description
	return s.table.Save(t)
}

func (s *Templates) delete(req *rest.Request) (any, error) {
	t, err := s.findOwn(req)
	if err != nil {
		return nil, err
	}
	return s.table.Remove(t)
}

// findOwn returns 404 for public templates.
func (s *Templates) findOwn(req *rest.Request) (template, error) {
	t, err := s.table.Get(req.Zone, req.ID())
	if err == nil && !s.isUsable(t) {
		err = rest.NotFound("template", req.ID())
	}
	return t, err
}

// Find returns a template of a zone that is ready to use.
func (s *Templates) Find(zone, id string) (Template, bool) {
	t, err := s.find(zone, id)
	return Template{
		ID: t.ID, Name: t.Wire.Name, Zone: t.Zone, Public: t.Wire.Visibility == "public",
		BootMode: t.Wire.BootMode, DefaultUser: t.Wire.DefaultUser, Platform: t.Platform, OSBuild: t.OSBuild,
	}, err == nil
}

// ReplaceBuilds replaces the images of CoreOS that organizations have registered by those of another build, as another
// operator's registration under the same name would, and returns their number.
func (s *Templates) ReplaceBuilds(build string) int {
	replaced := 0
	for _, t := range s.table.All() {
		if t.OSBuild == "" || t.OSBuild == build {
			continue
		}
		t.OSBuild, t.Wire.Build = build, build
		if s.table.Put(t) == nil {
			replaced++
		}
	}
	return replaced
}

// copy makes the template available in another zone, too.
func (s *Templates) copy(req *rest.Request) (any, error) {
	t, err := s.findOwn(req)
	if err != nil {
		return nil, err
	}
	var body struct {
		Zone struct {
			Name string `json:"name"`
		} `json:"target-zone"`
	}
	if err := rest.FirstError(req.Decode(&body), s.store.Quotas.Check("template", 1)); err != nil {
		return nil, err
	}
	if !slices.Contains(resource.ZoneNames(), body.Zone.Name) {
		return nil, rest.NotFound("zone", body.Zone.Name)
	}
	return s.createFrom(body.Zone.Name, t)
}

func (s *Templates) createFrom(zone string, from template) (any, error) {
	head, err := s.store.NewRow(zone)
	if err != nil {
		return nil, err
	}
	delay := resource.SpreadDuration(head.ID, 30*time.Second, 60*time.Second)
	t := template{Row: head, Wire: from.Wire, Fetched: true, Platform: from.Platform, OSBuild: from.OSBuild, ReadyAt: head.Created.Add(delay)}
	t.Wire.ID, t.Wire.CreatedAt, t.Wire.Visibility = head.ID, head.Created.Truncate(time.Second), "private"
	if err := s.table.Put(t); err != nil {
		return nil, err
	}
	return s.store.Begin("", delay, resource.Operation{Wire: resource.WireOperation{Reference: resource.NewReference("template", t.ID)}, Template: t.ID})
}
