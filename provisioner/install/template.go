package install

import (
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// newTemplate describes the template of a boot image. The description tells what was made of which file: that is all one
// can see of a template whose image is gone.
func (i *Installation) newTemplate(boot state.BootImage) state.Template {
	return state.Template{
		Name:        i.formatTemplateName(boot.Build),
		Description: fmt.Sprintf("OpenShift node image, ignition.platform.id=exoscale, made of sha256:%s", boot.SHA256),
		Build:       boot.Build, BootMode: "uefi", DefaultUser: "core",
	}
}

// formatTemplateName tells RHCOS from SCOS, whose builds are numbered alike.
func (i *Installation) formatTemplateName(build string) string {
	if i.spec.OpenShift.Distribution == "okd" {
		return "scos-" + build
	}
	return "rhcos-" + build
}

// findRecordedMD5 is the checksum of the image that this folder had registered as that template, or "".
func (i *Installation) findRecordedMD5(name string) string {
	facts := i.Facts()
	if facts.Template != name {
		return ""
	}
	return facts.TemplateMD5
}

// checkTemplate refuses a template of the right name that nodes could not boot from: of another build, not patched, or
// another image than the one that this folder had registered, whose MD5 is noted ("" if it was found).
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
