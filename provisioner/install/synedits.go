package install

import (
	"slices"

	"exoshift/state"
)

// later stands for what is only known once the cluster has been generated.
const later = "TO_BE_DEFINED"

// noOpsgenie is the class that keeps a cluster's alerts from the people on call.
const noOpsgenie = "global.distribution.openshift4.no-opsgenie"

// tenantRepo is the repository that the cluster's configuration is in.
func (i *Installation) tenantRepo() state.GitRepo {
	repo := i.syn.tenant.Config
	if i.syn.cluster.TenantRevision != "" {
		repo.Revision = i.syn.cluster.TenantRevision
	}
	return repo
}

// configurationFile is the cluster's own.
func (i *Installation) configurationFile() string { return i.spec.Cluster.ID + ".yml" }

// edits are what the cluster's configuration has to say, as far as it is known by now.
func (i *Installation) edits() []state.YAMLEdit {
	facts := i.Facts()
	var ours []any
	for _, value := range facts.Syn.Written {
		ours = append(ours, value)
	}
	edits := []state.YAMLEdit{
		set("openshift", "baseDomain").to(i.spec.Domain()),
		set("openshift", "infraID").once(facts.InfraID, ours...),
		set("openshift", "clusterID").once(facts.Syn.ClusterUUID, ours...),
		set("openshift", "ssh_key").once(facts.Syn.SSHPublicKey),
		set("openshift4_terraform", "terraform_variables", "base_domain").to(i.spec.Cluster.BaseDomain),
		set("openshift4_terraform", "terraform_variables", "ignition_ca").once(facts.Syn.IgnitionCA, ours...),
		set("openshift4_terraform", "terraform_variables", "ssh_key").once(facts.Syn.SSHPublicKey),
		set("openshift4_terraform", "terraform_variables", "rhcos_template").once(facts.Template),
	}
	edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: ".openshift4", Files: []string{"openshift4.yml", "openshift4.yaml"}})
	switch { // in between it stays as it is: a removal whose answer was lost is not taken back
	case !facts.Syn.OnCall.IsZero() || i.syn.onCall:
		edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: noOpsgenie, Remove: true})
	case facts.Syn.ClusterUUID == "":
		edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: noOpsgenie})
	}
	if i.spec.OpenShift.CloudControllerManager != "" {
		edits = append(edits, state.YAMLEdit{Path: []string{"applications"}, Item: "exoscale-cloud-controller-manager"})
	}
	if i.spec.Network.CNI == "Cilium" {
		edits = append(edits, state.YAMLEdit{Path: []string{"applications"}, Item: "cilium"}, i.bootstrapCilium(facts))
	}
	return edits
}

// with returns a list that has all of these values.
func with(list []string, values ...string) []string {
	list = slices.Clone(list)
	for _, value := range values {
		if !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// bootstrapCilium has the catalog hold Cilium's operator until the cluster was generated with it.
func (i *Installation) bootstrapCilium(facts state.Facts) state.YAMLEdit {
	edit := set("cilium", "olm", "generate_olm_deployment")
	if facts.Syn.ClusterUUID == "" {
		edit.Value = true
	}
	return edit.YAMLEdit
}

// edit is an edit below the parameters.
type edit struct{ state.YAMLEdit }

func set(keys ...string) edit {
	return edit{state.YAMLEdit{Path: append([]string{"parameters"}, keys...)}}
}

// to sets a value that nobody else may have set otherwise.
func (e edit) to(value string) state.YAMLEdit {
	e.Value, e.Over = value, []any{}
	return e.YAMLEdit
}

// once sets a value in the place of nothing, of a placeholder, or of what is ours; the placeholder itself as long as the
// value is not known.
func (e edit) once(value string, ours ...any) state.YAMLEdit {
	e.Value, e.Over = value, append([]any{later, ""}, ours...)
	if value == "" {
		e.Value = later
	}
	return e.YAMLEdit
}
