package cel

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"time"
)

var (
	errOverflow = errors.New("overflow")
	errZero     = errors.New("division by zero")
)

// applyArithmetic computes with two values of one type, and with times. Integers do not wrap around.
func applyArithmetic(operator string, a, b any) (any, error) {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return computeInt(operator, x, y)
		}
	case uint64:
		if y, ok := b.(uint64); ok {
			return computeUint(operator, x, y)
		}
	case float64:
		if y, ok := b.(float64); ok {
			return computeDouble(operator, x, y)
		}
	case time.Time, time.Duration:
		return computeTime(operator, a, b)
	}
	if operator != "_+_" {
		return nil, errNoOverload
	}
	return join(a, b)
}

func join(a, b any) (any, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return x + y, nil
		}
	case []byte:
		if y, ok := b.([]byte); ok {
			return slices.Concat(x, y), nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			return slices.Concat(x, y), nil
		}
	}
	return nil, errNoOverload
}

func negate(value any) (any, error) {
	switch value := value.(type) {
	case int64:
		return computeInt("_-_", 0, value)
	case float64:
		return -value, nil
	case time.Duration:
		negated, err := computeInt("_-_", 0, int64(value))
		if err != nil {
			return nil, err
		}
		return time.Duration(negated), nil
	}
	return nil, errNoOverload
}

func computeInt(operator string, x, y int64) (result int64, err error) {
	ok := true
	switch operator {
	case "_+_":
		result = x + y
		ok = (result > x) == (y > 0)
	case "_-_":
		result = x - y
		ok = (result < x) == (y > 0)
	case "_*_":
		result = x * y
		ok = x == 0 || result/x == y && (x != -1 || y != math.MinInt64)
	case "_/_", "_%_":
		if y == 0 {
			return 0, errZero
		}
		if x == math.MinInt64 && y == -1 {
			return 0, errOverflow
		}
		if result = x / y; operator == "_%_" {
			result = x % y
		}
	}
	if !ok {
		return 0, errOverflow
	}
	return result, nil
}

func computeUint(operator string, x, y uint64) (result uint64, err error) {
	var overflow uint64
	switch operator {
	case "_+_":
		result, overflow = bits.Add64(x, y, 0)
	case "_-_":
		result, overflow = bits.Sub64(x, y, 0)
	case "_*_":
		overflow, result = bits.Mul64(x, y)
	case "_/_", "_%_":
		if y == 0 {
			return 0, errZero
		}
		if result = x / y; operator == "_%_" {
			result = x % y
		}
	}
	if overflow != 0 {
		return 0, errOverflow
	}
	return result, nil
}

func computeDouble(operator string, x, y float64) (any, error) {
	switch operator {
	case "_+_":
		return x + y, nil
	case "_-_":
		return x - y, nil
	case "_*_":
		return x * y, nil
	case "_/_":
		return x / y, nil
	}
	return nil, errNoOverload
}

func computeTime(operator string, a, b any) (any, error) {
	if operator != "_+_" && operator != "_-_" {
		return nil, errNoOverload
	}
	switch x := a.(type) {
	case time.Duration:
		switch y := b.(type) {
		case time.Duration:
			sum, err := computeInt(operator, int64(x), int64(y))
			return time.Duration(sum), err
		case time.Time:
			if operator == "_+_" {
				return checkTime(y.Add(x))
			}
		}
	case time.Time:
		switch y := b.(type) {
		case time.Duration:
			if operator == "_-_" {
				y = -y
			}
			return checkTime(x.Add(y))
		case time.Time:
			if operator == "_-_" {
				return subtractTimes(x, y)
			}
		}
	}
	return nil, errNoOverload
}

func subtractTimes(a, b time.Time) (any, error) {
	between := a.Sub(b)
	if between == math.MaxInt64 || between == math.MinInt64 { // Sub does not go beyond
		return nil, errOverflow
	}
	return between, nil
}
