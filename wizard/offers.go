package wizard

import (
	"fmt"
	"strings"
)

// offer is an instance type: <family>.<size>, its number of CPUs and its memory in GiB.
type offer struct {
	name   string
	cpus   int
	memory float64
}

// catalogue lists Exoscale's instance types as its API listed them on 2026-08-21: cpus/GiB after each size. Not
// every zone has every family; the preflight asks the zone.
const catalogue = `
standard micro 1/0.5 tiny 1/1 small 2/2 medium 2/4 large 4/8 extra-large 4/16 huge 8/32 mega 12/64 titan 16/128 jumbo 24/225 colossus 40/320
cpu extra-large 8/16 huge 16/32 mega 32/64 titan 40/128 titan48c 48/128 colossus 80/320
memory extra-large 2/16 huge 4/32 mega 8/64 titan 12/128
storage extra-large 4/16 huge 8/32 mega 12/64 titan 16/128 jumbo 24/225
gpu2 small 12/56 medium 16/90 large 24/120 huge 48/225
gpua30 small 12/56 medium 16/90 large 24/120 huge 48/225
gpu3 small 12/56 medium 24/120 large 48/224 huge 96/448
gpua5000 small 12/56 medium 24/112 large 48/224
gpu3080ti small 12/56 medium 24/112 large 48/224
gpurtx6000pro small 36/120 medium 72/240 large 144/480 huge 248/960
gpub300 huge 248/2560
`

// offers reads the catalogue.
func offers() []offer {
	var all []offer
	for line := range strings.Lines(strings.TrimSpace(catalogue)) {
		words := strings.Fields(line)
		for i := 1; i+1 < len(words); i += 2 {
			o := offer{name: words[0] + "." + words[i]}
			if _, err := fmt.Sscanf(words[i+1], "%d/%g", &o.cpus, &o.memory); err == nil {
				all = append(all, o)
			}
		}
	}
	return all
}

func findOffer(name string) (offer, bool) {
	for _, o := range offers() {
		if o.name == name {
			return o, true
		}
	}
	return offer{}, false
}

func (o offer) String() string { return fmt.Sprintf("%s (%d CPUs, %g GiB)", o.name, o.cpus, o.memory) }

// atLeast refuses instance types that are unknown, or smaller than the role's default: these are not supported.
func atLeast(usual string) rule {
	return func(value string) []Fault {
		least, _ := findOffer(usual)
		allowed := least.String() + " or larger"
		chosen, ok := findOffer(value)
		switch {
		case !ok:
			return wrong(quote(value)+" is no known instance type", allowed, nearest(value, offerNames()))
		case chosen.cpus < least.cpus || chosen.memory < least.memory:
			return wrong(chosen.String()+" is too small", allowed, "")
		}
		return nil
	}
}

func offerNames() []string {
	var names []string
	for _, o := range offers() {
		names = append(names, o.name)
	}
	return names
}

// rootLimit is the largest disk in GiB that an instance type boots from, by its size. Exoscale's documentation names
// neither GPU types nor the sizes beyond jumbo: these have the limit of the API.
func rootLimit(instanceType string) int {
	family, size, _ := strings.Cut(instanceType, ".")
	if strings.HasPrefix(family, "gpu") {
		return maxDisk
	}
	switch size {
	case "micro":
		return 200
	case "tiny", "small", "medium", "large":
		return 400
	case "extra-large", "huge", "mega":
		return 800
	case "titan", "jumbo":
		return 1600
	}
	return maxDisk
}
