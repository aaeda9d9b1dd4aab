package wizard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// InstanceType is an instance type of Exoscale.
type InstanceType struct {
	Name   string // <family>.<size>
	CPUs   int
	Memory float64 // GiB
}

// catalogue lists Exoscale's instance types as listed by its API on 2026-08-21: cpus/GiB after each size. Not every zone
// has every family; the preflight checks the zone.
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

// ListInstanceTypes returns the instance types that are known, from small to large in each family. A zone may lack some
// of them, and an organization needs Exoscale's consent for others: only the zone's API is reliable.
func ListInstanceTypes() []InstanceType {
	var all []InstanceType
	for line := range strings.Lines(strings.TrimSpace(catalogue)) {
		words := strings.Fields(line)
		for i := 1; i+1 < len(words); i += 2 {
			cpus, memory, _ := strings.Cut(words[i+1], "/")
			o := InstanceType{Name: words[0] + "." + words[i]}
			o.CPUs, _ = strconv.Atoi(cpus)
			o.Memory, _ = strconv.ParseFloat(memory, 64)
			all = append(all, o)
		}
	}
	return all
}

func findInstanceType(name string) (InstanceType, bool) {
	all := ListInstanceTypes()
	i := slices.IndexFunc(all, func(o InstanceType) bool { return o.Name == name })
	if i < 0 {
		return InstanceType{}, false
	}
	return all[i], true
}

func (o InstanceType) String() string {
	return fmt.Sprintf("%s (%d CPUs, %g GiB)", o.Name, o.CPUs, o.Memory)
}

// Types smaller than the role's default are not supported.
func newMinTypeRule(usual string) rule {
	return func(value string) []Problem {
		least, _ := findInstanceType(usual)
		allowed := least.String() + " or larger"
		chosen, ok := findInstanceType(value)
		switch {
		case !ok:
			return newProblem(quote(value)+" is no known instance type", allowed, findNearest(value, listTypeNames()))
		case chosen.CPUs < least.CPUs || chosen.Memory < least.Memory:
			return newProblem(chosen.String()+" is too small: smaller types than the default are not supported", allowed, "")
		}
		return nil
	}
}

func listTypeNames() []string {
	var names []string
	for _, o := range ListInstanceTypes() {
		names = append(names, o.Name)
	}
	return names
}

// In GiB. Exoscale's documentation names neither GPU types nor the sizes beyond jumbo: these have the limit of the API.
func maxRootDisk(instanceType string) int {
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
