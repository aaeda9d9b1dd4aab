package wizard

import (
	"slices"

	"exoshift/state"
)

// Fields returns every field of the answers file, in the order of the file; Screen.Fields has them in the order in
// which they are asked. The groups of sizing.extraGroups are one field here; Parse knows the fields of each.
func Fields() []Field {
	return slices.Concat(
		listHeadFields(), listClusterFields(), listExoscaleFields(), listSizingFields(), listNetworkFields(), listDNSFields(),
		listLoadBalancerFields(), listSynFields(), listOpenShiftFields(), listProxyFields(), listStorageFields(), listCheckFields(),
	)
}

func listFieldsOf(spec state.Spec) []Field {
	fields := Fields()
	if spec.OpenShift.Distribution == okd {
		fields[slices.IndexFunc(fields, func(f Field) bool { return f.Key == versionKey })].Example = okdExample
	}
	fields = append(fields, listFactFields()...)
	for i := range min(len(spec.Sizing.ExtraGroups), maxItems) {
		fields = append(fields, listGroupFields(i)...)
	}
	return fields
}

func listHeadFields() []Field {
	return []Field{
		{Key: "apiVersion", Title: "Format of the file", Choices: []string{state.APIVersion}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.APIVersion })},
		{Key: "kind", Title: "Kind of the file", Choices: []string{state.Kind}, Required: true,
			Effect: NoEffect, value: bindText(func(s *state.Spec) *string { return &s.Kind })},
	}
}
