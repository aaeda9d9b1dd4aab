package handover

import (
	"slices"
	"strings"
	"time"
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
	section.addFact("Vault", "clusters/kv, below "+facts.Tenant+"/"+id+": "+strings.Join(s.listSecrets(), ", "))
	section.addFact("certificates", s.describeCertificates())
	section.addFact("all is well", formatSince(facts.Synthesized))
	section.addFact("maintenance window", s.Spec.Syn.Facts["maintenance_window"])
	section.addFact("maintained", formatTimeOr(facts.Maintained, "not yet: the cluster has no maintenance window of a known name, or no controller for it"))
	section.addFact("people on call", formatTimeOr(facts.OnCall, "not yet: run the installation again once no alert fires that nobody expects"))
	section.addText("From now on the cluster is as its catalog says: change the configuration of the tenant, not the cluster.")
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
		return "none by ACME: the answers did not ask for them"
	case s.Facts.Syn.ACME == "":
		return "by ACME; the cluster has made no account yet"
	}
	return "by ACME; _acme-challenge records lead to " + s.Facts.Syn.ACME
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
	section := Section{Title: "What only people can do"}
	if !s.isConnected() {
		return section
	}
	id := s.Spec.Cluster.ID
	for _, alert := range s.Facts.Syn.Alerts {
		section.addText("Somebody has to look at this alert, which nobody expects on a new cluster: %s.", strings.TrimSuffix(alert, "."))
	}
	section.addText("At https://control.vshn.net/vshn/services/_create make the service for logging in (Keycloak) with the name and the ID %s: that "+
		"portal has no interface for programs.", id)
	section.addText("Write or link the tickets about the cluster: that is between you and your colleagues.")
	section.addText("If the zone above %s is the customer's, they keep its NS records: nobody else may change that zone.", s.Spec.Domain())
	section.addText("Before the cluster grows, have Exoscale raise the limits of the organization at https://portal.exoscale.com: a person there decides.")
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
	section.addText("The first kubeconfig is valid for ten years and cannot be taken back one by one. Get an emergency credential (its passphrase is "+
		"in Passbolt, which only people open), and have it proved before the first kubeconfig is made invalid%s", ending)
	if commanded {
		section.addCommand("exoshift emergency-access --kubeconfig FILE --dir " + quotePath(s.Folder))
	}
}

// The API then refuses the kubeconfig that openshift-install wrote.
func (s Input) isInvalidated() bool { return s.isConnected() && !s.Facts.Syn.AdminInvalidated.IsZero() }
