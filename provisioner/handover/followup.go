package handover

import (
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/state"
)

func (s Input) buildRemaining() Section {
	section := Section{Title: "Next steps"}
	if s.Folder != "" {
		section.addText("Back up the folder %s. It contains the administrator's access%s", s.Folder, s.describeKeptKeys())
	}
	section.addText("Configure an identity provider and give a user administrator rights. Then remove the initial user, kubeadmin:")
	section.addCommand("oc delete secret kubeadmin -n kube-system")
	section.addText("Keep the NS records of %s in its parent zone. Without them the cluster's names do not resolve.", s.Spec.Domain())
	s.addLateNodes(&section)
	if s.isConnected() && s.Spec.DNS.ACME {
		return section
	}
	section.addText("The cluster renews its own certificates while its machines run. Browsers warn of the console's "+
		"certificate until you configure one for *.%s in the ingress.", s.Spec.AppsDomain())
	return section
}

// addLateNodes is for nodes that came after the bootstrap of a cluster behind a proxy. To tell the cluster restarts every node, which is
// for a person to start.
func (s Input) addLateNodes(section *Section) {
	known := len(s.Facts.NodeAddresses)
	late := len(s.Spec.Nodes()) - known
	if !s.Spec.HasProxy() || known == 0 || late <= 0 {
		return
	}
	section.addText("%s came after the installation and may not be excepted from the proxy yet: logs and shells of pods there go through it. "+
		"This excepts all nodes; every node restarts for it, one after the other:", text.Plural(late, "node"))
	section.addCommand(`nodes=$(oc get nodes -o jsonpath='{.items[*].status.addresses[?(@.type=="InternalIP")].address}' | tr ' ' ,)`)
	section.addCommand(`oc patch proxy/cluster --type=merge -p '{"spec":{"noProxy":"'"$(oc get proxy/cluster -o jsonpath='{.spec.noProxy}'),$nodes"'"}}'`)
}

func (s Input) buildConsequences() Section {
	section := Section{Title: "Notes"}
	for _, consequence := range s.Spec.ListConsequences() {
		section.addText("%s", consequence.Text)
	}
	return section
}

func (s Input) describeKeptKeys() string {
	if s.isConnected() {
		return "; its API keys are in Vault."
	}
	return " and, in api-keys, the cluster's own API keys; Exoscale shows these only once."
}

func (s Input) buildCost() Section {
	section := Section{Title: "Cost"}
	if s.Hour == 0 {
		return section
	}
	verb := "costs"
	if s.Rehearsal {
		verb = "would cost"
	}
	section.addText("The cluster %s about %.2f an hour, %.0f a month (CHF, EUR or USD), for as long as it exists.", verb, s.Hour, s.Month)
	section.addText("An estimate with the prices of %s, without object storage, traffic, and volumes of applications.%s",
		s.PriceDate, s.describeUnpriced())
	return section
}

func (s Input) describeUnpriced() string {
	if len(s.Unpriced) == 0 {
		return ""
	}
	return " Not included (price unknown): " + strings.Join(s.Unpriced, ", ") + "."
}

// How to connect again and how to delete the cluster; after a rehearsal, how to install for real.
func (s Input) buildLater() Section {
	if s.Rehearsal {
		return s.buildRealInstall()
	}
	section := Section{Title: "Later"}
	if s.Folder == "" {
		return section
	}
	dir := quotePath(s.Folder)
	section.addText("To see this again:")
	section.addCommand("exoshift status --dir " + dir)
	section.addText("To delete the cluster with all of its resources, which ends the cost (asks for the cluster ID):")
	section.addCommand("exoshift destroy --dir " + dir)
	section.addText("The bucket %s with the backups is kept unless you add --delete-backups.", s.Spec.Bucket(state.BucketBackups))
	return section
}

func (s Input) buildRealInstall() Section {
	section := Section{Title: "Install a real cluster"}
	if s.Folder == "" {
		section.addCommand("exoshift install")
		return section
	}
	section.addCommand(fmt.Sprintf("exoshift install --answers %s", quotePath(s.joinPath(state.AnswersFile))))
	return section
}

func quotePath(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%=", r)
	}
	if path != "" && strings.TrimFunc(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// A check that was skipped before the installation may be what fails first.
func (s Input) buildSkippedChecks() Section {
	section := Section{Title: "Skipped checks"}
	for _, skipped := range s.Facts.SkippedChecks {
		until := ""
		if !skipped.Until.IsZero() {
			until = fmt.Sprintf(" (until %s)", skipped.Until.Format(time.DateOnly))
		}
		section.addText("%s %s: %s%s", skipped.ID, skipped.Target, skipped.Reason, until)
	}
	if len(section.Rows) > 0 && s.Folder != "" && !s.Rehearsal {
		section.addText("Run these checks before you rely on them:")
		section.addCommand("exoshift check --answers " + quotePath(s.joinPath(state.AnswersFile)))
	}
	return section
}
