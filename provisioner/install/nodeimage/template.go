package nodeimage

import (
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// NewTemplate returns the template of a boot image, without ID and source. Its description names the patched file: the
// image of a template may be gone.
func NewTemplate(spec state.Spec, boot state.BootImage) state.Template {
	return state.Template{
		Name:        FormatTemplateName(spec, boot.Build),
		Description: fmt.Sprintf("OpenShift node image, ignition.platform.id=exoscale, made of sha256:%s", boot.SHA256),
		Build:       boot.Build, BootMode: "uefi", DefaultUser: "core",
	}
}

// FormatTemplateName returns the name of a build's template. The builds of RHCOS and SCOS have the same numbering.
func FormatTemplateName(spec state.Spec, build string) string {
	if spec.OpenShift.Distribution == "okd" {
		return "scos-" + build
	}
	return "rhcos-" + build
}

// CheckTemplate refuses a template of the right name that nodes could not boot from: of another build, not patched, or of
// another image than the one that this folder registered, according to facts. What the API does not return of a template is
// not compared: that it returns more than name and checksum is not recorded.
func CheckTemplate(found, want state.Template, facts state.Facts) error {
	var wrong []string
	differ := func(what, has, wants string) {
		if has != "" && has != wants {
			wrong = append(wrong, fmt.Sprintf("its %s is %q instead of %q", what, has, wants))
		}
	}
	differ("build", found.Build, want.Build)
	differ("boot mode", found.BootMode, want.BootMode)
	differ("default user", found.DefaultUser, want.DefaultUser)
	differ("description", found.Description, want.Description)
	if facts.Template == found.Name && facts.TemplateMD5 != "" { // "" if it was found
		differ("checksum", strings.ToLower(found.MD5), strings.ToLower(facts.TemplateMD5))
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, "check template "+found.Name, "it was not created from this release's image for Exoscale: %s", strings.Join(wrong, ", ")).
		WithHint("rename or delete template %s (%s), then run again: a new one is registered in its place", found.Name, found.ID)
}
