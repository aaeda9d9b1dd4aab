package restore

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"exoshift/state/restoration"
)

// page is a page of the list of a kind, as the API has encoded it. The objects of most kinds have no kind of their own in it.
type page struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"` // with List at its end
	Items      []json.RawMessage `json:"items"`
}

// readObjects calls take with each object of the kinds that wanted reports as such, of the archive of a backup's objects. seen is called with
// each kind that the archive has. Errors have nothing of the content.
func readObjects(plain io.Reader, wanted func(kind string) (restoration.Kind, bool), take func(restoration.Object)) error {
	unpacked, err := gzip.NewReader(plain)
	if err != nil {
		return errors.New("it is no compressed archive")
	}
	archive := tar.NewReader(unpacked)
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return errors.New("the archive is damaged")
		}
		kind, is := wanted(path.Dir(header.Name))
		if !is {
			continue
		}
		var read page
		if err := json.NewDecoder(archive).Decode(&read); err != nil {
			return errors.New("a list of " + kind.Name() + " is damaged")
		}
		for _, item := range read.Items {
			object, err := newObject(kind, read, item)
			if err != nil {
				return err
			}
			take(object)
		}
	}
}

func newObject(kind restoration.Kind, of page, item json.RawMessage) (object restoration.Object, err error) {
	fields, err := decodeDocument(item)
	if err != nil {
		return object, errors.New("an object of " + kind.Name() + " is damaged")
	}
	if fields["apiVersion"] == nil {
		fields["apiVersion"] = of.APIVersion
	}
	if fields["kind"] == nil {
		fields["kind"] = strings.TrimSuffix(of.Kind, "List")
	}
	object = restoration.Object{Kind: kind, Version: fields.text("apiVersion"), Namespace: fields.text("metadata", "namespace"), Name: fields.text("metadata", "name")}
	if object.Name == "" || object.Version == "" || kind.Namespaced && object.Namespace == "" {
		return object, errors.New("an object of " + kind.Name() + " has no name")
	}
	object.Content, err = json.Marshal(fields)
	return object, err
}

// document is an object of the API as a tree of JSON, whose numbers keep their digits.
type document map[string]any

func decodeDocument(content []byte) (document, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var fields document
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return nil, errors.New("it is no JSON object")
	}
	return fields, nil
}

// get returns nil if there is no such field.
func (d document) get(names ...string) any {
	var at any = map[string]any(d)
	for _, name := range names {
		fields, is := at.(map[string]any)
		if !is {
			return nil
		}
		at = fields[name]
	}
	return at
}

func (d document) text(names ...string) string {
	value, _ := d.get(names...).(string)
	return value
}

func (d document) fields(names ...string) map[string]any {
	value, _ := d.get(names...).(map[string]any)
	return value
}

// list returns the maps of a list.
func (d document) list(names ...string) (all []document) {
	items, _ := d.get(names...).([]any)
	for _, item := range items {
		if fields, is := item.(map[string]any); is {
			all = append(all, fields)
		}
	}
	return all
}
