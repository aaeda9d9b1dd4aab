package wizard

import (
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/state"
	"exoshift/wizard/payload"
	"exoshift/wizard/sshkey"
)

const (
	capabilitiesKey = "openshift.capabilities.additionalEnabledCapabilities"
	baselineKey     = "openshift.capabilities.baselineCapabilitySet"
	fipsKey         = "openshift.fips"
)

func validateCapability(value string) []Problem {
	if known := payload.Capabilities(); !slices.Contains(known, value) {
		return NewProblem(Quote(value)+" is not a known capability", FormatChoices(known), similar.FindNearest(value, known))
	}
	return nil
}

func checkCapabilities(spec state.Spec) (faults []Problem) {
	for _, missing := range payload.ListMissingCapabilities(spec.OpenShift) {
		faults = append(faults, WithField(capabilitiesKey, NewProblem(missing.Name+" is left out: "+missing.Why, missing.Name+" in this list, or a larger "+baselineKey, ""))...)
	}
	return faults
}

func validateMirrors(item string) []Problem {
	source, mirrors, _ := strings.Cut(item, "=")
	const allowed = "a repository and its mirrors, separated by spaces, without tags and digests"
	if strings.TrimSpace(mirrors) == "" {
		return NewProblem("there is no mirror", allowed, "")
	}
	if name, wrong := payload.FindInvalidRepository(source + " " + mirrors); wrong {
		return NewProblem(Quote(name)+" is not a repository of images", allowed, "")
	}
	return nil
}

// The rules are those of openshift-install; OKD's programs and images are not built for FIPS.
func checkFIPS(spec state.Spec) (faults []Problem) {
	if !spec.OpenShift.FIPS {
		return nil
	}
	if spec.OpenShift.Distribution == OKD {
		faults = WithField(fipsKey, NewProblem("OKD has no FIPS mode", "false, or openshift.distribution: ocp", "false"))
	}
	if kind := sshkey.Type(spec.OpenShift.SSHKey); kind != "" && !sshkey.IsFIPS(kind) {
		faults = append(faults, WithField(SSHKeyKey, NewProblem("an "+kind+" key cannot be used in FIPS mode (openshift.fips)",
			"an RSA or ECDSA key; `ssh-keygen -t rsa -b 4096` creates one", ""))...)
	}
	return faults
}

func listReleaseFields() []Field {
	return []Field{
		{Key: fipsKey, Title: "FIPS mode", Example: "true",
			Screen: Cluster, Advanced: true, Effect: Rebuild,
			Help: "Whether the nodes use FIPS 140 validated cryptography only. The installation then has to run on Linux on x86_64 that is itself in FIPS mode, " +
				"with the libraries of RHEL 9, and the SSH key must be RSA or ECDSA.",
			Why:    "Some regulations require it. It cannot be changed later.",
			Source: "Your security team. Leave it false unless they ask for it.",
			value:  bindSwitch(func(s *state.Spec) *bool { return &s.OpenShift.FIPS })},
		{Key: baselineKey, Title: "Capabilities", Choices: payload.CapabilitySets(), Example: payload.Current,
			Screen: Cluster, Advanced: true, Effect: ByHand,
			Help:   "The set of optional OpenShift components to enable: those of a release and older ones. Empty: all of this release.",
			Why:    "A disabled component uses no memory. It can be enabled later, but not disabled again.",
			Source: "Your choice. Leave it empty unless a component is not needed.",
			value:  bindText(func(s *state.Spec) *string { return &s.OpenShift.Capabilities.Baseline })},
		{Key: capabilitiesKey, Title: "Additional capabilities", Example: "Console, Ingress", rule: validateCapability,
			Screen: Cluster, Advanced: true, Effect: ByHand,
			Help:   "Optional OpenShift components in addition to those of the set.",
			Why:    "With a small set, Ingress, CloudCredential and ImageRegistry must be listed here.",
			Source: "The application owners.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.OpenShift.Capabilities.Additional })},
		{Key: "openshift.imageDigestSources", Title: "Mirrors of images", Example: "quay.io/openshift-release-dev/ocp-release=mirror.example.net/ocp4/release", rule: validateMirrors,
			Screen: Secrecy, Advanced: true, Effect: ByHand,
			Help: "For each repository of images the mirrors that the nodes pull from, separated by spaces. " +
				"OpenShift's own are quay.io/openshift-release-dev/ocp-release and quay.io/openshift-release-dev/ocp-v4.0-art-dev.",
			Why:    "Nodes without access to Red Hat's registries pull the images from yours. The pull secret needs its credentials, and openshift.trustBundle its certificate authority.",
			Source: "The output of `oc adm release mirror` or oc-mirror. Leave it empty if the nodes reach the internet.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.OpenShift.ImageDigestSources })},
	}
}
