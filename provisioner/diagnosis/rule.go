package diagnosis

import (
	"cmp"
	"slices"
	"time"
)

// Rule is a failure that users hit: its signature, its cause and its fix. Cause and Fix may hold the placeholders of
// expand.
type Rule struct {
	ID         string
	Cause      string // one sentence
	Fix        string // in the imperative; commands on lines of their own
	Confidence string // unless the detection is sure
	// What a run does about it if the confidence is high.
	Disposition Disposition
	Waits       string           // why waiting is right, if that is what the run does: a sentence without a full stop
	Restores    Part             // what a repair restores; "" for any other disposition
	Blocks      Phase            // the phase that does not end because of it, unless the detection knows better; "" for none
	Within      controlPlanePart // where it blocks the control plane; 0: growingEtcd
	HoldFor     time.Duration    // how long the signature has to hold before it is reported; a minute at most if the detection is sure
	Explains    []string         // rules that add nothing to this one, unless they block an earlier phase
	// It reports that something is missing or slow, and is hidden beside any rule that blocks an earlier phase, or is one of Reasons.
	General bool
	Reasons []string
	// Its signature needs no answer of the API. Other rules neither begin nor cease to hold while the API does not
	// answer.
	WithoutAPI bool

	detect func(*inputIndex) detection
}

type detection struct {
	evidence []string
	subject  []string // machines, nodes or names that it is about
	sure     bool     // the evidence leaves no doubt
	blocks   Phase    // replaces the rule's, where the evidence is more specific
	cause    string   // replaces the rule's, where the evidence is more specific
	fix      string
	objects  []string // what a repair restores: rules in sentences, names of records or of machines
	changed  bool     // somebody has changed objects: they are there, and otherwise than they should be
}

// What is sure is reported after this time: what was read twice is no moment of a change.
const sureHoldTime = time.Minute

func (r Rule) getHoldTime(found detection) time.Duration {
	if found.sure {
		return min(r.HoldFor, sureHoldTime)
	}
	return r.HoldFor
}

// getOrder returns which part of a phase it blocks.
func (r Rule) getOrder(blocks Phase) int {
	if blocks != ControlPlane {
		return 0
	}
	return int(cmp.Or(r.Within, growingEtcd))
}

// InstalledRules are those about a cluster that is installed.
func InstalledRules() []Rule {
	return slices.Concat(NodeRules(), KeyRules(), PowerRules(), BackupRules(), UpgradeRules())
}

// Rules returns the rulebook, by themes.
func Rules() []Rule {
	return slices.Concat(buildNameRules(), buildNetworkRules(), buildCertificateRules(), buildImageRules(), buildMachineRules(), PowerRules(), buildRequestRules(),
		buildEtcdRules(), buildOperatorRules(), buildStallRules(), NodeRules(), KeyRules(), BackupRules(), UpgradeRules())
}
