// Package codec converts objects of Kubernetes' own kinds between JSON, their types and protobuf, as an API server does.
package codec

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"exoshift/internal/simcloud/kube"
)

// Protobuf is the media type of objects in protobuf.
const Protobuf = "application/vnd.kubernetes.protobuf"

// Codec knows the types of Kubernetes' own kinds. It is safe for concurrent use.
type Codec struct {
	scheme          *runtime.Scheme
	strict, lenient *jsonserializer.Serializer
}

// New returns the codec of all kinds with a type: those of Kubernetes without CustomResourceDefinition.
func New() *Codec {
	scheme := newScheme()
	newJSON := func(strict bool) *jsonserializer.Serializer {
		return jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{Strict: strict})
	}
	return &Codec{scheme: scheme, strict: newJSON(true), lenient: newJSON(false)}
}

// HasType reports whether a kind has a type. Objects of other kinds have no protobuf format.
func (c *Codec) HasType(kind kube.Kind) bool { return c.scheme.Recognizes(formatGVK(kind)) }

func formatGVK(kind kube.Kind) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
}

// DecodeProtobuf returns the object of a message, which names its kind.
func (c *Codec) DecodeProtobuf(content []byte) (kube.Object, error) {
	decoded, err := openObject(c.scheme, content)
	if err != nil {
		return nil, err
	}
	return encodeTyped(decoded)
}

func encodeTyped(typed any) (kube.Object, error) {
	content, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	return kube.DecodeTrusted(content)
}

// EncodeProtobuf returns the message of an object, of a list or of a metav1.Status in JSON.
func (c *Codec) EncodeProtobuf(content []byte) ([]byte, error) {
	typed, _, err := c.lenient.Decode(content, nil, nil)
	if err != nil {
		return nil, err
	}
	return sealObject(typed), nil
}

// EncodeEvent returns the event of a watch as a frame of a stream in protobuf; the object is in JSON.
func (c *Codec) EncodeEvent(event string, object []byte) ([]byte, error) {
	message, err := c.EncodeProtobuf(object)
	if err != nil {
		return nil, err
	}
	content := appendMessage(nil, reflect.ValueOf(metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: message}}))
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...), nil
}

// CheckObject is DecodeJSON of an object that the caller has encoded itself. It modifies the object.
func (c *Codec) CheckObject(kind kube.Kind, object kube.Object, content []byte) (checked kube.Object, faults []string, err error) {
	return c.check(kind, content, func() (kube.Object, error) { return object, nil })
}

// DecodeJSON returns an object without the fields that its type does not have, and what is wrong with these: `unknown field
// "spec.x"`, `duplicate field "data"`. Its kind may be left out. A value of a wrong type is an error.
func (c *Codec) DecodeJSON(kind kube.Kind, content []byte) (object kube.Object, faults []string, err error) {
	return c.check(kind, content, func() (object kube.Object, err error) { return object, json.Unmarshal(content, &object) })
}

func (c *Codec) check(kind kube.Kind, content []byte, decode func() (kube.Object, error)) (object kube.Object, faults []string, err error) {
	gvk := formatGVK(kind)
	typed, actual, err := c.strict.Decode(content, &gvk, nil)
	unknown, isUnknown := runtime.AsStrictDecodingError(err)
	switch {
	case isUnknown:
		for _, fault := range unknown.Errors() {
			faults = append(faults, fault.Error())
		}
	case err != nil && actual == nil:
		return nil, nil, fmt.Errorf("the object provided is unrecognized (must be of type %s): %w", kind.Kind, err)
	case err != nil:
		return nil, nil, fmt.Errorf("%s in version %q cannot be handled as a %s: %w", actual.Kind, actual.Version, kind.Kind, err)
	}
	known, err := encodeTyped(typed)
	if err != nil {
		return nil, nil, err
	}
	if object, err = decode(); err != nil {
		return nil, nil, err
	}
	pruned, _ := prune(map[string]any(object), map[string]any(known)).(map[string]any)
	pruned["apiVersion"], pruned["kind"] = actual.GroupVersion().String(), actual.Kind
	return pruned, faults, nil
}

// prune returns a value without the fields that its typed form lacks: unknown ones, and empty ones that the type leaves out.
func prune(value, known any) any {
	switch typed := known.(type) {
	case map[string]any:
		fields, ok := value.(map[string]any)
		if !ok {
			return value
		}
		for key, item := range fields {
			if inner, ok := typed[key]; ok {
				fields[key] = prune(item, inner)
			} else {
				delete(fields, key)
			}
		}
	case []any:
		items, _ := value.([]any)
		for i := range min(len(items), len(typed)) {
			items[i] = prune(items[i], typed[i])
		}
	}
	return value
}

// DecodeDeleteOptions returns the options of a deletion.
func (c *Codec) DecodeDeleteOptions(content []byte) (kube.Object, error) {
	message, err := openEnvelope(content)
	if err != nil {
		return nil, err
	}
	var options metav1.DeleteOptions
	if err := decodeMessage(message.Raw, reflect.ValueOf(&options).Elem()); err != nil {
		return nil, err
	}
	return encodeTyped(options)
}
