package cel

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Timestamps are between the years 1 and 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

var errRange = errors.New("range error converting a value")

// convert converts a value to another type; ok is false if the function's name is not that of a type.
func convert(to kind, value any) (converted any, err error, ok bool) { //nolint:revive // whether there is such a function is no error
	converters := map[kind]func(any) (any, error){
		boolKind: toBool, bytesKind: toBytes, doubleKind: toDouble, intKind: toInt, uintKind: toUint, stringKind: toString,
		"timestamp": toTimestamp, "duration": toDuration,
	}
	convert, ok := converters[to]
	if !ok {
		return nil, nil, false
	}
	converted, err = convert(value)
	return converted, err, true
}

func toBool(value any) (any, error) {
	switch value := value.(type) {
	case bool:
		return value, nil
	case string:
		return strconv.ParseBool(value)
	}
	return nil, errNoOverload
}

func toBytes(value any) (any, error) {
	switch value := value.(type) {
	case []byte:
		return value, nil
	case string:
		return []byte(value), nil
	}
	return nil, errNoOverload
}

func toDouble(value any) (any, error) {
	switch value := value.(type) {
	case float64:
		return value, nil
	case int64:
		return float64(value), nil
	case uint64:
		return float64(value), nil
	case string:
		return strconv.ParseFloat(value, 64)
	}
	return nil, errNoOverload
}

func toInt(value any) (any, error) {
	switch value := value.(type) {
	case int64:
		return value, nil
	case uint64:
		if value > math.MaxInt64 {
			return nil, errRange
		}
		return int64(value), nil
	case float64:
		if math.IsNaN(value) || value <= math.MinInt64 || value >= math.MaxInt64 {
			return nil, errRange
		}
		return int64(value), nil
	case string:
		return strconv.ParseInt(value, 10, 64)
	case time.Time:
		return value.Unix(), nil
	case time.Duration:
		return int64(value), nil
	}
	return nil, errNoOverload
}

func toUint(value any) (any, error) {
	switch value := value.(type) {
	case uint64:
		return value, nil
	case int64:
		if value < 0 {
			return nil, errRange
		}
		return uint64(value), nil
	case float64:
		if math.IsNaN(value) || value < 0 || value >= math.MaxUint64 {
			return nil, errRange
		}
		return uint64(value), nil
	case string:
		return strconv.ParseUint(value, 10, 64)
	}
	return nil, errNoOverload
}

func toString(value any) (any, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case bool, int64, uint64:
		return fmt.Sprint(value), nil
	case float64:
		return fmt.Sprintf("%g", value), nil
	case []byte:
		if !utf8.Valid(value) {
			return nil, errors.New("invalid UTF-8 in bytes, cannot convert to string")
		}
		return string(value), nil
	case time.Time:
		return value.Format(time.RFC3339Nano), nil
	case time.Duration:
		return strconv.FormatFloat(value.Seconds(), 'f', -1, 64) + "s", nil
	}
	return nil, errNoOverload
}

func toTimestamp(value any) (any, error) {
	var converted time.Time
	switch value := value.(type) {
	case time.Time:
		return value, nil
	case int64:
		if value < firstSecond || value > lastSecond {
			return nil, errRange
		}
		converted = time.Unix(value, 0).UTC()
	case string:
		var err error
		if converted, err = time.Parse(time.RFC3339, value); err != nil {
			return nil, err
		}
	default:
		return nil, errNoOverload
	}
	return checkTime(converted)
}

func checkTime(t time.Time) (any, error) {
	if t.Unix() < firstSecond || t.Unix() > lastSecond {
		return nil, errors.New("timestamp overflow")
	}
	return t, nil
}

func toDuration(value any) (any, error) {
	switch value := value.(type) {
	case time.Duration:
		return value, nil
	case string:
		return time.ParseDuration(value)
	}
	return nil, errNoOverload
}
