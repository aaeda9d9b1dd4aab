package codec

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/stable"
)

// Messages are encoded and decoded by what the tags of the types' fields say. The methods that are generated for the types do the same, and make
// the program 5 MB larger; tests hold the messages against theirs.

// field is a field of a message.
type field struct {
	number protowire.Number
	index  int // in the struct
}

// fieldsOf returns the fields of a struct that messages have, by their numbers.
func fieldsOf(of reflect.Type) []field {
	var fields []field
	for i := range of.NumField() {
		_, number, tagged := strings.Cut(of.Field(i).Tag.Get("protobuf"), ",")
		number, _, _ = strings.Cut(number, ",")
		if n, err := strconv.ParseInt(number, 10, 32); tagged && err == nil {
			fields = append(fields, field{number: protowire.Number(n), index: i})
		}
	}
	stable.Sort(fields, func(a, b field) int { return int(a.number - b.number) })
	return fields
}

// appendMessage appends the message of a struct, or of a list that has a message of its own.
func appendMessage(to []byte, value reflect.Value) []byte {
	switch special := value.Interface().(type) {
	case metav1.Time:
		if special.IsZero() {
			return to
		}
		return appendTimestamp(to, special.Unix(), 0)
	case metav1.MicroTime:
		if special.IsZero() {
			return to
		}
		return appendTimestamp(to, special.Unix(), special.Nanosecond()/1000*1000)
	case resource.Quantity:
		return protowire.AppendString(protowire.AppendTag(to, 1, protowire.BytesType), special.String())
	}
	if value.Kind() == reflect.Slice {
		return appendField(to, 1, value)
	}
	for _, f := range fieldsOf(value.Type()) {
		to = appendField(to, f.number, value.Field(f.index))
	}
	return to
}

func appendTimestamp(to []byte, seconds int64, nanoseconds int) []byte {
	to = protowire.AppendVarint(protowire.AppendTag(to, 1, protowire.VarintType), uint64(seconds))
	return protowire.AppendVarint(protowire.AppendTag(to, 2, protowire.VarintType), uint64(nanoseconds))
}

// appendField leaves out what is nil; other empty values are part of a message.
func appendField(to []byte, number protowire.Number, value reflect.Value) []byte {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return to
		}
		return appendValue(to, number, value.Elem())
	case reflect.Map:
		return appendMap(to, number, value)
	case reflect.Slice:
		if value.IsNil() {
			return to
		}
		if isBytes(value.Type()) {
			break
		}
		for i := range value.Len() {
			to = appendValue(to, number, value.Index(i))
		}
		return to
	}
	return appendValue(to, number, value)
}

func appendValue(to []byte, number protowire.Number, value reflect.Value) []byte {
	switch value.Kind() {
	case reflect.Pointer:
		return appendValue(to, number, value.Elem())
	case reflect.String:
		return protowire.AppendString(protowire.AppendTag(to, number, protowire.BytesType), value.String())
	case reflect.Bool:
		return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), protowire.EncodeBool(value.Bool()))
	case reflect.Int32, reflect.Int64:
		return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), uint64(value.Int()))
	case reflect.Float64:
		return protowire.AppendFixed64(protowire.AppendTag(to, number, protowire.Fixed64Type), math.Float64bits(value.Float()))
	}
	to = protowire.AppendTag(to, number, protowire.BytesType)
	if isBytes(value.Type()) {
		return protowire.AppendBytes(to, value.Bytes())
	}
	return protowire.AppendBytes(to, appendMessage(nil, value))
}

// appendMap appends an entry for each key, in the order of the keys.
func appendMap(to []byte, number protowire.Number, value reflect.Value) []byte {
	keys := value.MapKeys()
	stable.Sort(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		entry := appendValue(nil, 1, key)
		if item := value.MapIndex(key); !isBytes(item.Type()) || !item.IsNil() {
			entry = appendValue(entry, 2, item)
		}
		to = protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), entry)
	}
	return to
}

// decodeMessage sets what a message has; into is a struct, or a list that has a message of its own. Unknown fields are skipped.
func decodeMessage(message []byte, into reflect.Value) error {
	switch special := into.Addr().Interface().(type) {
	case *metav1.Time:
		moment, err := decodeTimestamp(message, false)
		special.Time = moment
		return err
	case *metav1.MicroTime:
		moment, err := decodeTimestamp(message, true)
		special.Time = moment
		return err
	case *resource.Quantity:
		return decodeQuantity(message, special)
	}
	fields := []field{{number: 1, index: -1}}
	if into.Kind() == reflect.Struct {
		fields = fieldsOf(into.Type())
	}
	return eachField(message, func(number protowire.Number, wire protowire.Type, content []byte) error {
		at := slices.IndexFunc(fields, func(f field) bool { return f.number == number })
		if at < 0 {
			return nil
		}
		target := into
		if fields[at].index >= 0 {
			target = into.Field(fields[at].index)
		}
		return decodeField(wire, content, target)
	})
}

// eachField calls do with each field of a message: what a number or text consists of, without its length.
func eachField(message []byte, do func(number protowire.Number, wire protowire.Type, content []byte) error) error {
	for len(message) > 0 {
		number, wire, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(number, wire, message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		content := message[:size]
		if wire == protowire.BytesType {
			content, _ = protowire.ConsumeBytes(content)
		}
		if err := do(number, wire, content); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}

func decodeField(wire protowire.Type, content []byte, into reflect.Value) error {
	switch {
	case into.Kind() == reflect.Pointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		return decodeField(wire, content, into.Elem())
	case into.Kind() == reflect.Map:
		return decodeEntry(wire, content, into)
	case into.Kind() != reflect.Slice || isBytes(into.Type()):
		return decodeValue(wire, content, into)
	case wire == protowire.BytesType && isInteger(into.Type().Elem()):
		for len(content) > 0 { // packed
			_, n := protowire.ConsumeVarint(content)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := decodeItem(protowire.VarintType, content[:n], into); err != nil {
				return err
			}
			content = content[n:]
		}
		return nil
	}
	return decodeItem(wire, content, into)
}

func isInteger(t reflect.Type) bool { return t.Kind() == reflect.Int32 || t.Kind() == reflect.Int64 }

func decodeItem(wire protowire.Type, content []byte, into reflect.Value) error {
	item := reflect.New(into.Type().Elem()).Elem()
	err := decodeValue(wire, content, item)
	into.Set(reflect.Append(into, item))
	return err
}

func decodeEntry(wire protowire.Type, entry []byte, into reflect.Value) error {
	if wire != protowire.BytesType {
		return fmt.Errorf("an entry of a map has the wire type %d", wire)
	}
	key, item := reflect.New(into.Type().Key()).Elem(), reflect.New(into.Type().Elem()).Elem()
	if item.Kind() == reflect.Slice {
		item.Set(reflect.MakeSlice(item.Type(), 0, 0))
	}
	err := eachField(entry, func(number protowire.Number, wire protowire.Type, content []byte) error {
		switch number {
		case 1:
			return decodeValue(wire, content, key)
		case 2:
			return decodeValue(wire, content, item)
		}
		return nil
	})
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	into.SetMapIndex(key, item)
	return err
}

func decodeValue(wire protowire.Type, content []byte, into reflect.Value) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		return decodeValue(wire, content, into.Elem())
	}
	isNumber := into.Kind() == reflect.Bool || into.CanInt()
	switch {
	case wire == protowire.VarintType && isNumber:
		number, _ := protowire.ConsumeVarint(content)
		setNumber(into, number)
	case wire == protowire.Fixed64Type && into.Kind() == reflect.Float64:
		number, _ := protowire.ConsumeFixed64(content)
		into.SetFloat(math.Float64frombits(number))
	case wire != protowire.BytesType || isNumber || into.CanFloat():
		return fmt.Errorf("a %s has the wire type %d", into.Type(), wire)
	case into.Kind() == reflect.String:
		into.SetString(string(content))
	case isBytes(into.Type()):
		into.SetBytes(append([]byte{}, content...))
	default:
		return decodeMessage(content, into)
	}
	return nil
}

func setNumber(into reflect.Value, number uint64) {
	if into.Kind() == reflect.Bool {
		into.SetBool(number != 0)
	} else {
		into.SetInt(int64(number))
	}
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// decodeTimestamp returns no time for an empty message.
func decodeTimestamp(message []byte, fractions bool) (time.Time, error) {
	if len(message) == 0 {
		return time.Time{}, nil
	}
	var seconds, nanoseconds int64
	err := eachField(message, func(number protowire.Number, wire protowire.Type, content []byte) error {
		if wire != protowire.VarintType {
			return nil
		}
		value, _ := protowire.ConsumeVarint(content)
		switch {
		case number == 1:
			seconds = int64(value)
		case number == 2 && fractions:
			nanoseconds = int64(value) / 1000 * 1000
		}
		return nil
	})
	return time.Unix(seconds, nanoseconds).Local(), err
}

func decodeQuantity(message []byte, into *resource.Quantity) error {
	return eachField(message, func(number protowire.Number, _ protowire.Type, content []byte) error {
		if number != 1 {
			return nil
		}
		parsed, err := resource.ParseQuantity(string(content))
		*into = parsed
		return err
	})
}
