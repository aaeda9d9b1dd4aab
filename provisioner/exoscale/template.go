package exoscale

import (
	"context"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// FindPublicTemplate returns the newest public template of that name.
func (c *Client) FindPublicTemplate(ctx context.Context, name string) (state.Template, error) {
	return c.findTemplate(ctx, name, "public")
}

// FindTemplate returns our own newest template of that name, or fault.NotFound. Several are no conflict: a
// registration whose answer was lost may end after it was begun anew, and both hold the same image.
func (c *Client) FindTemplate(ctx context.Context, name string) (state.Template, error) {
	return c.findTemplate(ctx, name, "private")
}

func (c *Client) findTemplate(ctx context.Context, name, visibility string) (state.Template, error) {
	all, err := call(ctx, c, "list "+visibility+" templates", func(ctx context.Context) ([]*v2.Template, error) {
		return c.api.ListTemplates(ctx, c.zone, v2.ListTemplatesWithVisibility(visibility))
	})
	if err != nil {
		return state.Template{}, err
	}
	found := choose(all, func(template *v2.Template) bool { return value(template.Name) == name })
	if len(found) == 0 {
		return state.Template{}, fault.Newf(fault.NotFound, "find template "+name, "zone %s has no %s template of that name", c.zone, visibility).
			WithHint("`exo compute instance-template list --visibility %s` shows what it has", visibility)
	}
	newest := slices.MaxFunc(found, func(a, b *v2.Template) int { return value(a.CreatedAt).Compare(value(b.CreatedAt)) })
	return template(newest), nil
}

// RegisterTemplate registers a template and waits until it is usable, which takes minutes and can take an hour:
// Exoscale fetches the image meanwhile.
func (c *Client) RegisterTemplate(ctx context.Context, wanted state.Template) (state.Template, error) {
	var made *v2.Template
	err := c.change(ctx, state.Created, kindTemplate, wanted.Name, func(ctx context.Context) (id string, err error) {
		if made, err = c.api.RegisterTemplate(ctx, c.zone, wireTemplate(wanted)); err != nil {
			return "", err
		}
		return value(made.ID), nil
	})
	if err != nil {
		return wanted, err
	}
	registered := template(made)
	wanted.ID, wanted.SizeGiB = registered.ID, registered.SizeGiB
	return wanted, nil
}

func wireTemplate(wanted state.Template) *v2.Template {
	return &v2.Template{
		Name:            &wanted.Name,
		Description:     optional(wanted.Description),
		URL:             &wanted.URL,
		Checksum:        &wanted.MD5,
		BootMode:        optional(wanted.BootMode),
		DefaultUser:     optional(wanted.DefaultUser),
		Build:           optional(wanted.Build),
		PasswordEnabled: new(false),
		SSHKeyEnabled:   new(true),
	}
}

func template(live *v2.Template) state.Template {
	return state.Template{
		Name:        value(live.Name),
		Description: value(live.Description),
		URL:         value(live.URL),
		MD5:         value(live.Checksum),
		BootMode:    value(live.BootMode),
		DefaultUser: value(live.DefaultUser),
		Build:       value(live.Build),
		ID:          value(live.ID),
		SizeGiB:     int((value(live.Size) + 1<<30 - 1) >> 30),
	}
}
