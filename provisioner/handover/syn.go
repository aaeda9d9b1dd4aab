package handover

import (
	"slices"
	"strings"
	"time"
)

// connected tells whether Project Syn runs the cluster.
func (s Source) connected() bool { return s.Spec.Syn.LieutenantURL != "" }

// syn is what Project Syn knows of the cluster, and where.
func (s Source) syn() Section {
	section := Section{Title: "Project Syn"}
	if !s.connected() {
		return section
	}
	facts, id := s.Facts.Syn, s.Spec.Cluster.ID
	section.fact("tenant", facts.Tenant)
	section.fact("Lieutenant", s.Spec.Syn.LieutenantURL+"/clusters/"+id)
	section.fact("configuration", id+".yml in the repository of the tenant")
	section.fact("catalog", facts.Catalog+behindCommit(facts.Commit))
	section.fact("Vault", "clusters/kv, below "+facts.Tenant+"/"+id+": "+strings.Join(s.secrets(), ", "))
	section.fact("certificates", s.certificates())
	section.fact("all is well", since(facts.Synthesized))
	section.fact("maintenance window", s.Spec.Syn.Facts["maintenance_window"])
	section.fact("maintained", orNot(facts.Maintained, "not yet: the cluster has no maintenance window of a known name, or no controller for it"))
	section.fact("people on call", orNot(facts.OnCall, "not yet: run the installation again once no alert fires that nobody expects"))
	section.sentence("From now on the cluster is as its catalog says: change the configuration of the tenant, not the cluster.")
	return section
}

// secrets are what the installation made, and what Lieutenant made for Steward.
func (s Source) secrets() []string { return append(slices.Clone(s.Secrets), "steward") }

func behindCommit(commit string) string {
	if commit == "" {
		return ""
	}
	return " (installed with commit " + commit + ")"
}

func (s Source) certificates() string {
	switch {
	case !s.Spec.DNS.ACME:
		return "none by ACME: the answers did not ask for them"
	case s.Facts.Syn.ACME == "":
		return "by ACME; the cluster has made no account yet"
	}
	return "by ACME; _acme-challenge records lead to " + s.Facts.Syn.ACME
}

// moment is how a time is written.
const moment = "2006-01-02 15:04 MST"

func since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "since " + t.UTC().Format(moment)
}

func orNot(t time.Time, not string) string {
	if t.IsZero() {
		return not
	}
	return since(t)
}

// people is what no program can do, with the reason.
func (s Source) people() Section {
	section := Section{Title: "What only people can do"}
	if !s.connected() {
		return section
	}
	id := s.Spec.Cluster.ID
	for _, alert := range s.Facts.Syn.Alerts {
		section.sentence("Somebody has to look at this alert, which nobody expects on a new cluster: %s.", strings.TrimSuffix(alert, "."))
	}
	section.sentence("At https://control.vshn.net/vshn/services/_create make the service for logging in (Keycloak) with the name and the ID %s: that "+
		"portal has no interface for programs.", id)
	section.sentence("Write or link the tickets about the cluster: that is between you and your colleagues.")
	section.sentence("If the zone above %s is the customer's, they keep its NS records: nobody else may change that zone.", s.Spec.Domain())
	section.sentence("Before the cluster grows, have Exoscale raise the limits of the organization at https://portal.exoscale.com: a person there decides.")
	s.emergency(&section)
	return section
}

// emergency is about the way in that stays when the first kubeconfig is refused.
func (s Source) emergency(section *Section) {
	if s.invalidated() {
		return
	}
	commanded, ending := !s.Rehearsal && s.Folder != "", "."
	if commanded {
		ending = ":"
	}
	section.sentence("The first kubeconfig is valid for ten years and cannot be taken back one by one. Get an emergency credential (its passphrase is "+
		"in Passbolt, which only people open), and have it proved before the first kubeconfig is made invalid%s", ending)
	if commanded {
		section.command("exoshift emergency-access --kubeconfig FILE --dir " + quoted(s.Folder))
	}
}

// invalidated tells whether the API refuses the kubeconfig that openshift-install wrote.
func (s Source) invalidated() bool { return s.connected() && !s.Facts.Syn.AdminInvalidated.IsZero() }
