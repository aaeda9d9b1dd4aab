package apiserver

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/table"
)

// resources serves reads and writes of objects.
type resources struct {
	*kube.Objects
	dryRun bool // writes are answered and not made
}

func (o resources) serveGet(w http.ResponseWriter, r request) error {
	if r.subresource != "" && !r.kind.HasSubresource(r.subresource) {
		return kube.NewUnknownResource()
	}
	found, ok := o.Find(r.kind.GroupResource(), r.namespace, r.name)
	if !ok {
		return kube.NewNotFound(r.kind, r.name)
	}
	if r.table {
		writeJSON(w, http.StatusOK, renderTable(r, o.Objects, []kube.Object{found.Object}, kube.Object{}))
		return nil
	}
	writeEncoded(w, http.StatusOK, found.Raw)
	return nil
}

// renderTable returns a table with the columns of the kind.
func renderTable(r request, objects *kube.Objects, shown []kube.Object, metadata any) kube.Object {
	definition, _ := objects.Find(kube.DefinitionResource, "", r.kind.GroupResource())
	return table.Render(r.kind, definition.Object, shown, metadata, objects.Now())
}

type list struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		ResourceVersion string `json:"resourceVersion"`
		Continue        string `json:"continue,omitempty"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`

	objects []kube.Object
}

func (o resources) serveList(w http.ResponseWriter, r request) error {
	page, err := o.listPage(r)
	if err != nil {
		return err
	}
	if r.table {
		writeJSON(w, http.StatusOK, renderTable(r, o.Objects, page.objects, page.Metadata))
		return nil
	}
	content, err := page.encode()
	if err != nil {
		return err
	}
	writeEncoded(w, http.StatusOK, content)
	return nil
}

// encode joins the encoded items: lists are most of a zone's traffic.
func (l list) encode() ([]byte, error) {
	items := l.Items
	l.Items = []json.RawMessage{}
	head, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	const end = "]}"
	size := len(head) + len(end)
	for _, item := range items {
		size += len(item) + len(",")
	}
	content := bytes.NewBuffer(make([]byte, 0, size))
	content.Write(bytes.TrimSuffix(head, []byte(end)))
	for i, item := range items {
		if i > 0 {
			content.WriteByte(',')
		}
		content.Write(item)
	}
	content.WriteString(end)
	return content.Bytes(), nil
}

// listPage returns one page by limit and continue. Items that change between two pages are returned in their present state; an
// expired token is refused. Version 0 means the cache, without pages.
func (o resources) listPage(r request) (list, error) {
	from, err := readToken(r.query.Get("continue"))
	if err != nil {
		return list{}, err
	}
	limit, err := strconv.Atoi(cmp.Or(r.query.Get("limit"), "0"))
	if err != nil {
		return list{}, kube.NewBadRequest("%v", err)
	}
	if r.query.Get("resourceVersion") == "0" {
		limit = 0
	}
	entries, version, oldest := o.ListEntries(r.kind.GroupResource(), r.namespace, r.filter.Fields)
	if from.Key != "" && from.Version < oldest {
		return list{}, newExpiredContinue()
	}
	begun := cmp.Or(from.Version, version)
	page := list{Kind: r.kind.Kind + "List", APIVersion: r.kind.APIVersion(), Items: []json.RawMessage{}}
	page.Metadata.ResourceVersion = strconv.FormatUint(begun, 10)
	last := ""
	for _, entry := range entries {
		id := entry.Key()
		if id <= from.Key {
			continue
		}
		if limit > 0 && len(page.Items) == limit {
			page.Metadata.Continue = token{Version: begun, Key: last}.String()
			break
		}
		if r.filter.IsMatch(entry.Object) {
			page.Items, page.objects, last = append(page.Items, entry.Raw), append(page.objects, entry.Object), id
		}
	}
	return page, nil
}

// token is the continue token of a list.
type token struct {
	Version uint64 // of the first page
	Key     string // of the last item of the previous page
}

func (t token) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", t.Version, t.Key))
}

func readToken(text string) (token, error) {
	content, err := base64.RawURLEncoding.DecodeString(text)
	version, key, found := strings.Cut(string(content), " ")
	if text == "" {
		return token{}, nil
	}
	number, wrong := strconv.ParseUint(version, 10, 64)
	if err = errors.Join(err, wrong); err != nil || !found {
		return token{}, kube.NewBadRequest("invalid continue token: continue key is not valid: %v", err)
	}
	return token{Version: number, Key: key}, nil
}
