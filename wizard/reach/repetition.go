package reach

import "context"

// repetition probes again what may have failed only because so much was probed at the same time, as on a slow link: one
// check first, then more at a time as long as they succeed.
type repetition struct {
	checks   []Check
	repeater Repeater
	record   func(outcome)
}

// confirmations is how many checks in a row have to fail alone until the other probes are no longer to blame.
const confirmations = 2

// isDoubtful reports whether a connection was made, and then nothing more arrived in time.
func (o outcome) isDoubtful() bool {
	class := o.finding.Class
	return o.err == nil && !o.finding.IsReached() && (class == TLSTimeout || class == HTTPTimeout && o.finding.Layers.TLS == LayerOK)
}

// run records one outcome of each check.
func (r repetition) run(parent context.Context, queue []outcome) {
	ctx, cancel := context.WithTimeoutCause(parent, totalLimit, errTimeUp)
	defer cancel()
	pace := pace{width: 1, most: concurrency}
	for len(queue) > 0 && ctx.Err() == nil {
		batch := queue[:min(pace.width, len(queue))]
		queue = queue[len(batch):]
		failed := 0
		for i, again := range r.probe(ctx, batch) {
			switch {
			case again.err != nil: // the run ends
				r.record(batch[i])
			case again.finding.IsReached():
				r.record(again.markUnstable())
			case again.isDoubtful() && pace.width > 1 && pace.confirmed < confirmations:
				queue = append(queue, batch[i])
				failed++
			default:
				r.record(again)
				failed++
			}
		}
		pace = pace.adapt(failed)
	}
	for _, o := range queue {
		r.record(o)
	}
}

// pace is how many checks are probed at a time.
type pace struct {
	width     int
	most      int // of the width
	confirmed int // checks in a row that have failed alone
}

// adapt returns the pace after a batch.
func (p pace) adapt(failed int) pace {
	switch {
	case failed > 0 && p.width == 1:
		p.confirmed++
	case failed > 0:
		p.width /= 2
		p.most = p.width
	default:
		p.width, p.confirmed = min(2*p.width, p.most), 0
	}
	if p.confirmed >= confirmations {
		p.width = concurrency
	}
	return p
}

// probe returns the outcomes in the order of the batch.
func (r repetition) probe(ctx context.Context, batch []outcome) []outcome {
	wanted, place := make([]int, len(batch)), map[int]int{}
	for i, o := range batch {
		wanted[i], place[o.index] = o.index, i
	}
	ended, again := make(chan outcome, len(batch)), make([]outcome, len(batch))
	go runProbes(ctx, wanted, r.checks, proberFunc(r.repeater.Repeat), ended)
	for range batch {
		o := <-ended
		again[place[o.index]] = o
	}
	return again
}

type proberFunc func(ctx context.Context, check Check) Finding

func (p proberFunc) Probe(ctx context.Context, check Check) Finding { return p(ctx, check) }

func (o outcome) markUnstable() outcome {
	if o.finding.Class == "" || o.finding.Class == Unauthorized {
		o.finding.Class, o.finding.Degraded = Unstable, true
	}
	return o
}
