package maintenance

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MatchSchedule matches a schedule of five fields: minute, hour, day of the month, month, day of the week.
func MatchSchedule(schedule string, at time.Time) (bool, error) {
	fields := strings.Fields(schedule)
	if len(fields) != 5 {
		return false, fmt.Errorf("expected exactly 5 fields, found %d: %q", len(fields), schedule)
	}
	for i, value := range []int{at.Minute(), at.Hour(), at.Day(), int(at.Month()), int(at.Weekday())} {
		matches, err := matchField(fields[i], value)
		if err != nil || !matches {
			return false, err
		}
	}
	return true, nil
}

// matchField matches fields such as "*/15", "1-5" or "0,30".
func matchField(field string, value int) (bool, error) {
	for part := range strings.SplitSeq(field, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			var err error
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
				return false, fmt.Errorf("failed to parse int from %s", part)
			}
		}
		from, to, err := parseBounds(span, stepped)
		if err != nil {
			return false, err
		}
		if value >= from && value <= to && (value-from)%step == 0 {
			return true, nil
		}
	}
	return false, nil
}

const unbounded = 60

func parseBounds(span string, stepped bool) (from, to int, err error) {
	if span == "*" {
		return 0, unbounded, nil
	}
	first, last, isRange := strings.Cut(span, "-")
	if from, err = strconv.Atoi(first); err != nil {
		return 0, 0, fmt.Errorf("failed to parse int from %s", first)
	}
	switch {
	case isRange:
		to, err = strconv.Atoi(last)
	case stepped:
		to = unbounded
	default:
		to = from
	}
	return from, to, err
}
