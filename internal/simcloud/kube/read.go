package kube

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
)

func (o *Objects) serveGet(w http.ResponseWriter, r request) error {
	found, ok := o.find(r.kind.GroupResource(), r.namespace, r.name)
	if !ok {
		return notFound(r.kind, r.name)
	}
	if r.table {
		answer(w, http.StatusOK, table(r.kind, []Object{found.object}, Object{}, o.now()))
		return nil
	}
	answer(w, http.StatusOK, found.raw)
	return nil
}

// list is a Kubernetes list; its items are marshalled already.
type list struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue,omitempty"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`

	objects []Object
}

func (o *Objects) serveList(w http.ResponseWriter, r request) error {
	page, err := o.page(r)
	if err != nil {
		return err
	}
	if r.table {
		answer(w, http.StatusOK, table(r.kind, page.objects, page.Metadata, o.now()))
		return nil
	}
	answer(w, http.StatusOK, page)
	return nil
}

// page returns the part of a list that limit and continue ask for. The token is the key of the last item; items that
// change between two pages are seen as they are then.
func (o *Objects) page(r request) (list, error) {
	after, err := base64.RawURLEncoding.DecodeString(r.query.Get("continue"))
	if err != nil {
		return list{}, badRequest("continue key is not valid: %v", err)
	}
	limit, _ := strconv.Atoi(r.query.Get("limit"))
	entries, version := o.list(r.kind.GroupResource(), r.namespace, r.filter.fields)
	page := list{Kind: r.kind.Kind + "List", APIVersion: r.kind.apiVersion(), Items: []json.RawMessage{}}
	page.Metadata.ResourceVersion = strconv.FormatUint(version, 10)
	last := ""
	for _, entry := range entries {
		id := key(r.kind.GroupResource(), entry.object.Namespace(), entry.object.Name())
		if id <= string(after) || !r.filter.matches(entry.object) {
			continue
		}
		if limit > 0 && len(page.Items) == limit {
			page.Metadata.Continue = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		page.Items, page.objects, last = append(page.Items, entry.raw), append(page.objects, entry.object), id
	}
	return page, nil
}
