package api

import (
	"slices"
	"time"
)

// template is a registered image. Before Fetched is set, only its operation refers to it.
type template struct {
	row
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

func (a *API) registerTemplateRoutes(register func(string, handler)) {
	register("GET /template", a.listTemplates)
	register("POST /template", a.registerTemplate)
	register("GET /template/{id}", func(c *call) (any, error) {
		t, err := a.findTemplate(c.zone, c.id())
		return t.Wire, err
	})
	register("PUT /template/{id}", a.updateTemplate)
	register("DELETE /template/{id}", a.deleteTemplate)
	register("POST /template/{id}", a.copyTemplate)
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
		id := generateStableID("template/" + zone + "/" + image.name)
		created := time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)
		list = append(list, template{
			row: row{ID: id, Zone: zone, Created: created}, Fetched: true,
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
func (a *API) isUsable(t template) bool {
	return t.Fetched && t.Failure == "" && !a.now().Before(t.ReadyAt)
}

func (a *API) findTemplate(zone, id string) (template, error) {
	public := listPublicTemplates(zone)
	if i := slices.IndexFunc(public, func(t template) bool { return t.ID == id }); i >= 0 && zone != "" {
		return public[i], nil
	}
	t, err := a.tables.templates.get(zone, id)
	if err == nil && !a.isUsable(t) {
		err = newNotFound("template", id)
	}
	return t, err
}

func (a *API) listTemplates(c *call) (any, error) {
	var all []template
	switch {
	case c.query("visibility") == "private":
		all = slices.DeleteFunc(a.tables.templates.list(c.zone), func(t template) bool { return !a.isUsable(t) })
	case c.zone != "":
		all = listPublicTemplates(c.zone)
	}
	list := []wireTemplate{}
	for _, t := range all {
		if family := c.query("family"); family == "" || family == t.Wire.Family {
			list = append(list, t.Wire)
		}
	}
	return map[string]any{"templates": list}, nil
}

func (a *API) updateTemplate(c *call) (any, error) {
	t, err := a.findOwnTemplate(c)
	if err != nil {
		return nil, err
	}
	body := struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}{t.Wire.Name, t.Wire.Description}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := check(checkLength("name", body.Name, 1, 255), checkDescription(&body.Description)); err != nil {
		return nil, err
	}
	t.Wire.Name, t.Wire.Description = body.Name, body.Description
	if err := a.tables.templates.put(t); err != nil {
		return nil, err
	}
	return a.startOperation(t.row, "template")
}

func (a *API) deleteTemplate(c *call) (any, error) {
	t, err := a.findOwnTemplate(c)
	if err != nil {
		return nil, err
	}
	if err := a.tables.templates.delete(t.ID); err != nil {
		return nil, err
	}
	return a.startOperation(t.row, "template")
}

// findOwnTemplate returns 404 for public templates.
func (a *API) findOwnTemplate(c *call) (template, error) {
	t, err := a.tables.templates.get(c.zone, c.id())
	if err == nil && !a.isUsable(t) {
		err = newNotFound("template", c.id())
	}
	return t, err
}
