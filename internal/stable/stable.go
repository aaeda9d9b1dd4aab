// Package stable sorts lists. It is there because slices.SortFunc is compiled anew for each type of element, which would make the
// program 2 MB larger.
package stable

import "slices"

// Sort sorts list in place by compare, which returns a negative number if a comes before b. What is equal keeps its order.
func Sort[E any](list []E, compare func(a, b E) int) {
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return compare(list[a], list[b]) })
	unsorted := slices.Clone(list)
	for i, place := range places {
		list[i] = unsorted[place]
	}
}
