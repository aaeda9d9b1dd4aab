// Package payload knows what an OpenShift release consists of: its capabilities, and repositories of images.
package payload

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"exoshift/state"
)

type capabilitySet struct {
	name string
	adds []string // to the set before it
}

func listSets() []capabilitySet {
	return []capabilitySet{
		{"None", nil},
		{"v4.11", []string{"baremetal", "marketplace", "openshift-samples"}},
		{"v4.12", []string{"Console", "Insights", "Storage", "CSISnapshot"}},
		{"v4.13", []string{"NodeTuning"}},
		{"v4.14", []string{"MachineAPI", "Build", "DeploymentConfig", "ImageRegistry"}},
		{"v4.15", []string{"OperatorLifecycleManager", "CloudCredential"}},
		{"v4.16", []string{"CloudControllerManager", "Ingress"}},
		{"v4.17", nil},
		{"v4.18", []string{"OperatorLifecycleManagerV1"}},
	}
}

// Current is the set of everything that a release has, and OpenShift's own default.
const Current = "vCurrent"

// CapabilitySets returns the names of the sets.
func CapabilitySets() []string {
	var names []string
	for _, set := range listSets() {
		names = append(names, set.name)
	}
	return append(names, Current)
}

// Capabilities returns the names of all capabilities.
func Capabilities() []string {
	var names []string
	for _, set := range listSets() {
		names = append(names, set.adds...)
	}
	return names
}

// MissingCapability is one that cannot be left out.
type MissingCapability struct{ Name, Why string }

// ListMissingCapabilities returns what openshift-install refuses to leave out on this platform, and what an installation configures.
func ListMissingCapabilities(spec state.OpenShiftSpec) []MissingCapability {
	wanted := spec.Capabilities
	if wanted.Baseline == "" || wanted.Baseline == Current || !slices.Contains(CapabilitySets(), wanted.Baseline) {
		return nil
	}
	enabled := slices.Clone(wanted.Additional)
	for _, set := range listSets() {
		enabled = append(enabled, set.adds...)
		if set.name == wanted.Baseline {
			break
		}
	}
	required := map[string]string{
		"CloudCredential": "it is optional on other platforms only", "ImageRegistry": "the installation configures the registry with a bucket",
		"Ingress": "OpenShift requires it",
	}
	if spec.CloudControllerManager != "" {
		required["CloudControllerManager"] = "Exoscale's cloud controller manager requires it"
	}
	if slices.Contains(enabled, "marketplace") {
		required["OperatorLifecycleManager"] = "marketplace needs it"
	}
	var missing []MissingCapability
	for _, name := range slices.Sorted(maps.Keys(required)) {
		if !slices.Contains(enabled, name) {
			missing = append(missing, MissingCapability{name, required[name]})
		}
	}
	return missing
}

var repository = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?(/[a-z0-9._-]+)*$`)

// FindInvalidRepository returns the first of some names, separated by spaces, that is no repository of images: a registry with a
// path, without a tag or a digest.
func FindInvalidRepository(names string) (string, bool) {
	for _, name := range strings.Fields(names) {
		if !repository.MatchString(name) {
			return name, true
		}
	}
	return "", false
}
