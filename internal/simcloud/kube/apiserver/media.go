package apiserver

import (
	"mime"
	"net/http"
	"strings"
	"sync"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/codec"
)

const jsonMedia = "application/json"

// loadCodec returns the codec of the kinds with a type, which is made once: it is a table that nothing changes.
var loadCodec = sync.OnceValue(codec.New) //nolint:gochecknoglobals // see the comment

// format is how a response is encoded.
type format int

const (
	asJSON format = iota
	asTable
	asProtobuf
)

// negotiate returns the first format that the client accepts. Tables are in JSON, as are objects whose kind has no type.
func negotiate(r *http.Request, hasType bool) (format, error) {
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(accepted) == "" {
		return asJSON, nil
	}
	for accept := range strings.SplitSeq(accepted, ",") {
		media, parameters, err := mime.ParseMediaType(accept)
		switch {
		case err != nil:
		case parameters["as"] == "Table" && media == jsonMedia:
			return asTable, nil
		case parameters["as"] != "":
		case media == jsonMedia, media == "application/*", media == "*/*":
			return asJSON, nil
		case media == codec.Protobuf && hasType:
			return asProtobuf, nil
		}
	}
	return asJSON, newNotAcceptable(hasType)
}

// protobufWriter is the response to a client that accepts protobuf: objects, lists and errors are encoded in it.
type protobufWriter struct {
	http.ResponseWriter
}

// Unwrap is for http.ResponseController.
func (w protobufWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// selectWriter returns the writer of a format.
func selectWriter(w http.ResponseWriter, f format) http.ResponseWriter {
	plain := w
	if wrapped, ok := w.(protobufWriter); ok {
		plain = wrapped.ResponseWriter
	}
	if f == asProtobuf {
		return protobufWriter{plain}
	}
	return plain
}

// writeEncoded writes an object, a list or a Status in the format of the writer; what has no type is in JSON.
func writeEncoded(w http.ResponseWriter, code int, content []byte) {
	if _, ok := w.(protobufWriter); ok {
		if message, err := loadCodec().EncodeProtobuf(content); err == nil {
			w.Header().Set("Content-Type", codec.Protobuf)
			w.WriteHeader(code)
			_, _ = w.Write(message) // the client closed the connection
			return
		}
	}
	w.Header().Set("Content-Type", jsonMedia)
	w.WriteHeader(code)
	_, _ = w.Write(content)
	_, _ = w.Write([]byte{'\n'})
}

func newNotAcceptable(hasType bool) *kube.StatusError {
	media := []string{jsonMedia, "application/yaml"}
	if hasType {
		media = append(media, codec.Protobuf)
	}
	return &kube.StatusError{Code: http.StatusNotAcceptable, Reason: "NotAcceptable",
		Message: "only the following media types are accepted: " + strings.Join(media, ", ")}
}
