package cel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// apply computes a function or operator. Which overload is meant depends on the arguments now: static types need not be known.
func apply(name string, args []any) (any, error) {
	switch name {
	case "_==_":
		return equal(args[0], args[1]), nil
	case "_!=_":
		return !equal(args[0], args[1]), nil
	case "_<_", "_<=_", "_>_", "_>=_":
		return applyOrder(name, args[0], args[1])
	case "@in":
		return applyIn(args[0], args[1])
	case "_[_]":
		return applyIndex(args[0], args[1])
	case "_+_", "_-_", "_*_", "_/_", "_%_":
		return applyArithmetic(name, args[0], args[1])
	case "!_":
		if value, ok := args[0].(bool); ok {
			return !value, nil
		}
		return nil, errNoOverload
	case "-_":
		return negate(args[0])
	case "size":
		return applySize(args[0])
	case "type":
		return typeOf(args[0]), nil
	case "dyn":
		return args[0], nil
	case "contains", "endsWith", "startsWith", "matches":
		return applyText(name, args[0], args[1])
	}
	if converted, err, ok := convert(kind(name), args[0]); ok {
		return converted, err
	}
	return applyTime(name, args)
}

func applyOrder(name string, a, b any) (any, error) {
	order, err := compare(a, b)
	if err != nil {
		return nil, err
	}
	switch name {
	case "_<_":
		return order < 0, nil
	case "_<=_":
		return order <= 0, nil
	case "_>_":
		return order > 0, nil
	}
	return order >= 0, nil
}

func applyIn(item, of any) (any, error) {
	switch of := of.(type) {
	case []any:
		for _, candidate := range of {
			if equal(item, candidate) {
				return true, nil
			}
		}
		return false, nil
	case *dictionary:
		_, found := of.find(item)
		return found, nil
	}
	return nil, errNoOverload
}

func applyIndex(of, index any) (any, error) {
	switch of := of.(type) {
	case []any:
		form, _ := formOfKey(index)
		i, ok := form.(int64)
		if !ok || i < 0 || i >= int64(len(of)) {
			return nil, fmt.Errorf("index out of bounds: %v", index)
		}
		return of[i], nil
	case *dictionary:
		if value, found := of.find(index); found {
			return value, nil
		}
		return nil, fmt.Errorf("no such key: %v", index)
	}
	return nil, errNoOverload
}

func applySize(of any) (any, error) {
	switch of := of.(type) {
	case string:
		return int64(utf8.RuneCountInString(of)), nil
	case []byte:
		return int64(len(of)), nil
	case []any:
		return int64(len(of)), nil
	case *dictionary:
		return int64(len(of.values)), nil
	}
	return nil, errNoOverload
}

func applyText(name string, a, b any) (any, error) {
	value, ok := a.(string)
	argument, okToo := b.(string)
	if !ok || !okToo {
		return nil, errNoOverload
	}
	switch name {
	case "contains":
		return strings.Contains(value, argument), nil
	case "endsWith":
		return strings.HasSuffix(value, argument), nil
	case "startsWith":
		return strings.HasPrefix(value, argument), nil
	}
	pattern, err := regexp.Compile(argument)
	if err != nil {
		return nil, err
	}
	return pattern.MatchString(value), nil
}

func applyTime(name string, args []any) (any, error) {
	if d, ok := args[0].(time.Duration); ok && len(args) == 1 {
		return applyDuration(name, d)
	}
	t, ok := args[0].(time.Time)
	if !ok {
		return nil, errNoOverload
	}
	if len(args) == 2 {
		zone, ok := args[1].(string)
		if !ok {
			return nil, errNoOverload
		}
		location, err := parseZone(zone)
		if err != nil {
			return nil, err
		}
		t = t.In(location)
	} else {
		t = t.UTC()
	}
	return pickPart(name, t)
}

func pickPart(name string, t time.Time) (any, error) {
	parts := map[string]int{
		"getFullYear": t.Year(), "getMonth": int(t.Month()) - 1, "getDayOfYear": t.YearDay() - 1, "getDayOfMonth": t.Day() - 1,
		"getDate": t.Day(), "getDayOfWeek": int(t.Weekday()), "getHours": t.Hour(), "getMinutes": t.Minute(), "getSeconds": t.Second(),
		"getMilliseconds": t.Nanosecond() / int(time.Millisecond),
	}
	part, ok := parts[name]
	if !ok {
		return nil, errNoOverload
	}
	return int64(part), nil
}

func applyDuration(name string, d time.Duration) (any, error) {
	switch name {
	case "getHours":
		return int64(d / time.Hour), nil
	case "getMinutes":
		return int64(d / time.Minute), nil
	case "getSeconds":
		return int64(d / time.Second), nil
	case "getMilliseconds":
		return int64(d / time.Millisecond), nil
	}
	return nil, errNoOverload
}

// parseZone reads the name of a time zone, or a distance as "+02:00" or "-5:30".
func parseZone(zone string) (*time.Location, error) {
	hours, minutes, ok := strings.Cut(zone, ":")
	if !ok {
		return time.LoadLocation(zone)
	}
	h, err := strconv.Atoi(hours)
	if err != nil {
		return nil, err
	}
	m, err := strconv.Atoi(minutes)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(hours, "-") {
		m = -m
	}
	return time.FixedZone("", (h*60+m)*60), nil
}
