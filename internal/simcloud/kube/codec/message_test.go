package codec

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// fill sets fields at random, also those of what they consist of.
func fill(random *rand.Rand, value reflect.Value, depth int) {
	switch special := value.Addr().Interface().(type) {
	case *metav1.Time:
		special.Time = time.Unix(random.Int64N(4e9), 0)
		return
	case *metav1.MicroTime:
		special.Time = time.Unix(random.Int64N(4e9), random.Int64N(1e6)*1000)
		return
	case *resource.Quantity:
		*special = *resource.NewQuantity(random.Int64N(1e6)-1000, resource.BinarySI)
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if depth > 0 && random.IntN(3) > 0 {
			value.Set(reflect.New(value.Type().Elem()))
			fill(random, value.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).Tag.Get("protobuf") != "" {
				fill(random, value.Field(i), depth)
			}
		}
	case reflect.Slice:
		if depth > 0 && random.IntN(3) > 0 {
			value.Set(reflect.MakeSlice(value.Type(), random.IntN(3), 4))
			for i := range value.Len() {
				fill(random, value.Index(i), depth-1)
			}
		}
	case reflect.Map:
		if random.IntN(3) > 0 {
			value.Set(reflect.MakeMap(value.Type()))
			for range random.IntN(3) {
				key, item := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
				fill(random, key, 1)
				fill(random, item, 1)
				value.SetMapIndex(key, item)
			}
		}
	case reflect.String:
		value.SetString([]string{"", "a", "größer", "x/y"}[random.IntN(4)])
	case reflect.Bool:
		value.SetBool(random.IntN(2) == 0)
	case reflect.Float64:
		value.SetFloat(random.NormFloat64())
	case reflect.Uint8:
		value.SetUint(random.Uint64N(256))
	case reflect.Int32, reflect.Int64:
		value.SetInt(int64(int32(random.Uint32())) >> random.IntN(32))
	}
}

// Of each kind, some objects with random fields are encoded as the generated methods encode them, and decoded as those decode them.
func TestMessage_IsThatOfTheGeneratedMethods(t *testing.T) {
	scheme := newScheme()
	theirs := protobuf.NewSerializer(scheme, scheme)
	for kind := range scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal {
			continue
		}
		random := rand.New(rand.NewPCG(1, uint64(len(kind.Kind)))) // the same objects each time, whatever the order of the kinds
		for range 5 {
			object, err := scheme.New(kind)
			if err != nil {
				t.Fatal(err)
			}
			fill(random, reflect.ValueOf(object).Elem(), 6)
			object.GetObjectKind().SetGroupVersionKind(kind)
			var want bytes.Buffer
			if err := theirs.Encode(object, &want); err != nil {
				t.Fatal(err)
			}
			if got := sealObject(object); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s is encoded as\n%x, want\n%x", kind.Kind, got, want.Bytes())
			}
			decoded, _, err := theirs.Decode(want.Bytes(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			decoded.GetObjectKind().SetGroupVersionKind(kind)
			got, err := openObject(scheme, want.Bytes())
			if err != nil || !reflect.DeepEqual(got, decoded) {
				t.Errorf("%s is decoded as\n%+v, %v, want\n%+v", kind.Kind, got, err, decoded)
			}
		}
	}
}

// What is no message is an error where it is one of the generated methods, and never a panic.
func TestMessage_CutOffOrChanged(t *testing.T) {
	scheme, random := newScheme(), rand.New(rand.NewPCG(3, 4))
	theirs := protobuf.NewSerializer(scheme, scheme)
	object, err := scheme.New(metav1.SchemeGroupVersion.WithKind("Status"))
	for kind := range scheme.AllKnownTypes() {
		if kind.Kind == "Pod" {
			object, err = scheme.New(kind)
			object.GetObjectKind().SetGroupVersionKind(kind)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	fill(random, reflect.ValueOf(object).Elem(), 6)
	message := sealObject(object)
	for range 2000 {
		broken := bytes.Clone(message)[:len(magic)+random.IntN(len(message)-len(magic))]
		if at := random.IntN(len(broken)); at >= len(magic) {
			broken[at] ^= byte(1 << random.IntN(8))
		}
		_, _, want := theirs.Decode(broken, nil, nil)
		if _, err := openObject(scheme, broken); (err == nil) != (want == nil) {
			t.Errorf("%x: got %v, want %v", broken, err, want)
			return
		}
	}
}
