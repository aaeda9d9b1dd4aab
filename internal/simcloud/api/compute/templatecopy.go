package api

import (
	"slices"
	"time"
)

// copyTemplate makes the template available in another zone, too.
func (a *API) copyTemplate(c *call) (any, error) {
	t, err := a.findOwnTemplate(c)
	if err != nil {
		return nil, err
	}
	var body struct {
		Zone struct {
			Name string `json:"name"`
		} `json:"target-zone"`
	}
	if err := check(c.decode(&body), a.checkQuota("template", 1)); err != nil {
		return nil, err
	}
	if !slices.Contains(listZoneNames(), body.Zone.Name) {
		return nil, newNotFound("zone", body.Zone.Name)
	}
	return a.createTemplateFrom(body.Zone.Name, t)
}

type promotion struct {
	Name            string  `json:"name"`
	Description     string  `json:"description"`
	DefaultUser     *string `json:"default-user"`
	KeyEnabled      *bool   `json:"ssh-key-enabled"`
	PasswordEnabled *bool   `json:"password-enabled"`
}

// promoteSnapshot creates a template; its defaults are those of the instance's template.
func (a *API) promoteSnapshot(c *call) (any, error) {
	s, err := a.findIdleSnapshot(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	var body promotion
	err = check(
		c.decode(&body), checkLength("name", body.Name, 1, 255), checkLength("description", body.Description, 0, 4096),
		a.checkQuota("template", 1),
	)
	if err != nil {
		return nil, err
	}
	origin, err := a.findTemplate(s.Zone, s.Template)
	if err != nil {
		origin.Wire.KeyEnabled, origin.Wire.BootMode = true, "legacy" // deleted meanwhile
	}
	origin.Wire.Size, origin.Wire.Family, origin.Wire.URL = s.Size<<30, "", ""
	body.apply(&origin.Wire)
	return a.createTemplateFrom(s.Zone, origin)
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

func (a *API) createTemplateFrom(zone string, from template) (any, error) {
	head, err := a.newRow(zone)
	if err != nil {
		return nil, err
	}
	delay := spreadDuration(head.ID, 30*time.Second, 60*time.Second)
	t := template{row: head, Wire: from.Wire, Fetched: true, Platform: from.Platform, OSBuild: from.OSBuild, ReadyAt: head.Created.Add(delay)}
	t.Wire.ID, t.Wire.CreatedAt, t.Wire.Visibility = head.ID, head.Created.Truncate(time.Second), "private"
	if err := a.tables.templates.put(t); err != nil {
		return nil, err
	}
	return a.begin("", delay, operation{Wire: wireOperation{Reference: newReference("template", t.ID)}, Template: t.ID})
}
