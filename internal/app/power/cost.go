package power

import (
	"math"

	"exoshift/assets"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
)

// Cost is an estimate of what a cluster costs an hour, without object storage, volumes and traffic.
type Cost struct {
	Running float64 `json:"running"`
	Stopped float64 `json:"stopped"` // of disks and addresses, which stay
	Date    string  `json:"date"`    // of the prices
}

// estimate has a stopped machine cost its disk.
func estimate(spec state.Spec) (Cost, error) {
	whole, err := preflight.Estimate(spec)
	if err != nil {
		return Cost{}, err
	}
	prices, err := assets.ReadPrices()
	if err != nil {
		return Cost{}, err
	}
	cost := Cost{Running: whole.Hour, Date: whole.Date}
	if !spec.IsRoundRobin() {
		cost.Stopped += 2 * prices.ElasticIP
	}
	for _, machine := range append(spec.Machines(state.RoleLoadBalancer), spec.Nodes()...) {
		cost.Stopped += prices.DiskGiB * float64(machine.RootDisk+machine.DataDisk)
	}
	cost.Stopped = math.Round(cost.Stopped*1e4) / 1e4
	return cost, nil
}
