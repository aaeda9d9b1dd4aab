package wizard

// Effect is what it means for a cluster that exists if an answer is changed.
type Effect string

// The effects.
const (
	NoEffect   Effect = "no effect"      // the cluster does not know the answer
	Changeable Effect = "can be changed" // while the cluster runs
	Rebuild    Effect = "needs rebuild"  // a new cluster only
)
