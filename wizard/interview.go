package wizard

import (
	"context"

	"exoshift/state"
	"exoshift/wizard/reach"
)

// Interview is one conversation about a cluster: what is asked, what is there already, and who is asked behind the
// scenes. The terminal's screens and the plain prompts hold the same interview. Its functions may be called from any
// goroutine, but not two of a kind at once, other than Ask of different inquiries. What was cancelled may still be on
// its way out when it is called again.
type Interview struct {
	Answers   *Answers  // to begin with; once the interview is over, what was said
	Only      []string  // keys that are asked, everything else is settled; nil asks for everything
	Resumed   bool      // goes on with a draft: it opens at the first question that is open
	Rehearsal bool      // on a simulated zone: nothing real is touched
	CheckOnly bool      // ends with the checks: nothing is created
	DraftPath string    // folder of the draft, for people
	Unusable  []Problem // what this machine has and cannot be used as it is, see Answers.Detect

	Lookups []Lookup
	// SignIn leads somebody to the pages where Project Syn learns who they are, one after the other, and waits until they
	// have been there. Once it has returned nil, the inquiries know more. nil: there is no such way.
	SignIn    func(ctx context.Context, spec state.Spec, show func(page string)) error
	LookupEnv func(env string) (string, bool) // environment
	// Save keeps the draft; it is called after every answer.
	Save func(*Answers) error
	// Keep writes a secret that was typed into a file of the draft's folder that only its owner can read, and returns
	// the reference to it, "file:PATH".
	SaveSecret func(key, secret string) (reference string, err error)
	// Estimate says what the cluster costs and needs. It only calculates.
	Estimate func(state.Spec) Estimate
	// Check runs the checks before an installation and tells first which there are, then every change of one. Nothing
	// is created.
	Check func(ctx context.Context, spec state.Spec, secrets Secrets, tell func(CheckState)) error
	// CheckFromZone makes the checks of reachability on a small machine in the zone and tells them as Check does, each
	// with the vantage reach.Zone. The machine is gone when it returns. nil: there is no such way.
	CheckFromZone func(ctx context.Context, spec state.Spec, secrets Secrets, tell func(CheckState)) error
	// ZoneTerms says which machine that is and what it costs, one sentence; it is shown before.
	ZoneTerms func(state.Spec) string
	// Review says what an installation would do now. Nothing is created.
	Review func(ctx context.Context, spec state.Spec, secrets Secrets) (Review, error)
	// Export writes the answers file beside the draft and returns its path.
	Export func(*Answers) (path string, err error)
}

// Lookup is what only the outside can say about some answers. What it said holds until one of them changes.
type Lookup struct {
	ID     string                // e.g. "credentials"
	Title  string                // a few words: "Credentials"
	Screen Screen                // where its reply is shown
	Keys   []string              // the answers that it depends on; it is made once none of them is missing or has a fault
	When   func(state.Spec) bool // whether it means anything beside the answers; nil: always
	Run    func(ctx context.Context, spec state.Spec, secrets Secrets) (LookupResult, error)
}

// IsRelevant tells whether an inquiry means anything beside the answers.
func (q Lookup) IsRelevant(spec state.Spec) bool { return q.When == nil || q.When(spec) }

// LookupResult is the outside's answer. An error in its place means that nobody could tell, which blocks nothing.
type LookupResult struct {
	Summary  string              // one line, e.g. "8 zones"
	Pending  bool                // nobody was asked, as something is missing; Summary says what
	Problems []Problem           // block the way on
	Warnings []Problem           // do not
	Choices  map[string][]Choice // by key: what is to choose from, in place of the field's own choices
	Quotas   []Quota             // of the organization, as far as the reply is about them
}

// Choice is one value to choose, with what is worth knowing about it.
type Choice struct{ Value, Note string }

// Quota is one limit of the organization.
type Quota struct {
	Resource    string // e.g. "instance"
	Used, Limit int    // Limit -1: none
}

// Estimate is what a cluster costs and needs, calculated from the answers alone.
type Estimate struct {
	Hour, Month float64        // in CHF, EUR or USD: the numbers are the same
	Date        string         // of the prices
	Unknown     []string       // instance types without a price
	Machines    int            // at the peak, with the bootstrap machine
	Needs       map[string]int // by the names of quotas
}

// CheckState is one check of those before an installation.
type CheckState struct {
	ID, Title string
	State     string // of a step of package provisioner: started, progress, done, failed, skipped; "": it has not begun
	Text      string // what was seen, or what is wrong
	Hint      string // the next thing to do
	Field     string // key of the answer that has to change so that it passes; "" if nobody knows

	Reach *ReachState // of a check of reachability: more about it; nil for all others
}

// ReachState is a check of reachability from one vantage. The same ID comes from several.
type ReachState struct {
	Check  reach.Check
	Result reach.Result // Verdict "" before it ended
}

// Review is what an installation would do.
type Review struct {
	Changes  []PlannedChange
	Quotas   []QuotaCheck
	Estimate Estimate
	Minutes  [2]int   // how long it usually takes, from and to
	Actions  []string // what a person will be asked for, one sentence each
	Export   string   // path of the answers file
	// Difference is what the cluster's file in its tenant's configuration gets, as diff -u shows it; "": nothing, or
	// the cluster is not connected to Project Syn.
	Difference string
}

// PlannedChange is one object of the plan.
type PlannedChange struct {
	Action string // create, update, delete, found
	Kind   string
	Name   string
	Detail string
}

// QuotaCheck is one limit and what the installation does to it.
type QuotaCheck struct {
	Quota
	Need, After int
	Sufficient  bool
}
