package handover

// Locations describes where a run's results are and how to resume it.
type Locations struct {
	Folder            string // of the cluster; empty if it is not kept
	State             string // the shared state that keeps the folder, and the cluster's ID there; empty if there is none
	Resume            string // the command that resumes a failed run
	Gathered          string // the folder with gathered diagnostics; empty if there is none
	Rehearsal         bool   // nothing real was changed
	Killed            bool   // the last run neither ended nor goes on
	OperatorSimulated bool   // a rehearsal simulates manual actions
	Handover          Report
}
