package syn

import (
	"fmt"

	"exoshift/state"
)

// placeholder replaces values that are known only once the cluster has been generated.
const placeholder = "TO_BE_DEFINED"

// The class that holds a cluster's alerts back from the people on call.
const noOpsgenie = "global.distribution.openshift4.no-opsgenie"

// Commodore removes an application whose name has a tilde before it. The component describes the machines for a pipeline of the
// catalog's repository, whose Terraform has no state of a cluster that it has not made: it would create a second one.
const withoutTerraform = "~openshift4-terraform"

func (c *Catalog) tenantRepo() state.GitRepo {
	repo := c.registration.tenant.Config
	if c.registration.cluster.TenantRevision != "" {
		repo.Revision = c.registration.cluster.TenantRevision
	}
	return repo
}

func (c *Catalog) configurationFile() string { return c.spec.Cluster.ID + ".yml" }

func (c *Catalog) buildEdits() []state.YAMLEdit {
	facts := c.facts.Get()
	var ours []any
	for _, value := range facts.Syn.Written {
		ours = append(ours, value)
	}
	edits := []state.YAMLEdit{
		set("openshift", "baseDomain").to(c.spec.Domain()),
		set("openshift", "infraID").setOnce(facts.InfraID, ours...),
		set("openshift", "clusterID").setOnce(facts.Syn.ClusterUUID, ours...),
		set("openshift", "ssh_key").setOnce(facts.Syn.SSHPublicKey),
		{Path: []string{"applications"}, Item: withoutTerraform},
	}
	edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: ".openshift4", Files: []string{"openshift4.yml", "openshift4.yaml"}})
	switch { // in between it is not changed: a removal whose answer was lost is not undone
	case !facts.Syn.OnCall.IsZero() || c.alerting:
		edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: noOpsgenie, Remove: true})
	case facts.Syn.ClusterUUID == "":
		edits = append(edits, state.YAMLEdit{Path: []string{"classes"}, Item: noOpsgenie})
	}
	if c.spec.OpenShift.CloudControllerManager != "" {
		edits = append(edits, state.YAMLEdit{Path: []string{"applications"}, Item: "exoscale-cloud-controller-manager"})
	}
	if c.spec.Network.CNI == "Cilium" {
		edits = append(edits, state.YAMLEdit{Path: []string{"applications"}, Item: "cilium"}, c.buildCiliumEdit(facts))
	}
	edits = append(edits, BuildCountEdits(c.spec)...)
	for i := range edits {
		if edits[i].Value == placeholder {
			edits[i].Otherwise = c.formatConflictHint()
		}
	}
	return edits
}

// The configuration has a value already that this installation has yet to determine.
func (c *Catalog) formatConflictHint() string {
	return fmt.Sprintf("%s was installed from another folder: if it is the same cluster, continue there (--dir); "+
		"if that folder is lost, have the cluster deleted in Lieutenant and %s removed from its tenant's repository; otherwise choose another ID",
		c.spec.Cluster.ID, c.configurationFile())
}

// The catalog must hold Cilium's operator back until the cluster was generated with it.
func (c *Catalog) buildCiliumEdit(facts state.Facts) state.YAMLEdit {
	edit := set("cilium", "olm", "generate_olm_deployment")
	if facts.Syn.ClusterUUID == "" {
		edit.Value = true
	}
	return edit.YAMLEdit
}

// An edit below the parameters.
type edit struct{ state.YAMLEdit }

func set(keys ...string) edit {
	return edit{state.YAMLEdit{Path: append([]string{"parameters"}, keys...)}}
}

// A foreign value is a conflict.
func (e edit) to(value string) state.YAMLEdit {
	e.Value, e.Over = value, []any{}
	return e.YAMLEdit
}

// setOnce replaces a missing value, a placeholder, or one of ours; it sets the placeholder as long as the value is not
// known.
func (e edit) setOnce(value string, ours ...any) state.YAMLEdit {
	e.Value, e.Over = value, append([]any{placeholder, ""}, ours...)
	if value == "" {
		e.Value = placeholder
	}
	return e.YAMLEdit
}

// defaultCephNodes is the parameter node_count of the component rook-ceph where nobody sets it.
const defaultCephNodes = 3

// BuildCountEdits returns what keeps the node counts of a cluster's configuration those of the answers: the variables of the module
// terraform-openshift4-exoscale, which are there only if somebody has put them there, and the disks that Ceph uses.
func BuildCountEdits(spec state.Spec) []state.YAMLEdit {
	count := func(path []string, count int, existing bool) state.YAMLEdit {
		return state.YAMLEdit{Path: append([]string{"parameters"}, path...), Value: count, Existing: existing}
	}
	var edits []state.YAMLEdit
	for _, role := range spec.ComputeRoles() {
		path := []string{"openshift4_terraform", "terraform_variables"}
		switch role {
		case state.RoleWorker, state.RoleInfra, state.RoleStorage:
			path = append(path, string(role)+"_count")
		default:
			path = append(path, "additional_worker_groups", string(role), "count")
		}
		edits = append(edits, count(path, spec.Group(role).Count, true))
	}
	if disks := spec.Group(state.RoleStorage).Count; disks > 0 {
		edits = append(edits, count([]string{"rook_ceph", "ceph_cluster", "node_count"}, disks, disks == defaultCephNodes))
	}
	return edits
}
