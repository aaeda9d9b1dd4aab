package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/codec"
)

// maxBody limits a request's body, in bytes.
const maxBody = 3 << 20

func readBody(r *http.Request) (string, []byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = jsonMedia
	}
	content, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	return media, content, err
}

// decode returns the object of a request whose kind has a type or is not checked.
func decode(r *http.Request) (kube.Object, error) {
	media, content, err := readBody(r)
	if err != nil {
		return nil, err
	}
	switch media {
	case jsonMedia:
		var object kube.Object
		if err := json.Unmarshal(content, &object); err != nil || object == nil {
			return nil, kube.NewBadRequest("error decoding the body: %v", err)
		}
		return object, nil
	case codec.Protobuf:
		object, err := loadCodec().DecodeProtobuf(content)
		if err != nil {
			return nil, kube.NewBadRequest("error decoding the body: %v", err)
		}
		return object, nil
	}
	return nil, newUnsupportedMediaType(media)
}

// decoder reads the objects of a write, and warns of what is wrong with them.
type decoder struct {
	request
	w http.ResponseWriter
}

// decodeObject returns the object of a write. Fields that its type does not have are left out, refused or warned of, as the
// client asks; the default is a warning.
func (d decoder) decodeObject(q *http.Request) (kube.Object, error) {
	hasType := loadCodec().HasType(d.kind)
	media, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type")) // an invalid one is JSON
	if media == codec.Protobuf && !hasType {
		return nil, newUnsupportedMediaType(media)
	}
	switch {
	case !hasType:
		object, err := decode(q)
		if err == nil {
			err = d.pruneAdded(object)
		}
		return object, err
	case media != "" && media != jsonMedia:
		return decode(q)
	}
	_, content, err := readBody(q)
	if err != nil {
		return nil, err
	}
	object, faults, err := loadCodec().DecodeJSON(d.kind, content)
	if err != nil {
		return nil, kube.NewBadRequest("%v", err)
	}
	if err := d.reportFaults(faults); err != nil {
		return nil, kube.NewBadRequest("%s in version %q cannot be handled as a %s: %v", d.kind.Kind, d.kind.Version, d.kind.Kind, err)
	}
	return object, nil
}

// The values of the parameter fieldValidation.
const (
	validationIgnore = "Ignore"
	validationWarn   = "Warn"
	validationStrict = "Strict"
)

// reportFaults reports fields that a kind does not have: as an error, as warnings, or not at all.
func (d decoder) reportFaults(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	switch d.query.Get("fieldValidation") {
	case validationStrict:
		return errors.New("strict decoding error: " + strings.Join(faults, ", "))
	case validationIgnore:
		return nil
	}
	for _, fault := range faults {
		if header, err := utilnet.NewWarningHeader(299, "-", fault); err == nil {
			d.w.Header().Add("Warning", header)
		}
	}
	return nil
}

// pruneAdded prunes an object of an added kind by the schema of its definition, and sets its defaults.
func (d decoder) pruneAdded(object kube.Object) error {
	if d.schema == nil {
		return nil
	}
	if err := d.reportFaults(d.schema.Prune(object)); err != nil {
		return kube.NewBadRequest("%s in version %q cannot be handled as a %s: %v", d.kind.Kind, d.kind.Version, d.kind.Kind, err)
	}
	d.schema.SetDefaults(object)
	return nil
}

// checkApplied refuses fields that the kind does not have: an apply cannot own them.
func (d decoder) checkApplied(wanted kube.Object) error {
	faults := d.schema.Prune(wanted.Clone())
	if loadCodec().HasType(d.kind) {
		content, err := json.Marshal(wanted)
		if err != nil {
			return err
		}
		if _, faults, err = loadCodec().DecodeJSON(d.kind, content); err != nil {
			faults = []string{err.Error()}
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return newUnknownError(fmt.Sprintf("failed to create typed patch object (%s/%s; %s, Kind=%s): %s",
		d.namespace, d.name, d.kind.APIVersion(), d.kind.Kind, formatUndeclared(faults[0])))
}

// formatUndeclared words a fault as the API server does for an apply.
func formatUndeclared(fault string) string {
	if name, ok := strings.CutPrefix(fault, `unknown field "`); ok {
		return "." + strings.TrimSuffix(name, `"`) + ": field not declared in schema"
	}
	return fault
}

// checkType returns what remains of a patched object, as decodeObject does.
func (d decoder) checkType(object kube.Object) (kube.Object, error) {
	if !loadCodec().HasType(d.kind) {
		return object, d.pruneAdded(object)
	}
	content, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	checked, faults, err := loadCodec().CheckObject(d.kind, object, content)
	if err == nil {
		err = d.reportFaults(faults)
	}
	if err != nil {
		return nil, newUndecodable(string(content), err)
	}
	return checked, nil
}
