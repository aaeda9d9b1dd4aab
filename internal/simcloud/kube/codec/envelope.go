package codec

import (
	"bytes"
	"errors"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// magic is what every message of an object begins with.
const magic = "k8s\x00"

// envelope is around the message of an object: runtime.Unknown, whose own methods are not used.
type envelope struct {
	Type            runtime.TypeMeta `protobuf:"bytes,1,opt,name=typeMeta"`
	Raw             []byte           `protobuf:"bytes,2,opt,name=raw"`
	ContentEncoding string           `protobuf:"bytes,3,opt,name=contentEncoding"`
	ContentType     string           `protobuf:"bytes,4,opt,name=contentType"`
}

// sealObject returns the message of an object, with its kind around it.
func sealObject(object runtime.Object) []byte {
	made := envelope{Raw: appendMessage([]byte{}, reflect.ValueOf(object).Elem())}
	made.Type.APIVersion, made.Type.Kind = object.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	return appendMessage([]byte(magic), reflect.ValueOf(made))
}

func openEnvelope(content []byte) (opened envelope, err error) {
	message, ok := bytes.CutPrefix(content, []byte(magic))
	if !ok || len(message) == 0 {
		return envelope{}, errors.New("provided data does not appear to be a protobuf message")
	}
	err = decodeMessage(message, reflect.ValueOf(&opened).Elem())
	return opened, err
}

// openObject returns the object of a message, of the kind that is around it.
func openObject(scheme *runtime.Scheme, content []byte) (runtime.Object, error) {
	opened, err := openEnvelope(content)
	if err != nil {
		return nil, err
	}
	kind := schema.FromAPIVersionAndKind(opened.Type.APIVersion, opened.Type.Kind)
	object, err := scheme.New(kind)
	if err != nil {
		return nil, err
	}
	err = decodeMessage(opened.Raw, reflect.ValueOf(object).Elem())
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object, err
}
