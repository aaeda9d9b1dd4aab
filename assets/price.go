package assets

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Prices are hourly prices of one date; what they add up to is an estimate.
type Prices struct {
	Date         string             `yaml:"date"` // YYYY-MM-DD
	DiskGiB      float64            `yaml:"diskGiB"`
	VolumeGiB    float64            `yaml:"volumeGiB"`
	SnapshotGiB  float64            `yaml:"snapshotGiB"`
	TemplateGiB  float64            `yaml:"templateGiB"`
	ElasticIP    float64            `yaml:"elasticIP"`
	LoadBalancer float64            `yaml:"loadBalancer"`
	Instances    map[string]float64 `yaml:"instances"` // by type, e.g. "standard.large"
}

// HoursOfMonth is how many hours an estimate counts a month for.
const HoursOfMonth = 720

// ReadPrices returns the built-in prices.
func ReadPrices() (Prices, error) {
	content, err := files.ReadFile("prices.yaml")
	if err != nil {
		return Prices{}, fmt.Errorf("read the price list: %w", err)
	}
	var prices Prices
	if err := yaml.UnmarshalWithOptions(content, &prices, yaml.Strict()); err != nil {
		return Prices{}, fmt.Errorf("read the price list: %w", err)
	}
	return prices, nil
}

// PerHour returns what an object costs, and false if its kind costs something that has no known price. An instance's disk
// is counted by its size in GiB.
func (p Prices) PerHour(kind, instanceType string, gib int) (price float64, known bool) {
	size := float64(gib)
	switch kind {
	case "instance":
		price, known = p.Instances[instanceType]
		return price + p.DiskGiB*size, known
	case "elastic-ip":
		return p.ElasticIP, true
	case "load-balancer":
		return p.LoadBalancer, true
	case "block-volume":
		return p.VolumeGiB * size, true
	case "snapshot", "block-snapshot":
		return p.SnapshotGiB * size, true
	case "template":
		return p.TemplateGiB * size, true
	case "bucket", "dns-zone":
		return 0, false
	}
	return 0, true
}
