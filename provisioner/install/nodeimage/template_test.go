package nodeimage

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestCheckTemplate_RefusesUnbootable(t *testing.T) {
	boot := state.BootImage{Build: "9.6.1", SHA256: "aa"}
	want := NewTemplate(state.Spec{}, boot)
	for name, c := range map[string]struct {
		spoil func(*state.Template)
		noted string
		says  string // "" for no message
	}{
		"ours":           {func(*state.Template) {}, "", ""},
		"ours, as noted": {func(found *state.Template) { found.MD5 = "m" }, "m", ""},
		"another build":  {func(found *state.Template) { found.Build = "9.4.7" }, "", "build"},
		"legacy boot":    {func(found *state.Template) { found.BootMode = "legacy" }, "", "boot mode"},
		"another user":   {func(found *state.Template) { found.DefaultUser = "ubuntu" }, "", "default user"},
		"not patched":    {func(found *state.Template) { found.Description = "RHCOS" }, "", "description"},
		"another download": {func(found *state.Template) {
			found.Description = NewTemplate(state.Spec{}, state.BootImage{SHA256: "bb"}).Description
		}, "", "description"},
		"told little of":                       {func(found *state.Template) { *found = state.Template{Name: found.Name, MD5: "m"} }, "m", ""},
		"told less of":                         {func(found *state.Template) { *found = state.Template{Name: found.Name} }, "m", ""},
		"in capitals":                          {func(found *state.Template) { found.MD5 = "M" }, "m", ""},
		"told little of, and of another image": {func(found *state.Template) { *found = state.Template{Name: found.Name, MD5: "n"} }, "m", "checksum"},
		"another image":                        {func(found *state.Template) { found.MD5 = "n" }, "m", "checksum"},
	} {
		found := want
		found.ID = "id-1"
		c.spoil(&found)
		err := CheckTemplate(found, want, state.Facts{Template: want.Name, TemplateMD5: c.noted})
		if c.says == "" && err != nil || c.says != "" && (!fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
