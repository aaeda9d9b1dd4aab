// Package conformance proves on a zone, for cents and in minutes, what an installation assumes of it. A run makes a small part of
// a cluster by the recipe's own steps, looks at it from outside and from inside, and deletes it again.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/stable"
	"exoshift/state"
)

// Options are what a run depends on.
type Options struct {
	Network     network.Network
	Zone        string // e.g. "ch-gva-2"
	Key, Secret string
	// Dir is the folder with the records of runs: state.ConformancePath, or another one in tests.
	Dir string
	// Record is the file for an HTTP Archive of every exchange; "": none.
	Record  string
	Version string // of the program
	// Progress is called with a sentence for each part of the work; it may be called concurrently.
	Progress func(text string)
	// Emit is called with each verdict, one at a time.
	Emit func(Verdict)
}

// minutes is how long a run takes, from the usual duration of each part.
const minutes = 12

// DescribeTerms returns what a run does, costs and takes, for whoever has to agree to it. It sends no request.
func DescribeTerms(zone string) (string, error) {
	prices, err := assets.ReadPrices()
	if err != nil {
		return "", fault.New(fault.Internal, "estimate what a conformance run costs", err)
	}
	machine, _ := prices.PerHour(state.KindInstance, machineType, diskGiB)
	image, _ := prices.PerHour(state.KindTemplate, "", imageGiB)
	// What is made has existed for a part of an hour only, and a whole one may be charged.
	cost := 2*machine + 2*prices.ElasticIP + image
	return fmt.Sprintf("In zone %s, for about %d minutes: two machines (%s), two elastic IPs, a DNS zone (which needs a DNS plan with a free zone), "+
		"an image of %d GiB of which %d MB are uploaded, four buckets, three roles with keys. All of it is deleted again. "+
		"It costs about %.2f (CHF, EUR or USD) even if a whole hour is charged, by the prices of %s; storage, DNS and traffic are not in it.",
		zone, minutes, machineType, imageGiB, imageBytes/1_000_000, cost, prices.Date), nil
}

// Run deletes what earlier runs left behind, reaches every verdict of the catalogue once, and deletes the run's objects. A verdict that
// fails is no error: an error means that the run could not be made, such as for want of a permission.
func Run(ctx context.Context, options Options) (verdicts []Verdict, err error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	record, err := newRecording(options)
	if err != nil {
		return nil, err
	}
	options.Network = record.observe(options.Network)
	if err := Sweep(ctx, options); err != nil {
		return nil, err
	}
	r, err := begin(ctx, options)
	if err != nil {
		return nil, err
	}
	defer r.release()
	err = r.settleAll(ctx)
	swept := r.cleanUp(ctx)
	if ctx.Err() == nil {
		swept = errors.Join(swept, Sweep(ctx, options)) // what a killed run had asked for may have shown up late
	}
	r.ledger.check(Swept, swept, "nothing of this run is left in the zone")
	r.ledger.abandon(IDs(), errors.New("the run ended before"))
	verdicts = r.ledger.list()
	stable.Sort(verdicts, func(a, b Verdict) int { return slices.Index(IDs(), a.ID) - slices.Index(IDs(), b.ID) })
	err = errors.Join(err, record.write(r.spec.Cluster.ID, verdicts))
	if ctx.Err() != nil {
		return verdicts, errors.Join(fault.New(fault.KindOf(ctx.Err()), "prove what an installation assumes", context.Cause(ctx)), swept)
	}
	return verdicts, err
}

func (o Options) validate() error {
	if o.Key == "" || o.Secret == "" {
		return fault.Newf(fault.Denied, "work in zone "+o.Zone, "the credentials are missing").
			WithHint("set EXOSCALE_API_KEY and EXOSCALE_API_SECRET, or configure the exo CLI")
	}
	return nil
}
