package wizard

import (
	"context"

	"exoshift/state"
	"exoshift/wizard/reach"
)

// Interview holds the input and the functions of an interactive session: what to ask, the answers so far, and the clients
// behind it. The TUI and the plain prompts use the same Interview. Its functions may be called from any goroutine, but no
// function twice at a time, other than Ask of different lookups. A cancelled call may still be ending when the function
// is called again.
type Interview struct {
	Answers   *Answers  // initial answers; after the interview, the final ones
	Only      []string  // keys that are asked, all others are fixed; nil: all are asked
	Resumed   bool      // continues a draft, at the first open question
	Rehearsal bool      // on a simulated zone: no real resources are touched
	CheckOnly bool      // ends after the checks: nothing is created
	DraftPath string    // folder of the draft, for humans
	Unusable  []Problem // unusable findings of this machine, see Answers.Detect

	Lookups []Lookup
	// SignIn opens the login pages of Project Syn, one after the other, and waits for the logins. Once it has returned
	// nil, the lookups return more. nil: not available.
	SignIn    func(ctx context.Context, spec state.Spec, show func(page string)) error
	LookupEnv func(env string) (string, bool) // environment
	// Save stores the draft; it is called after every answer.
	Save func(*Answers) error
	// SaveSecret writes a secret that was typed into a file of the draft's folder that only its owner can read, and
	// returns the reference to it, "file:PATH".
	SaveSecret func(key, secret string) (reference string, err error)
	// Estimate calculates the costs and the needs of the cluster. It only calculates.
	Estimate func(state.Spec) Estimate
	// Check runs the checks before an installation. It emits first all checks, then each change of one. Nothing is
	// created.
	Check func(ctx context.Context, spec state.Spec, secrets Secrets, emit func(CheckState)) error
	// CheckFromZone runs the checks of reachability on a small machine in the zone and emits them as Check does, each
	// with the source reach.Zone. The machine is deleted when it returns. nil: not available.
	CheckFromZone func(ctx context.Context, spec state.Spec, secrets Secrets, emit func(CheckState)) error
	// ZoneTerms describes that machine and its price in one sentence, which is shown before.
	ZoneTerms func(state.Spec) string
	// Review returns what an installation would do now. Nothing is created.
	Review func(ctx context.Context, spec state.Spec, secrets Secrets) (Review, error)
	// Export writes the answers file beside the draft and returns its path.
	Export func(*Answers) (path string, err error)
}

// Lookup fetches what a remote service knows about some answers. The result is valid until one of these changes.
type Lookup struct {
	ID       string                // e.g. "credentials"
	Title    string                // a few words: "Credentials"
	Screen   Screen                // where its result is shown
	Keys     []string              // the answers that it depends on; it runs once none of them is missing or has a problem
	Optional []string              // answers that it depends on, too, and that may be missing
	When     func(state.Spec) bool // whether it is relevant for the answers; nil: always
	Run      func(ctx context.Context, spec state.Spec, secrets Secrets) (LookupResult, error)
}

// IsRelevant reports whether a lookup is relevant for the answers.
func (q Lookup) IsRelevant(spec state.Spec) bool { return q.When == nil || q.When(spec) }

// LookupResult is the result of a lookup. An error in its place means that the lookup failed, which blocks nothing.
type LookupResult struct {
	Summary  string              // one line, e.g. "8 zones"
	Pending  bool                // there was no request, as an answer is missing, which Summary names
	Problems []Problem           // prevent continuing
	Warnings []Problem           // do not prevent it
	Choices  map[string][]Choice // by key: the choices, in place of the field's own
	Quotas   []Quota             // of the organization, as far as the lookup returned them
}

// Choice is one value to choose, with a note about it.
type Choice struct{ Value, Note string }

// Quota is one limit of the organization.
type Quota struct {
	Resource    string // e.g. "instance"
	Used, Limit int    // Limit -1: none
}

// Estimate is the costs and needs of a cluster, calculated from the answers alone.
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
	State     string // of a step of package provisioner: started, progress, done, failed, skipped; "": not started
	Text      string // progress, or the error
	Hint      string // the next thing to do
	Field     string // key of the answer to change so that it passes; "" if unknown

	Reach *ReachState // of a check of reachability: its details; nil for all others
}

// ReachState is a check of reachability from one source. Several sources have the same ID.
type ReachState struct {
	Check  reach.Check
	Result reach.Result // its Verdict is "" until it ended
}

// Review is what an installation would do.
type Review struct {
	Changes  []PlannedChange
	Quotas   []QuotaCheck
	Estimate Estimate
	Minutes  [2]int   // how long it usually takes, from and to
	Actions  []string // actions that will be needed, one sentence each
	Export   string   // path of the answers file
	// Difference is the change of the cluster's file in its tenant's configuration, as diff -u shows it; "": none, or the
	// cluster is not connected to Project Syn.
	Difference string
}

// PlannedChange is one object of the plan.
type PlannedChange struct {
	Action string // create, update, delete, found
	Kind   string
	Name   string
	Detail string
}

// QuotaCheck is one limit with the installation's effect on it.
type QuotaCheck struct {
	Quota
	Need, After int
	Sufficient  bool
}

// Detection is an answer that was found on this machine.
type Detection struct {
	Key    string
	Text   string // as Answers.Set takes it
	Origin string // its origin, e.g. "detected: ~/.ssh/id_ed25519.pub"
}

// ListUnused returns warnings about unusable findings, as long as there is no other answer.
func (i *Interview) ListUnused(spec state.Spec) []Problem {
	var unused []Problem
	for _, f := range i.Unusable {
		if field, ok := Find(Fields(), f.Field); ok && field.Get(spec) == field.Default() {
			f.Message = "not used: " + f.Message
			unused = append(unused, f)
		}
	}
	return unused
}
