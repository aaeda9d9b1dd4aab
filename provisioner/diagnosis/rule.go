package diagnosis

import (
	"slices"
	"time"
)

// Rule is a failure that users hit: how it is known, what causes it, and the one thing to do. Cause and Fix may hold
// the placeholders of moment.fill.
type Rule struct {
	ID         string
	Cause      string        // one sentence
	Fix        string        // in the imperative; commands on lines of their own
	Confidence string        // unless a sign makes it surer
	HoldFor    time.Duration // how long the signature has to hold before it is told
	Explains   []string      // rules that say nothing new beside this one
	General    bool          // it says that something is missing or takes too long, and is silent beside any rule that says why
	// Blind: its signs need no answer of the API. Other rules neither begin nor end to hold while it does not answer.
	WithoutAPI bool

	detect func(*inputIndex) detection
}

// detection is what a signature found. Without evidence, it does not hold.
type detection struct {
	evidence []string
	subject  []string // machines, nodes or names that it is about
	sure     bool     // a sign leaves no doubt
	cause    string   // instead of the rule's, where the signs tell more
	fix      string
}

// Rules returns the rulebook, by themes.
func Rules() []Rule {
	return slices.Concat(buildNameRules(), buildNetworkRules(), buildCertificateRules(), buildImageRules(), buildMachineRules(), buildRequestRules(),
		buildEtcdRules(), buildOperatorRules(), buildStallRules())
}
