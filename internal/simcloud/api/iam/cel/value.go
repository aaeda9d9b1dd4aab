package cel

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Values are nil, bool, int64, uint64, float64, string, []byte, time.Time, time.Duration, kind, []any and *dictionary.

// dictionary is a map. Keys that are equal numbers are one key, whatever their type.
type dictionary struct {
	keys   []any
	values map[any]any // by the form of a key
}

func newDictionary() *dictionary { return &dictionary{values: map[any]any{}} }

func (d *dictionary) set(key, value any) error {
	form, ok := formOfKey(key)
	if !ok {
		return fmt.Errorf("unsupported key type: %s", typeOf(key))
	}
	if _, known := d.values[form]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[form] = value
	return nil
}

func (d *dictionary) find(key any) (any, bool) {
	form, ok := formOfKey(key)
	if !ok {
		return nil, false
	}
	value, found := d.values[form]
	return value, found
}

// formOfKey is the same for keys that are equal.
func formOfKey(key any) (form any, ok bool) {
	switch key := key.(type) {
	case uint64:
		if key <= math.MaxInt64 {
			return int64(key), true
		}
	case float64:
		if i, ok := toExactInt(key); ok {
			return i, true
		}
	case []byte, []any, *dictionary:
		return nil, false
	}
	return key, true
}

// toExactInt converts a number without a fraction.
func toExactInt(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < -(1<<63) || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

func fromJSON(value any) any {
	switch value := value.(type) {
	case map[string]any:
		d := newDictionary()
		for name, field := range value {
			d.keys = append(d.keys, name)
			d.values[name] = fromJSON(field)
		}
		return d
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			items[i] = fromJSON(item)
		}
		return items
	}
	return value
}

func typeOf(value any) kind {
	switch value.(type) {
	case nil:
		return nullKind
	case bool:
		return boolKind
	case int64:
		return intKind
	case uint64:
		return uintKind
	case float64:
		return doubleKind
	case string:
		return stringKind
	case []byte:
		return bytesKind
	case time.Time:
		return timestampKind
	case time.Duration:
		return durationKind
	case []any:
		return listKind
	case *dictionary:
		return mapKind
	default:
		return typeKind
	}
}

// equal compares any values: those of different types are not equal, except for numbers.
func equal(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case *dictionary:
		y, ok := b.(*dictionary)
		return ok && x.equals(y)
	case nil:
		return b == nil
	case kind:
		return b == x
	}
	order, err := compare(a, b)
	return err == nil && order == 0
}

func (d *dictionary) equals(other *dictionary) bool {
	if len(d.values) != len(other.values) {
		return false
	}
	for form, value := range d.values {
		if counterpart, ok := other.values[form]; !ok || !equal(value, counterpart) {
			return false
		}
	}
	return true
}

var errNoOverload = errors.New("no such overload")

// compare orders values of one type, and numbers of all types.
func compare(a, b any) (int, error) {
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b)
	}
	switch x := a.(type) {
	case bool:
		if y, ok := b.(bool); ok {
			return cmp.Compare(toBit(x), toBit(y)), nil
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	case []byte:
		if y, ok := b.([]byte); ok {
			return bytes.Compare(x, y), nil
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y), nil
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return cmp.Compare(x, y), nil
		}
	}
	return 0, errNoOverload
}

func toBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isNumber(value any) bool {
	switch value.(type) {
	case int64, uint64, float64:
		return true
	}
	return false
}

func compareNumbers(a, b any) (int, error) {
	x, isFloat := a.(float64)
	y, isFloatToo := b.(float64)
	switch {
	case isFloat && isFloatToo:
		if math.IsNaN(x) || math.IsNaN(y) {
			return 0, errors.New("NaN values cannot be ordered")
		}
		return cmp.Compare(x, y), nil
	case isFloat:
		return compareFloat(x, b)
	case isFloatToo:
		order, err := compareFloat(y, a)
		return -order, err
	}
	return compareIntegers(a, b), nil
}

func compareFloat(f float64, integer any) (int, error) {
	lowest, highest, converted := 0.0, float64(math.MaxUint64), 0.0
	switch i := integer.(type) {
	case int64:
		lowest, highest, converted = math.MinInt64, math.MaxInt64, float64(i)
	case uint64:
		converted = float64(i)
	}
	switch {
	case math.IsNaN(f):
		return 0, errors.New("NaN values cannot be ordered")
	case f < lowest:
		return -1, nil
	case f > highest:
		return 1, nil
	}
	return cmp.Compare(f, converted), nil
}

func compareIntegers(a, b any) int {
	x, signed := a.(int64)
	y, signedToo := b.(int64)
	switch {
	case signed && signedToo:
		return cmp.Compare(x, y)
	case signed && x < 0:
		return -1
	case signedToo && y < 0:
		return 1
	}
	return cmp.Compare(toUnsigned(a), toUnsigned(b))
}

func toUnsigned(integer any) uint64 {
	if i, ok := integer.(int64); ok {
		return uint64(i)
	}
	u, _ := integer.(uint64)
	return u
}
