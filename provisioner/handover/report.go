// Package handover renders the report for those who get a cluster: what was created, how to log in, which actions remain,
// what it costs, how to connect again and how to delete it. It names where secrets are and holds none.
package handover

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
)

// Input is what a report is made of.
type Input struct {
	Spec  state.Spec
	Facts state.Facts
	Board *provisioner.Board // of the run that succeeded

	Secrets []string // that the installation made in Vault, below the paths of tenant and cluster

	Folder    string // of the cluster; empty if it is not kept
	Rehearsal bool   // nothing real was touched

	Hour, Month float64  // what the cluster costs, in CHF, EUR or USD; 0: not known
	PriceDate   string   // of the prices
	Unpriced    []string // instance types without a price
}

// Report is the handover report, in sections.
type Report struct {
	Title string // one line
	Note  string // what has to be known before anything else; may be empty

	Summary, Access, Secrets, Syn, Remaining, Actions, Consequences, SkippedChecks, Cost, Later, DayTwo, Durations Section
}

// Section is a part of a report under a title.
type Section struct {
	Title string
	Rows  []Row
}

// Row is a fact with a name, a command to be pasted, or else a sentence.
type Row struct {
	Name    string // of a fact
	Text    string
	Command bool
}

// New writes the report.
func New(s Input) Report {
	r := Report{
		Title:   "Cluster " + s.Spec.Cluster.ID + " is installed",
		Summary: s.buildSummary(), Access: s.buildAccess(), Secrets: s.buildSecrets(), Syn: s.buildSyn(), Actions: s.buildActions(), DayTwo: s.buildDayTwo(), Remaining: s.buildRemaining(), Consequences: s.buildConsequences(), SkippedChecks: s.buildSkippedChecks(), Cost: s.buildCost(), Later: s.buildLater(), Durations: s.buildDurations(),
	}
	if s.Rehearsal {
		r.Title = "The rehearsal of cluster " + s.Spec.Cluster.ID + " succeeded"
		r.Note = "This was a rehearsal on a simulated zone: no real resources were created, at no cost. After a real installation, this page reads as follows."
	}
	return r
}

// Sections returns the sections that have rows, in their order.
func (r Report) Sections() []Section {
	var filled []Section
	for _, section := range []Section{r.Summary, r.Access, r.Secrets, r.Syn, r.Remaining, r.Actions, r.Consequences, r.SkippedChecks, r.Cost, r.Later, r.DayTwo, r.Durations} {
		if len(section.Rows) > 0 {
			filled = append(filled, section)
		}
	}
	return filled
}

func (s Input) buildSummary() Section {
	spec, facts := s.Spec, s.Facts
	section := Section{Title: "Cluster"}
	section.addFact("OpenShift", facts.Version())
	section.addFact("zone", "Exoscale "+spec.Exoscale.Zone)
	section.addFact("nodes", formatNodes(spec))
	section.addFact("console", facts.ConsoleURL)
	section.addFact("API", "https://api."+spec.Domain()+":6443"+formatAddress(facts.APIAddress))
	section.addFact("applications", "*."+spec.AppsDomain()+formatAddress(facts.IngressAddress))
	return section
}

func formatAddress(address string) string {
	if address == "" {
		return ""
	}
	return " (" + address + ")"
}

func formatNodes(spec state.Spec) string {
	var counts []string
	for _, role := range append([]state.Role{state.RoleMaster}, spec.ComputeRoles()...) {
		if n := spec.Group(role).Count; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, role))
		}
	}
	return fmt.Sprintf("%d: %s", len(spec.Nodes()), strings.Join(counts, ", "))
}

func (s Input) buildAccess() Section {
	section := Section{Title: "Access"}
	if s.Folder == "" {
		section.addText("The folder of this rehearsal is not kept; that of a real cluster contains the kubeconfig and the password of kubeadmin.")
		return section
	}
	if s.isInvalidated() {
		section.addText("With an emergency credential (its passphrase is in Passbolt), or the cluster's own logins: the API rejects the first kubeconfig "+
			"since %s.", s.Facts.Syn.AdminInvalidated.UTC().Format(timeLayout))
	} else {
		section.addFact("kubeconfig", s.joinPath(state.InstallDir, "auth", "kubeconfig"))
	}
	section.addFact("password", s.joinPath(state.InstallDir, "auth", "kubeadmin-password")+" (user kubeadmin)")
	if s.Rehearsal || s.isInvalidated() {
		return section
	}
	section.addCommand("export KUBECONFIG=" + quotePath(s.joinPath(state.InstallDir, "auth", "kubeconfig")))
	section.addCommand("oc get nodes,clusteroperators")
	return section
}

// Secrets that have to remain in the folder.
func (s Input) buildSecrets() Section {
	section := Section{Title: "Secrets in the folder"}
	if s.Folder == "" {
		return section
	}
	if !s.isInvalidated() { // it grants no access any more
		section.addFact(state.InstallDir+"/auth/kubeconfig", "an administrator's access, valid for ten years")
	}
	section.addFact(state.InstallDir+"/auth/kubeadmin-password", "the first user's password, until kubeadmin is removed")
	if !s.isConnected() {
		section.addFact("api-keys/", "the cluster's own API keys: Exoscale shows them once")
	}
	if s.hasTypedSecrets() {
		section.addFact(state.SecretsDir+"/", "entered in the wizard: the operator's API key and the pull secret")
	}
	if s.Rehearsal {
		section.addFact(state.KeyFile, "the rehearsal's own SSH key, if its answers have none")
	}
	section.addText("All other keys were removed after the bootstrap. exoshift destroy removes these, too.")
	return section
}

func (s Input) hasTypedSecrets() bool {
	refs := []state.SecretRef{s.Spec.Exoscale.APIKey, s.Spec.Exoscale.APISecret, s.Spec.OpenShift.PullSecret, s.Spec.Syn.GitToken}
	return slices.ContainsFunc(refs, func(ref state.SecretRef) bool { return strings.HasPrefix(ref.File, s.joinPath(state.SecretsDir)) })
}

func (s Input) buildDurations() Section {
	section := Section{Title: "Duration"}
	if s.Board == nil {
		return section
	}
	for _, phase := range s.Board.Durations() {
		section.addFact(phase.Name, FormatPhase(phase))
	}
	if total := s.Board.Now.Sub(s.Board.Began); len(section.Rows) > 0 {
		section.addFact("total", text.FormatDuration(total))
	}
	return section
}

// FormatPhase returns how long a phase took, and how much of it beside the phases before it.
func FormatPhase(p provisioner.PhaseTime) string {
	if p.Overlap < time.Second {
		return text.FormatDuration(p.Took)
	}
	return text.FormatDuration(p.Took) + " (and " + text.FormatDuration(p.Overlap) + " in parallel)"
}

func (s Input) joinPath(names ...string) string {
	return filepath.Join(append([]string{s.Folder}, names...)...)
}

func (s *Section) addFact(name, text string) {
	if text != "" {
		s.Rows = append(s.Rows, Row{Name: name, Text: text})
	}
}

func (s *Section) addText(format string, args ...any) {
	s.Rows = append(s.Rows, Row{Text: fmt.Sprintf(format, args...)})
}

func (s *Section) addCommand(line string) { s.Rows = append(s.Rows, Row{Text: line, Command: true}) }

// NameWidth returns how many letters the longest name of a fact has.
func (s Section) NameWidth() int {
	widest := 0
	for _, row := range s.Rows {
		widest = max(widest, len([]rune(row.Name)))
	}
	return widest
}
