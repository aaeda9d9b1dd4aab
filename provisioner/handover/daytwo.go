package handover

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
)

// For those who change the cluster later: there is no Terraform state.
func (s Input) buildDayTwo() Section {
	section := Section{Title: "For the day-two team"}
	if !s.isConnected() {
		return section
	}
	facts, secrets := s.Facts, s.Facts.Syn.Tenant+"/"+s.Spec.Cluster.ID+"/"
	section.addText("The cluster was not made by Terraform, and has no state of it. Machines, elastic IPs and roles carry the label %s=%s, and the names of "+
		"the rest begin with %[2]s; whoever brings it into a state imports it by the IDs below.", state.LabelCluster, s.Spec.Cluster.ID)
	section.addFact("infrastructure ID", facts.InfraID)
	section.addFact("cluster ID", facts.Syn.ClusterUUID)
	section.addFact("boot image", facts.Template)
	section.addFact("buckets", strings.Join(s.listBuckets(), ", "))
	section.addFact("backups", "in the bucket "+s.Spec.Bucket(state.BucketBackups)+", by restic; in Vault are its password, "+secrets+"cluster-backup, and "+
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
	section.addText("Nodes take SSH from the cluster's own machines only. Load balancers open with the SSH key of the answers, nodes with that in Vault, too:")
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
		slices.SortFunc(found, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
		rows = append(rows, found...)
	}
	return rows
}
