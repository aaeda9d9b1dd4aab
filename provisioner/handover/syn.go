package handover

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/state"
)

func (s Input) isConnected() bool { return s.Spec.Syn.LieutenantURL != "" }

func (s Input) buildSyn() Section {
	section := Section{Title: "Project Syn"}
	if !s.isConnected() {
		return section
	}
	facts, id := s.Facts.Syn, s.Spec.Cluster.ID
	section.addFact("tenant", facts.Tenant)
	section.addFact("Lieutenant", s.Spec.Syn.LieutenantURL+"/clusters/"+id)
	section.addFact("configuration", id+".yml in the repository of the tenant")
	section.addFact("catalog", facts.Catalog+formatCommit(facts.Commit))
	section.addFact("Vault", s.Spec.Syn.GetVaultMount()+", below "+facts.Tenant+"/"+id+": "+strings.Join(s.listSecrets(), ", "))
	section.addFact("certificates", s.describeCertificates())
	section.addFact("healthy", formatSince(facts.Synthesized))
	section.addFact("maintenance window", s.Spec.Syn.Facts["maintenance_window"])
	section.addFact("maintained", formatTimeOr(facts.Maintained, "not yet: the cluster has no known maintenance window, or no controller for it"))
	section.addFact("on-call", formatTimeOr(facts.OnCall, "not yet: run the installation again once no unexpected alert fires"))
	section.addText("From now on the catalog determines the cluster: change the configuration of the tenant, not the cluster.")
	return section
}

// Those that the installation made, and the one that Lieutenant made for Steward.
func (s Input) listSecrets() []string { return append(slices.Clone(s.Secrets), "steward") }

func formatCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return " (installed with commit " + commit + ")"
}

func (s Input) describeCertificates() string {
	switch {
	case !s.Spec.DNS.ACME:
		return "no ACME certificates: disabled in the answers"
	case s.Facts.Syn.ACME == "":
		return "by ACME; the cluster has no account yet"
	}
	return "by ACME; _acme-challenge records point to " + s.Facts.Syn.ACME
}

const timeLayout = "2006-01-02 15:04 MST"

func formatSince(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "since " + t.UTC().Format(timeLayout)
}

func formatTimeOr(t time.Time, not string) string {
	if t.IsZero() {
		return not
	}
	return formatSince(t)
}

// Actions that no program can do, with the reason.
func (s Input) buildActions() Section {
	section := Section{Title: "Manual steps"}
	if !s.isConnected() {
		return section
	}
	id := s.Spec.Cluster.ID
	for _, alert := range s.Facts.Syn.Alerts {
		section.addText("Check this alert, which is not expected on a new cluster: %s.", strings.TrimSuffix(alert, "."))
	}
	section.addText("At https://control.vshn.net/vshn/services/_create create the service for logging in (Keycloak) with the name and the ID %s: that "+
		"portal has no API.", id)
	section.addText("Write or link the tickets about the cluster.")
	section.addText("If the parent zone of %s belongs to the customer, they maintain its NS records.", s.Spec.Domain())
	section.addText("Before the cluster grows, request higher limits for the organization at https://portal.exoscale.com; Exoscale decides manually.")
	s.addEmergencyAccess(&section)
	return section
}

// The access that remains when the API refuses the first kubeconfig.
func (s Input) addEmergencyAccess(section *Section) {
	if s.isInvalidated() {
		return
	}
	commanded, ending := !s.Rehearsal && s.Folder != "", "."
	if commanded {
		ending = ":"
	}
	section.addText("The first kubeconfig is valid for ten years and cannot be revoked individually. Get an emergency credential (its passphrase is "+
		"in Passbolt), and verify it before the first kubeconfig is invalidated%s", ending)
	if commanded {
		section.addCommand("exoshift emergency-access --kubeconfig FILE --dir " + quotePath(s.Folder))
	}
}

// The API then refuses the kubeconfig that openshift-install wrote.
func (s Input) isInvalidated() bool { return s.isConnected() && !s.Facts.Syn.AdminInvalidated.IsZero() }

// For those who change the cluster later: there is no Terraform state.
func (s Input) buildDayTwo() Section {
	section := Section{Title: "For the day-two team"}
	if !s.isConnected() {
		return section
	}
	facts, secrets := s.Facts, s.Facts.Syn.Tenant+"/"+s.Spec.Cluster.ID+"/"
	section.addText("The cluster was not created by Terraform and has no Terraform state. Machines, elastic IPs and roles have the label %s=%s; the names of "+
		"all other objects begin with %[2]s. To import it into a state, use the IDs below. "+
		"Its catalog excludes openshift4-terraform, whose pipeline would create a second cluster from an empty state.", state.LabelCluster, s.Spec.Cluster.ID)
	section.addFact("infrastructure ID", facts.InfraID)
	section.addFact("cluster ID", facts.Syn.ClusterUUID)
	section.addFact("boot image", facts.Template)
	section.addFact("buckets", strings.Join(s.listBuckets(), ", "))
	section.addFact("backups", "in the bucket "+s.Spec.Bucket(state.BucketBackups)+", by restic; in Vault: its password, "+secrets+"cluster-backup, and "+
		"the keys of the bucket, "+secrets+"exoscale/storage_iam")
	section.addFact("API keys", strings.Join(s.listNames(state.KindAPIKey), ", "))
	section.addFact("SSH public key", facts.Syn.SSHPublicKey)
	section.addFact("SSH private key", "in Vault: "+secrets+"exoscale/ssh, private_key (base64)")
	section.Rows = append(section.Rows, s.listImports()...)
	s.addJumpHost(&section)
	return section
}

// The load balancers are the machines that accept SSH from everywhere.
func (s Input) addJumpHost(section *Section) {
	if s.Spec.IsRoundRobin() {
		return
	}
	section.addText("Nodes accept SSH only from the cluster's own machines. Load balancers accept the SSH key of the answers, nodes also that in Vault:")
	section.addCommand(fmt.Sprintf("ssh -J ubuntu@lb-0.%[1]s core@etcd-0.%[1]s", s.Spec.Domain()))
}

func (s Input) listBuckets() []string {
	var names []string
	for _, purpose := range state.ListPersistentBuckets() {
		names = append(names, s.Spec.Bucket(purpose))
	}
	return names
}

func (s Input) listNames(kind string) []string {
	if s.Board == nil {
		return nil
	}
	var names []string
	for _, object := range s.Board.Objects {
		if object.Kind == kind && object.Action != string(state.Deleted) {
			names = append(names, object.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Import IDs: <uuid>@<zone> for zonal objects.
func (s Input) listImports() []Row {
	if s.Board == nil {
		return nil
	}
	zone := "@" + s.Spec.Exoscale.Zone
	var rows []Row
	for _, kind := range []struct{ kind, title, suffix string }{
		{state.KindInstance, "machine", zone}, {state.KindElasticIP, "elastic IP", zone}, {state.KindSecurityGroup, "security group", ""},
		{state.KindAntiAffinityGroup, "anti-affinity group", ""}, {state.KindZone, "DNS zone", ""}, {state.KindRole, "role", ""},
	} {
		var found []Row
		for _, object := range s.Board.Objects {
			if object.Kind == kind.kind && object.ID != "" && object.Action != string(state.Deleted) {
				found = append(found, Row{Name: kind.title + " " + object.Name, Text: object.ID + kind.suffix})
			}
		}
		stable.Sort(found, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
		rows = append(rows, found...)
	}
	return rows
}
