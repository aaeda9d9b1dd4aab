package install

import (
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// The description names the patched file: the image of a template may be gone.
func (i *Installation) newTemplate(boot state.BootImage) state.Template {
	return state.Template{
		Name:        i.formatTemplateName(boot.Build),
		Description: fmt.Sprintf("OpenShift node image, ignition.platform.id=exoscale, made of sha256:%s", boot.SHA256),
		Build:       boot.Build, BootMode: "uefi", DefaultUser: "core",
	}
}

// The builds of RHCOS and SCOS have the same numbering.
func (i *Installation) formatTemplateName(build string) string {
	if i.spec.OpenShift.Distribution == "okd" {
		return "scos-" + build
	}
	return "rhcos-" + build
}

func (i *Installation) findRecordedMD5(name string) string {
	facts := i.Facts()
	if facts.Template != name {
		return ""
	}
	return facts.TemplateMD5
}

// checkTemplate refuses a template of the right name that nodes could not boot from: of another build, not patched, or of
// another image than the one that this folder registered with the MD5 noted ("" if it was found).
func checkTemplate(found, want state.Template, noted string) error {
	var wrong []string
	differ := func(what, has, wants string) {
		if has != wants {
			wrong = append(wrong, fmt.Sprintf("its %s is %q and not %q", what, has, wants))
		}
	}
	differ("build", found.Build, want.Build)
	differ("boot mode", found.BootMode, want.BootMode)
	differ("default user", found.DefaultUser, want.DefaultUser)
	differ("description", found.Description, want.Description)
	if noted != "" {
		differ("checksum", found.MD5, noted)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, "check template "+found.Name, "it was not made of this release's image for Exoscale: %s", strings.Join(wrong, ", ")).
		WithHint("rename or delete template %s (%s), then run again: the right one is registered in its place", found.Name, found.ID)
}
