package ceph

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"exoshift/internal/stable"
)

// mapGroup returns the OSDs that are to have a group, each on a host of its own.
func (s *storage) mapGroup(group int) []int {
	weights := make([]byte, 0, 64)
	for _, one := range s.OSDs {
		if one.In && one.Weight > 0 {
			weights = fmt.Appendf(weights, "%d %v,", one.ID, one.Weight)
		}
	}
	if s.mapped == nil || s.mappedFor != string(weights) {
		s.mapped, s.mappedFor = map[int][]int{}, string(weights)
	}
	ids, known := s.mapped[group]
	if !known {
		ids = s.draw(group)
		s.mapped[group] = ids
	}
	return ids
}

// draw has hosts draw lots by their weight, as in CRUSH's straw2, so that a change of one weight moves as little as possible.
func (s *storage) draw(group int) []int {
	hosts := map[string]float64{}
	for _, one := range s.OSDs {
		if one.In && one.Weight > 0 {
			hosts[one.Host] += one.Weight
		}
	}
	names := make([]string, 0, len(hosts))
	for name := range hosts {
		names = append(names, name)
	}
	stable.Sort(names, func(a, b string) int {
		if d := drawStraw(group, b, hosts[b]) - drawStraw(group, a, hosts[a]); d != 0 {
			return int(math.Copysign(1, d))
		}
		return slices.Compare([]string{a}, []string{b})
	})
	var ids []int
	for _, name := range names[:min(poolSize, len(names))] {
		ids = append(ids, s.chooseDisk(group, name))
	}
	slices.Sort(ids)
	return ids
}

func (s *storage) chooseDisk(group int, host string) int {
	chosen, best := -1, math.Inf(-1)
	for _, one := range s.OSDs {
		if one.Host != host || !one.In || one.Weight == 0 {
			continue
		}
		if straw := drawStraw(group, fmt.Sprint(host, "/", one.ID), one.Weight); straw > best {
			chosen, best = one.ID, straw
		}
	}
	return chosen
}

// drawStraw returns a number that is the greater the more weight there is.
func drawStraw(group int, name string, weight float64) float64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name + "/" + strconv.Itoa(group))) // never fails
	x := hash.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return math.Log((float64(x>>11)+1)/(1<<53)) / weight
}
