package upgrade

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// parseMinor returns N of 4.N.x; 0 for another form.
func parseMinor(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) < 3 {
		return 0
	}
	minor, _ := strconv.Atoi(parts[1])
	return minor
}

// compare orders releases of the form 4.N.x by their numbers.
func compare(a, b string) int {
	patch := func(version string) int {
		number, _, _ := strings.Cut(version[strings.LastIndex(version, ".")+1:], "-")
		value, _ := strconv.Atoi(number)
		return value
	}
	return cmp.Or(cmp.Compare(parseMinor(a), parseMinor(b)), cmp.Compare(patch(a), patch(b)))
}

// listChannels returns the channels that have a release.
func listChannels(version string) []string {
	minor := parseMinor(version)
	var channels []string
	for _, kind := range []string{"candidate", "fast", "stable"} {
		channels = append(channels, fmt.Sprintf("%s-4.%d", kind, minor), fmt.Sprintf("%s-4.%d", kind, minor+1))
	}
	if minor%2 == 0 {
		channels = append(channels, fmt.Sprintf("eus-4.%d", minor))
	}
	return channels
}
