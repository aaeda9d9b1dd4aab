// Package instancetype lists Exoscale's instance types with their processors, memory and largest root disks.
package instancetype

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Type is an instance type of Exoscale.
type Type struct {
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

// List returns the instance types that are known, from small to large in each family. A zone may lack some
// of them, and an organization needs Exoscale's consent for others: only the zone's API is reliable.
func List() []Type {
	var all []Type
	for line := range strings.Lines(strings.TrimSpace(catalogue)) {
		words := strings.Fields(line)
		for i := 1; i+1 < len(words); i += 2 {
			cpus, memory, _ := strings.Cut(words[i+1], "/")
			o := Type{Name: words[0] + "." + words[i]}
			o.CPUs, _ = strconv.Atoi(cpus)
			o.Memory, _ = strconv.ParseFloat(memory, 64)
			all = append(all, o)
		}
	}
	return all
}

// Find returns the type of a name.
func Find(name string) (Type, bool) {
	all := List()
	i := slices.IndexFunc(all, func(o Type) bool { return o.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return all[i], true
}

func (o Type) String() string {
	return fmt.Sprintf("%s (%d CPUs, %g GiB)", o.Name, o.CPUs, o.Memory)
}

// ListNames returns the names of all types.
func ListNames() []string {
	var names []string
	for _, o := range List() {
		names = append(names, o.Name)
	}
	return names
}

// MaxDisk is the limit of the API, in GiB.
const MaxDisk = 51200

// MaxRootDisk returns the largest root disk of an instance type, in GiB. Exoscale's documentation names neither GPU types nor the sizes beyond jumbo: these have the limit of the API.
func MaxRootDisk(instanceType string) int {
	family, size, _ := strings.Cut(instanceType, ".")
	if strings.HasPrefix(family, "gpu") {
		return MaxDisk
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
	return MaxDisk
}
