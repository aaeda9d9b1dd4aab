package syn

import (
	"exoshift/state"
	"exoshift/state/upgrade"
)

// BuildUpgradeEdits returns the edits of a cluster's configuration that tell its own controller when to update it, and to what: parameters of
// the component openshift-upgrade-controller.
func BuildUpgradeEdits(wanted upgrade.Configuration) []state.YAMLEdit {
	var edits []state.YAMLEdit
	add := func(value any, keys ...string) {
		edits = append(edits, state.YAMLEdit{Path: append([]string{"parameters", "openshift_upgrade_controller"}, keys...), Value: value})
	}
	if wanted.Channel != "" {
		add(wanted.Channel, "cluster_version", "spec", "channel")
	}
	for _, name := range wanted.Configs {
		add(wanted.Suspend, "upgrade_configs", name, "spec", "schedule", "suspend")
	}
	return edits
}
