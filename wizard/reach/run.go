package reach

import "context"

// Prober probes one service. It is called from many goroutines, and returns soon after ctx has ended.
type Prober interface {
	Probe(ctx context.Context, check Check) Finding
}

// Run makes all checks of a task, as many at a time as are useful, and tells each result once. What needs a check that
// failed is skipped because of it. It ends with ctx at the latest, and then what was not probed is a result, too.
func Run(ctx context.Context, task Task, prober Prober, tell func(Result)) Report {
	return Report{} // TODO
}
