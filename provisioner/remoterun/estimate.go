package remoterun

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	// estimatedMinutes is the lifetime of the machine, from the usual duration of each part.
	estimatedMinutes = 5
	// minDiskGiB is the smallest disk of an instance, in GiB.
	minDiskGiB = 10
)

// Estimate is the expected cost of a run in the zone.
type Estimate struct {
	Zone    string
	Type    string  // instance type
	Minutes int     // of the machine's lifetime, about
	Upload  int64   // bytes
	Hour    float64 // of the machine; 0 if unknown
	Date    string  // of the price
}

// Estimate returns the expected cost of a run of a program. It reads from the zone and changes nothing.
func (z *Zone) Estimate(ctx context.Context, program Program) (Estimate, error) {
	packed, err := packProgram(program)
	if err != nil {
		return Estimate{}, err
	}
	cloud, _, end, err := z.options.Connect(state.NoJournal{})
	if err != nil {
		return Estimate{}, err
	}
	defer end()
	prices, err := assets.ReadPrices()
	if err != nil {
		return Estimate{}, fault.New(fault.Internal, "estimate what a machine in the zone costs", err)
	}
	machine, err := pickCheapest(ctx, cloud, prices, z.options.Job)
	if err != nil {
		return Estimate{}, err
	}
	hour, _ := prices.PerHour(state.KindInstance, machine, minDiskGiB)
	return Estimate{
		Zone: z.options.Zone, Type: machine, Minutes: estimatedMinutes, Upload: int64(len(packed.content)), Hour: hour, Date: prices.Date,
	}, nil
}

func (t Estimate) String() string {
	text := fmt.Sprintf("One instance (%s) runs in zone %s for about %d minutes and is then deleted. %s are uploaded.",
		t.Type, t.Zone, t.Minutes, formatMegabytes(t.Upload))
	if t.Hour == 0 {
		return text + " Its price is not known."
	}
	return text + fmt.Sprintf(" One hour costs about %.2f (CHF, EUR or USD; prices of %s).", t.Hour, t.Date)
}

func pickCheapest(ctx context.Context, cloud Cloud, prices assets.Prices, job Job) (string, error) {
	offered, err := cloud.ListInstanceTypes(ctx)
	if err != nil {
		return "", err
	}
	small := []string{"standard.micro", "standard.tiny", "standard.small"}
	offered = slices.DeleteFunc(offered, func(t state.InstanceType) bool { return !t.Authorized || !slices.Contains(small, t.Name) })
	if len(offered) == 0 {
		return "", fault.Newf(fault.Quota, "choose a machine", "the organization is authorized to use none of %v in this zone", small).
			WithHint("ask Exoscale to authorize standard.micro, or %s", job.Instead)
	}
	return slices.MinFunc(offered, func(a, b state.InstanceType) int {
		return cmp.Or(cmp.Compare(prices.Instances[a.Name], prices.Instances[b.Name]), cmp.Compare(a.MemoryGiB, b.MemoryGiB))
	}).Name, nil
}
