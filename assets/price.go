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

// PriceList returns the prices that this program knows.
func PriceList() (Prices, error) {
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
