package kube

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
)

// maxBody limits what a client may send.
const maxBody = 3 << 20

func body(r *http.Request) (string, []byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		media = "application/json"
	}
	content, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	return media, content, err
}

func decode(r *http.Request) (Object, error) {
	media, content, err := body(r)
	if err != nil {
		return nil, err
	}
	if media != "application/json" {
		return nil, unsupportedMedia(media)
	}
	var object Object
	if err := json.Unmarshal(content, &object); err != nil {
		return nil, badRequest("error decoding the body: %v", err)
	}
	return object, nil
}

const requests = "certificatesigningrequests.certificates.k8s.io"

func (o *Objects) serveCreate(w http.ResponseWriter, r *http.Request, parsed request, user User) error {
	if parsed.name != "" {
		return methodNotAllowed()
	}
	object, err := decode(r)
	if err != nil {
		return err
	}
	if parsed.kind.Group != "" && parsed.kind.Status {
		delete(object, "status")
	}
	if parsed.kind.GroupResource() == requests {
		if err := signable(object, user); err != nil {
			return err
		}
	}
	created, err := o.Create(parsed.kind.GroupResource(), parsed.namespace, object)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, created)
	return nil
}

func (o *Objects) serveUpdate(w http.ResponseWriter, r *http.Request, parsed request) error {
	object, err := decode(r)
	if err != nil {
		return err
	}
	return o.write(w, parsed, func(Object) (Object, error) { return object, nil })
}

func (o *Objects) servePatch(w http.ResponseWriter, r *http.Request, parsed request) error {
	media, patch, err := body(r)
	if err != nil {
		return err
	}
	err = o.write(w, parsed, func(current Object) (Object, error) { return patched(current, media, patch) })
	var failure *Failure
	if media == applyPatch && parsed.subresource == "" && errors.As(err, &failure) && failure.Code == http.StatusNotFound {
		object, err := patched(Object{}, media, patch)
		if err != nil {
			return err
		}
		object.Set("metadata.name", parsed.name)
		created, err := o.Create(parsed.kind.GroupResource(), parsed.namespace, object)
		if err != nil {
			return err
		}
		answer(w, http.StatusCreated, created)
		return nil
	}
	return err
}

// write replaces an object by what the client wants of it, as far as the subresource reaches.
func (o *Objects) write(w http.ResponseWriter, r request, want func(current Object) (Object, error)) error {
	written, err := o.Change(r.kind.GroupResource(), r.namespace, r.name, func(object Object) error {
		wanted, err := want(object.Clone())
		if err != nil {
			return err
		}
		if version := wanted.Text("metadata.resourceVersion"); version != "" && version != object.Text("metadata.resourceVersion") {
			return conflict(r.kind, r.name)
		}
		return r.confine(object, wanted)
	})
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, written)
	return nil
}

// confine copies from wanted to object what the request's subresource may change.
func (r request) confine(object, wanted Object) error {
	switch {
	case r.subresource == "status" && r.kind.Status:
		object["status"] = wanted["status"]
	case r.subresource == "approval" && r.kind.GroupResource() == requests:
		object.Set("status.conditions", wanted.Get("status.conditions"))
	case r.subresource != "":
		return noSuchPath()
	default:
		status, exists := object["status"]
		clear(object)
		for key, value := range wanted {
			object[key] = value
		}
		if r.kind.Status {
			delete(object, "status")
			if exists {
				object["status"] = status
			}
		}
	}
	return nil
}

func (o *Objects) serveDelete(w http.ResponseWriter, r request) error {
	if r.name == "" {
		return methodNotAllowed()
	}
	deleted, err := o.Delete(r.kind.GroupResource(), r.namespace, r.name)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, Object{"kind": "Status", "apiVersion": "v1", "metadata": Object{}, "status": "Success",
		"details": Object{"name": r.name, "group": r.kind.Group, "kind": r.kind.Resource, "uid": deleted.Text("metadata.uid")}})
	return nil
}
