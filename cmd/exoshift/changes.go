package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

type answerChange struct {
	wizard.Change
	refused bool
	actions []string // manual steps instead, a line each
}

// compareAnswers reports which answers differ from those of the folder's cluster, and refuses changes that no installation
// applies. Before any object was created every answer may change. Differences of machines are not checked here: the preflight
// compares the machines themselves.
func compareAnswers(folder state.Folder, spec state.Spec, std streams) error {
	changes, err := compareWithFolder(folder, spec)
	if err != nil || len(changes) == 0 {
		return err
	}
	printAnswerChanges(std.err, changes)
	return checkRefused(changes)
}

// checkAnswerChanges is compareAnswers without output about accepted changes.
func checkAnswerChanges(folder state.Folder, spec state.Spec, std streams) error {
	changes, err := compareWithFolder(folder, spec)
	if err != nil {
		return err
	}
	if err = checkRefused(changes); err != nil {
		printAnswerChanges(std.err, changes)
	}
	return err
}

func checkRefused(changes []answerChange) error {
	for _, change := range changes {
		if change.refused {
			return exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("answers have changed that an installation does not carry out")))
		}
	}
	return nil
}

func compareWithFolder(folder state.Folder, spec state.Spec) ([]answerChange, error) {
	touched, err := folder.HasChanges()
	if err != nil || !touched {
		return nil, err
	}
	content, err := folder.Read(state.AnswersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the answers in force: %w", err)
	}
	before, _ := wizard.Parse(state.AnswersFile, content) // validation may have become stricter since
	if before.Cluster.ID != spec.Cluster.ID {             // the folder is refused for that
		return nil, nil
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return nil, err
	}
	rule := changeRule{before: before, after: spec, facts: facts, inForce: folder.Path(state.AnswersFile)}
	var changes []answerChange
	for _, change := range wizard.Diff(before, spec) {
		changes = append(changes, rule.decide(change))
	}
	return changes, nil
}

type changeRule struct {
	before, after state.Spec
	facts         state.Facts
	inForce       string // path of the answers in the folder
}

func (r changeRule) decide(change wizard.Change) answerChange {
	decided := answerChange{Change: change}
	if change.Effect == wizard.Rebuild {
		decided.refused = true
		decided.actions = []string{"Answer as before, or start another cluster in a new --dir; `exoshift destroy` removes this one."}
		return decided
	}
	if decided.actions = r.listManualSteps(change.Key); decided.actions != nil {
		decided.refused = true
		decided.actions = append(decided.actions, fmt.Sprintf("Then write the new answer into %s, too; or answer as before.", r.inForce))
	}
	return decided
}

// listManualSteps returns the commands that do what an installation does not, nil if the change is accepted. Before the
// manifests are generated all changes are accepted.
func (r changeRule) listManualSteps(key string) []string {
	if r.facts.IgnitionCreated.IsZero() {
		return nil
	}
	registered := r.facts.Syn.Tenant != ""
	switch key {
	case "openshift.proxy.http", "openshift.proxy.https", "openshift.proxy.noProxy":
		proxy := r.after.OpenShift.Proxy
		return []string{fmt.Sprintf(`oc patch proxy/cluster --type=merge -p '{"spec":{"httpProxy":%q,"httpsProxy":%q,"noProxy":%q}}'`, proxy.HTTP, proxy.HTTPS, proxy.NoProxy)}
	case "openshift.trustBundle":
		return r.describeTrustBundle()
	case "openshift.manifestsDir":
		return r.describeManifests()
	case "syn.lieutenantURL", "syn.tenant":
		return []string{"The cluster is installed for its Lieutenant and tenant, or for none. Those who run Project Syn can register it elsewhere, and have its Steward follow."}
	case "syn.facts":
		if gone := r.listRemovedFacts(); registered && len(gone) > 0 {
			return []string{"Lieutenant keeps facts that it was told: " + strings.Join(gone, ", ") + ". Those who run Lieutenant can remove them."}
		}
	case "dns.acme":
		if registered && r.before.DNS.ACME {
			return []string{"The certificates are the business of the cluster's configuration: take them out of the catalog first."}
		}
	}
	return nil
}

func (r changeRule) describeTrustBundle() []string {
	const patch = `oc patch proxy/cluster --type=merge -p '{"spec":{"trustedCA":{"name":"%s"}}}'`
	bundle := r.after.OpenShift.TrustBundle
	if bundle == "" {
		return []string{fmt.Sprintf(patch, "")}
	}
	return []string{
		"oc -n openshift-config create configmap user-ca-bundle --from-file=ca-bundle.crt=" + shellescape.Quote(bundle) + " --dry-run=client -o yaml | oc apply -f -",
		fmt.Sprintf(patch, "user-ca-bundle"),
	}
}

func (r changeRule) describeManifests() []string {
	if dir := r.after.OpenShift.ManifestsDir; dir != "" {
		return []string{"oc apply -f " + shellescape.Quote(dir)}
	}
	return []string{"oc delete -f " + shellescape.Quote(r.before.OpenShift.ManifestsDir)}
}

func (r changeRule) listRemovedFacts() []string {
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(r.before.Syn.Facts)) {
		if r.after.Syn.Facts[name] == "" && r.before.Syn.Facts[name] != "" {
			gone = append(gone, name)
		}
	}
	return gone
}

func printAnswerChanges(w io.Writer, changes []answerChange) {
	fmt.Fprintln(w, "These answers have changed since the cluster was begun:")
	for _, change := range changes {
		fmt.Fprintf(w, "  %s: %s, was %s (%s)\n", change.Key, formatAnswer(change.After), formatAnswer(change.Before), change.Effect)
		for _, line := range change.actions {
			fmt.Fprintln(w, "      "+console.SanitizeLine(line))
		}
	}
}

func formatAnswer(value string) string {
	if value == "" {
		return "nothing"
	}
	return console.SanitizeLine(value)
}
