// Package changes says what an installation would change, and what it refuses to: by the answers in force and by its preview.
package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Answer is an answer that differs from the one in force.
type Answer struct {
	answersfile.Change
	Refused bool     // an installation does not carry it out
	Actions []string // manual steps instead, a line each
}

// CheckRefused returns an error if an installation does not carry out all of them, for after they were printed.
func CheckRefused(changes []Answer) error {
	for _, change := range changes {
		if change.Refused {
			return exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("answers have changed that an installation cannot apply")))
		}
	}
	return nil
}

// Compare returns what differs from the answers in force, of a folder whose cluster was begun; before that every answer
// may change. Differences of machines are not among them: the preflight compares the machines themselves.
func Compare(folder state.Folder, spec state.Spec) ([]Answer, error) {
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
	before, _ := answersfile.Parse(state.AnswersFile, content) // validation may have become stricter since
	if before.Cluster.ID != spec.Cluster.ID {                  // the folder is refused for that
		return nil, nil
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return nil, err
	}
	known, err := knowsBalancers(folder, before)
	if err != nil {
		return nil, err
	}
	rule := changeRule{before: before, after: spec, facts: facts, inForce: folder.Path(state.AnswersFile), knowsBalancers: known}
	var changes []Answer
	for _, change := range answersfile.Diff(before, spec) {
		changes = append(changes, rule.decide(change))
	}
	return changes, nil
}

type changeRule struct {
	before, after  state.Spec
	facts          state.Facts
	inForce        string // path of the answers in the folder
	knowsBalancers bool   // the folder has what the load balancers were started with
}

// knowsBalancers reports whether the folder has what the load balancers were started with, which is their configuration for life: then an
// installation replaces those that a change of the PROXY protocol needs to be others.
func knowsBalancers(folder state.Folder, spec state.Spec) (bool, error) {
	for _, machine := range spec.Machines(state.RoleLoadBalancer) {
		_, err := folder.Read(state.FormatUserDataFile(machine.Name))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read what %s was started with: %w", machine.Name, err)
		}
	}
	return true, nil
}

func (r changeRule) decide(change answersfile.Change) Answer {
	decided := Answer{Change: change}
	if change.Effect == wizard.Rebuild {
		decided.Refused = true
		decided.Actions = []string{"Restore the answers, or install another cluster with a new --dir; `exoshift destroy` deletes this one."}
		return decided
	}
	if open := r.listReplacements(change.Key); len(open) > 0 {
		decided.Refused = true
		decided.Actions = append([]string{"Nodes of the group are being replaced; end that first:"}, open...)
		return decided
	}
	if decided.Actions = r.listManualSteps(change.Key); decided.Actions != nil {
		decided.Refused = true
		decided.Actions = append(decided.Actions, fmt.Sprintf("Then change the answer in %s, too; or restore the answer.", r.inForce))
	}
	return decided
}

// listManualSteps returns the commands that do what an installation does not, nil if the change is accepted. Before the
// manifests are generated all changes are accepted.
func (r changeRule) listManualSteps(key string) []string {
	if r.facts.IgnitionCreated.IsZero() {
		return nil
	}
	switch key {
	case "sizing.infra.pool", "sizing.workers.pool":
		return []string{"A machine cannot join or leave an instance pool. Add a group with the other kind of machines to sizing.extraGroups instead."}
	case "network.privateNetwork":
		return r.describePrivateNetwork()
	case "openshift.proxy.http", "openshift.proxy.https", "openshift.proxy.noProxy":
		return r.describeProxy()
	case "loadBalancer.proxyProtocol":
		return r.describeProxyProtocol()
	case "openshift.capabilities.baselineCapabilitySet", "openshift.capabilities.additionalEnabledCapabilities":
		return r.describeCapabilities()
	case "openshift.imageDigestSources":
		return []string{"oc get imagedigestmirrorset", "oc edit imagedigestmirrorset image-digest-mirror", "The nodes apply it one after the other."}
	case "openshift.trustBundle":
		return r.describeTrustBundle()
	case "openshift.manifestsDir":
		return r.describeManifests()
	}
	return r.describeSyn(key)
}

// describeSyn is listManualSteps for what Project Syn knows of a cluster.
func (r changeRule) describeSyn(key string) []string {
	registered := r.facts.Syn.Tenant != ""
	switch key {
	case "syn.lieutenantURL", "syn.tenant":
		return []string{"A cluster's Lieutenant and tenant cannot be changed by an installation. The operator of Project Syn can register the cluster elsewhere and reconfigure its Steward."}
	case "syn.facts":
		if gone := r.listRemovedFacts(); registered && len(gone) > 0 {
			return []string{"Lieutenant keeps facts that were set: " + strings.Join(gone, ", ") + ". The operator of Lieutenant can remove them."}
		}
	case "dns.acme":
		if registered && r.before.DNS.ACME {
			return []string{"The certificates are part of the cluster's configuration: remove them from the catalog first."}
		}
	}
	return nil
}

// listReplacements returns the commands that end the replacements of nodes of a group whose count has changed: a node that is being replaced
// still has its name, which no other machine may get.
func (r changeRule) listReplacements(key string) (commands []string) {
	for _, removal := range r.facts.Removals {
		group := strings.TrimSuffix(key, ".count")
		ofGroup := key != group && group == "sizing."+state.FormatGroup(removal.Role)
		if removal.ReplacedBy != "" && (ofGroup || key == "sizing.extraGroups" && len(r.before.Machines(removal.Role)) != len(r.after.Machines(removal.Role))) {
			commands = append(commands, "exoshift nodes replace "+removal.Node)
		}
	}
	return commands
}

// Load balancers of earlier versions send one protocol only, that of their start. Whether these are, is not known.
func (r changeRule) describeProxyProtocol() []string {
	if r.knowsBalancers {
		return nil
	}
	edit, protocol := `/server-template router/s/ send-proxy-v2//`, "TCP"
	if r.after.LoadBalancer.ProxyProtocol {
		edit, protocol = `/server-template router/s/$/ send-proxy-v2/`, "PROXY"
	}
	return []string{
		"Load balancers and routers change together: applications are unreachable for about two minutes, until all have changed. The API stays reachable.",
		fmt.Sprintf(`oc -n openshift-ingress-operator patch ingresscontroller/default --type=merge -p '{"spec":{"endpointPublishingStrategy":{"type":"HostNetwork","hostNetwork":{"protocol":%q}}}}'`, protocol),
		"Then on one load balancer, and on the other one once the first routers have restarted:",
		fmt.Sprintf("sudo sed -i '%s' /etc/haproxy/haproxy.cfg && sudo systemctl reload haproxy", edit),
	}
}

// The nodes' own addresses are reached without the proxy, those of later nodes, too.
func (r changeRule) describeProxy() []string {
	proxy, spec := r.after.OpenShift.Proxy, r.after
	without := strconv.Quote(proxy.NoProxy)
	if spec.HasProxy() {
		own := generation.JoinNoProxy(spec, r.facts.APIAddress, r.facts.IngressAddress)
		without = strconv.Quote(own + ",'$nodes'")
	}
	return []string{
		"Every node restarts for this, one after the other.",
		`nodes=$(oc get nodes -o jsonpath='{.items[*].status.addresses[?(@.type=="InternalIP")].address}' | tr ' ' ,)`,
		fmt.Sprintf(`oc patch proxy/cluster --type=merge -p '{"spec":{"httpProxy":%q,"httpsProxy":%q,"noProxy":%s}}'`, proxy.HTTP, proxy.HTTPS, without),
	}
}

// A network is added to machines that run; the range of one that is in use cannot be changed.
func (r changeRule) describePrivateNetwork() []string {
	if r.before.Network.PrivateNetwork == "" {
		return nil
	}
	name, zone := network.FormatPrivateNetwork(r.before), " --zone "+r.before.Exoscale.Zone
	return []string{
		"Take the network from the instance pools in the portal, if there are any, and then from each node but the masters:",
		"exo compute instance private-network detach NODE " + name + zone,
		"exo compute private-network delete " + name + zone,
	}
}

func (r changeRule) describeCapabilities() []string {
	wanted := r.after.OpenShift.Capabilities
	names := make([]string, len(wanted.Additional))
	for i, name := range wanted.Additional {
		names[i] = strconv.Quote(name)
	}
	set := strconv.Quote(wanted.Baseline)
	if wanted.Baseline == "" {
		set = "null"
	}
	return []string{
		"A capability can be enabled, but not disabled again.",
		fmt.Sprintf(`oc patch clusterversion/version --type=merge -p '{"spec":{"capabilities":{"baselineCapabilitySet":%s,"additionalEnabledCapabilities":[%s]}}}'`, set, strings.Join(names, ",")),
	}
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

// CheckUnchanged returns an error if anything would change or be refused, or is unknown.
func CheckUnchanged(changes []Answer, preview install.Preview) error {
	pending, refused := len(preview.ListPending()), CountRefused(changes, preview)
	switch {
	case refused > 0:
		return exit.WithCode(exit.Checks, fmt.Errorf("%d answers and machines differ that an installation cannot change, and no change was expected", refused))
	case pending > 0:
		return exit.WithCode(exit.Checks, fmt.Errorf("%d objects would be created, changed or deleted, and no change was expected", pending))
	case len(preview.Unseen) > 0:
		return fault.Newf(fault.Waiting, "expect no change", "not everything could be checked: %s", strings.Join(preview.Unseen, "; ")).
			WithHint("run this on a terminal where you can sign in, or set COMMODORE_API_TOKEN and VAULT_TOKEN")
	}
	return nil
}

// Hash identifies what an installation would do: it differs if anything else would be created, changed, deleted or refused. It does
// not depend on quotas, cost or the time.
func Hash(answers []Answer, preview install.Preview) string {
	refusal := ""
	if preview.Refusal != nil {
		refusal = preview.Refusal.Error()
	}
	content, _ := json.Marshal([]any{answers, preview.Changes, preview.Surplus, preview.Differences, refusal, preview.Difference.Unified}) // plain values
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// CheckHash returns an error if the plan is not the one that was approved.
func CheckHash(approved string, answers []Answer, preview install.Preview) error {
	if hash := Hash(answers, preview); hash != approved {
		return exit.WithCode(exit.Checks, fault.Newf(fault.Conflict, "install what was planned", "the plan has changed since its approval: its hash is %s now", hash).
			WithHint("review and approve the plan again: exoshift plan"))
	}
	return nil
}

// CountRefused counts answers and machines that an installation does not change.
func CountRefused(changes []Answer, preview install.Preview) int {
	count := len(preview.Differences)
	for _, change := range changes {
		if change.Refused {
			count++
		}
	}
	if preview.Refusal != nil && len(preview.Differences) == 0 {
		count++
	}
	return count
}

// FormatAction returns the word of a plan for an action.
func FormatAction(action state.Action) string {
	switch action {
	case state.Created:
		return "create"
	case state.Updated:
		return "update"
	case state.Deleted:
		return "delete"
	}
	return "none"
}

// CheckPlan returns the error that the installation would end with.
func CheckPlan(preview install.Preview) error {
	if preview.Refusal == nil {
		return nil
	}
	return &provisioner.StepError{Step: provisioner.Step{ID: "plan", Phase: install.Preflight}, Err: preview.Refusal}
}

// Check shows which answers differ from those of the folder's cluster, and refuses changes that no installation applies.
func Check(folder state.Folder, spec state.Spec, show func([]Answer)) error {
	answers, err := Compare(folder, spec)
	if err != nil || len(answers) == 0 {
		return err
	}
	show(answers)
	return CheckRefused(answers)
}
