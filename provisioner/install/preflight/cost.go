package preflight

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/state"
)

// Cost is an estimate of what a cluster costs once it is installed, without object storage and traffic.
type Cost struct {
	Hour    float64  `json:"hour"`
	Month   float64  `json:"month"`             // of 720 hours
	Date    string   `json:"date"`              // of the prices
	Unknown []string `json:"unknown,omitempty"` // instance types without a price
}

// Estimate adds up the prices of machines, disks and addresses.
func Estimate(spec state.Spec) (Cost, error) {
	prices, err := assets.ReadPrices()
	if err != nil {
		return Cost{}, err
	}
	cost := Cost{Date: prices.Date}
	if !spec.IsRoundRobin() {
		cost.Hour += 2 * prices.ElasticIP
	}
	for _, machine := range append(spec.Machines(state.RoleLoadBalancer), spec.Nodes()...) {
		price, known := prices.PerHour(state.KindInstance, machine.Type, machine.RootDisk+machine.DataDisk)
		if !known && !slices.Contains(cost.Unknown, machine.Type) {
			cost.Unknown = append(cost.Unknown, machine.Type)
		}
		cost.Hour += price
	}
	cost.Hour, cost.Month = math.Round(cost.Hour*1e4)/1e4, math.Round(cost.Hour*assets.HoursOfMonth)
	return cost, nil
}

func (c Cost) String() string {
	text := fmt.Sprintf("costs about %.2f an hour, %.0f a month (CHF, EUR or USD): an estimate with the prices of %s, without object storage and traffic", c.Hour, c.Month, c.Date)
	if len(c.Unknown) > 0 {
		text += "; not included (price unknown): " + strings.Join(c.Unknown, ", ")
	}
	return text
}
