package exoscale

import (
	"cmp"
	"context"
	"slices"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Templates are the images that instances are made of.
type Templates struct {
	api *api.Client
}

const (
	publicTemplates  = "public"
	privateTemplates = "private"
)

// FindPublicTemplate returns the newest public template of that name.
func (c *Templates) FindPublicTemplate(ctx context.Context, name string) (state.Template, error) {
	found, err := c.ListTemplates(ctx, name, publicTemplates)
	switch {
	case err != nil:
		return state.Template{}, err
	case len(found) == 0:
		return state.Template{}, c.newTemplateNotFound(name, publicTemplates)
	}
	return found[0], nil
}

// FindTemplate returns the organization's own template of that name, or fault.NotFound. Clusters share templates, and two
// clusters that are installed at the same time may register the same image twice: of several with one checksum it always returns
// the oldest. Several with different checksums are a fault.Conflict.
func (c *Templates) FindTemplate(ctx context.Context, name string) (state.Template, error) {
	found, err := c.ListTemplates(ctx, name, privateTemplates)
	switch {
	case err != nil:
		return state.Template{}, err
	case len(found) == 0:
		return state.Template{}, c.newTemplateNotFound(name, privateTemplates)
	case slices.ContainsFunc(found, func(t state.Template) bool { return !strings.EqualFold(t.MD5, found[0].MD5) }):
		return state.Template{}, newTemplateConflict(name, found)
	}
	oldest := found[len(found)-1]
	_, err = c.api.RecordAdoption(kindTemplate, name, oldest.ID)
	return oldest, err
}

func newTemplateConflict(name string, found []state.Template) error {
	all := make([]*state.Template, len(found))
	for i := range found {
		all[i] = &found[i]
	}
	return api.NewAmbiguousError(api.Object[state.Template]{
		Kind: kindTemplate, Name: name, ID: func(t *state.Template) string { return t.ID + " with checksum " + t.MD5 },
	}, all)
}

func (c *Templates) newTemplateNotFound(name, visibility string) error {
	return fault.Newf(fault.NotFound, "find template "+name, "zone %s has no such %s template", c.api.Zone, visibility).
		WithHint("`exo compute instance-template list --visibility %s` shows what it has", visibility)
}

// ListTemplates returns all templates of that name, the newest first. The visibility is public or private.
func (c *Templates) ListTemplates(ctx context.Context, name, visibility string) ([]state.Template, error) {
	all, err := api.Call(ctx, c.api, "list "+visibility+" templates", func(ctx context.Context) ([]*v2.Template, error) {
		return c.api.V2.ListTemplates(ctx, c.api.Zone, v2.ListTemplatesWithVisibility(visibility))
	})
	if err != nil {
		return nil, err
	}
	found := filterMatching(all, func(template *v2.Template) bool { return deref(template.Name) == name })
	stable.Sort(found, func(a, b *v2.Template) int { // times have a resolution of seconds
		return cmp.Or(deref(b.CreatedAt).Compare(deref(a.CreatedAt)), strings.Compare(deref(b.ID), deref(a.ID)))
	})
	templates := make([]state.Template, len(found))
	for i, one := range found {
		templates[i] = fromV2Template(one)
	}
	return templates, nil
}

// RegisterTemplate registers a template and waits until it is usable, which takes minutes and can take an hour: Exoscale
// downloads the image. A registration that an earlier run began continues without that run; it is waited for instead of being
// started again.
func (c *Templates) RegisterTemplate(ctx context.Context, wanted state.Template) (state.Template, error) {
	var registered state.Template
	err := api.Repeat(ctx, c.api, "register template "+wanted.Name, func(ctx context.Context) (err error) {
		registered, err = c.waitEarlierTemplate(ctx, wanted.Name)
		if err == nil && registered.ID == "" {
			registered, err = c.registerTemplate(ctx, wanted)
		}
		return err
	})
	wanted.ID, wanted.SizeGiB = registered.ID, registered.SizeGiB
	return wanted, err
}

func (c *Templates) registerTemplate(ctx context.Context, wanted state.Template) (registered state.Template, err error) {
	err = c.api.ApplyChange(ctx, state.Created, kindTemplate, wanted.Name, func(ctx context.Context) (string, error) {
		made, err := c.api.V2.RegisterTemplate(ctx, c.api.Zone, toV2Template(wanted))
		if err != nil {
			return "", err
		}
		registered = fromV2Template(made)
		return registered.ID, nil
	})
	return registered, err
}

func toV2Template(wanted state.Template) *v2.Template {
	return &v2.Template{
		Name:            &wanted.Name,
		Description:     omitEmpty(wanted.Description),
		URL:             &wanted.URL,
		Checksum:        &wanted.MD5,
		BootMode:        omitEmpty(wanted.BootMode),
		DefaultUser:     omitEmpty(wanted.DefaultUser),
		Build:           omitEmpty(wanted.Build),
		PasswordEnabled: new(false),
		SSHKeyEnabled:   new(true),
	}
}

func fromV2Template(live *v2.Template) state.Template {
	return state.Template{
		Name:        deref(live.Name),
		Description: deref(live.Description),
		URL:         deref(live.URL),
		MD5:         deref(live.Checksum),
		BootMode:    deref(live.BootMode),
		DefaultUser: deref(live.DefaultUser),
		Build:       deref(live.Build),
		ID:          deref(live.ID),
		SizeGiB:     int((deref(live.Size) + 1<<30 - 1) >> 30),
	}
}
