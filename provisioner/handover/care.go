package handover

import (
	"fmt"
	"strings"

	"exoshift/state"
)

// left is what remains for people to do.
func (s Source) left() Section {
	section := Section{Title: "What is left for you"}
	if s.Folder != "" {
		section.sentence("Back up the folder %s. It holds the administrator's access%s", s.Folder, s.keptKeys())
	}
	section.sentence("Give somebody administrator rights by an identity provider of your own. Then remove the first user, kubeadmin:")
	section.command("oc delete secret kubeadmin -n kube-system")
	section.sentence("Keep the NS records of %s in its parent zone. Without them nobody finds the cluster.", s.Spec.Domain())
	if s.connected() && s.Spec.DNS.ACME {
		return section
	}
	section.sentence("The cluster renews its own certificates while its machines run. Browsers warn of the console's "+
		"certificate until you give the ingress one for *.%s.", s.Spec.AppsDomain())
	return section
}

// keptKeys says what else is in the folder.
func (s Source) keptKeys() string {
	if s.connected() {
		return "; its API keys are in Vault."
	}
	return " and, in api-keys, the cluster's own API keys; nobody can tell you these a second time."
}

func (s Source) cost() Section {
	section := Section{Title: "What it costs"}
	if s.Hour == 0 {
		return section
	}
	verb := "costs"
	if s.Rehearsal {
		verb = "would cost"
	}
	section.sentence("The cluster %s about %.2f an hour, %.0f a month (CHF, EUR or USD), for as long as it exists.", verb, s.Hour, s.Month)
	section.sentence("An estimate with the prices of %s, without object storage, traffic, and volumes that applications ask for.%s",
		s.PriceDate, s.notCounted())
	return section
}

func (s Source) notCounted() string {
	if len(s.Unpriced) == 0 {
		return ""
	}
	return " Not counted for want of a price: " + strings.Join(s.Unpriced, ", ") + "."
}

// later is how to see the cluster again and how to delete it; after a rehearsal, how to do it for real.
func (s Source) later() Section {
	if s.Rehearsal {
		return s.forReal()
	}
	section := Section{Title: "Later"}
	if s.Folder == "" {
		return section
	}
	dir := quoted(s.Folder)
	section.sentence("To see this again:")
	section.command("exoshift status --dir " + dir)
	section.sentence("To delete the cluster with everything in it, which ends the cost; the cluster's ID is asked for first:")
	section.command("exoshift destroy --dir " + dir)
	section.sentence("The bucket %s with the backups stays even then, unless you add --delete-backups.", s.Spec.Bucket(state.BucketBackups))
	return section
}

func (s Source) forReal() Section {
	section := Section{Title: "To do it for real"}
	if s.Folder == "" {
		section.command("exoshift install")
		return section
	}
	section.command(fmt.Sprintf("exoshift install --answers %s", quoted(s.path(state.AnswersFile))))
	return section
}

// quoted writes a path as a shell reads it.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%=", r)
	}
	if path != "" && strings.TrimFunc(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
