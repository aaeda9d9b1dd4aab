package kubeapi

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"exoshift/internal/fault"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// PageSize keeps the memory for lists independent of the size of the cluster.
	PageSize = 250
	// maxPages ends an endless list; a cluster of 1,000 nodes has a few thousand requests for certificates.
	maxPages = 400
	// maxAnswer bounds a response, in bytes: a page of big objects is a few million.
	maxAnswer = 32 << 20
)

// Get returns an object, and whether it exists.
func Get[T any](ctx context.Context, api *Client, where ResourcePath, name string) (T, bool, error) {
	var decoded T
	api.counter.count("get", where)
	op := "read " + where.String() + " " + name
	answer, err := api.fetch(ctx, where, name, nil)
	if apierrors.IsNotFound(err) {
		return decoded, false, nil
	}
	if err != nil {
		return decoded, false, api.ToFault(ctx, op, err)
	}
	defer api.release(answer)
	err = decode(op, answer.Bytes(), &decoded)
	return decoded, err == nil, err
}

// List returns nil if the kind does not exist (yet).
func List[T any](ctx context.Context, api *Client, where ResourcePath, selector string) ([]T, error) {
	return list[T](ctx, api, where, "labelSelector", selector)
}

// ListByField is List with a selector of fields, such as "spec.nodeName=worker-0".
func ListByField[T any](ctx context.Context, api *Client, where ResourcePath, selector string) ([]T, error) {
	return list[T](ctx, api, where, "fieldSelector", selector)
}

func list[T any](ctx context.Context, api *Client, where ResourcePath, parameter, selector string) ([]T, error) {
	op := "list " + where.String()
	var all []T
	query := url.Values{"limit": {strconv.Itoa(PageSize)}}
	if selector != "" {
		query.Set(parameter, selector)
	}
	for range maxPages {
		api.counter.count("list", where)
		answer, err := api.fetch(ctx, where, "", query)
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, api.ToFault(ctx, op, err)
		}
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []T `json:"items"`
		}
		err = decode(op, answer.Bytes(), &page)
		api.release(answer)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); page.Metadata.Continue == "" {
			return all, nil
		}
		query.Set("continue", page.Metadata.Continue)
	}
	return nil, fault.Newf(fault.Internal, op, "there are more than %d of them", maxPages*PageSize)
}

// EachPage calls do with each page of a list as the API encodes it, and with how many objects it has; what it is given is valid until it returns.
// A kind that does not exist (any more) has no pages.
func EachPage(ctx context.Context, api *Client, where ResourcePath, do func(page []byte, objects int) error) error {
	op := "list " + where.String()
	query := url.Values{"limit": {strconv.Itoa(PageSize)}}
	for range maxPages {
		api.counter.count("list", where)
		answer, err := api.fetch(ctx, where, "", query)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return api.ToFault(ctx, op, err)
		}
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []struct{} `json:"items"`
		}
		if err = decode(op, answer.Bytes(), &page); err == nil {
			err = do(answer.Bytes(), len(page.Items))
		}
		api.release(answer)
		if err != nil || page.Metadata.Continue == "" {
			return err
		}
		query.Set("continue", page.Metadata.Continue)
	}
	return fault.Newf(fault.Internal, op, "there are more than %d of them", maxPages*PageSize)
}

// GetObject returns an object with all of its fields. The error is an API's status, as client-go returns it.
func (c *Client) GetObject(ctx context.Context, where ResourcePath, name string) (*unstructured.Unstructured, error) {
	answer, err := c.fetch(ctx, where, name, nil)
	if err != nil {
		return nil, err
	}
	defer c.release(answer)
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(answer.Bytes())
}

// ListObjects returns a page of objects with all of their fields: the first one, or that which another page says follows. The error is an
// API's status, as client-go returns it.
func (c *Client) ListObjects(ctx context.Context, where ResourcePath, following string) (*unstructured.UnstructuredList, error) {
	query := url.Values{"limit": {strconv.Itoa(PageSize)}}
	if following != "" {
		query.Set("continue", following)
	}
	answer, err := c.fetch(ctx, where, "", query)
	if err != nil {
		return nil, err
	}
	defer c.release(answer)
	page := &unstructured.UnstructuredList{}
	return page, page.UnmarshalJSON(answer.Bytes())
}

// ListVersions returns the versions of all groups of the API, of each group the one that it prefers first: "v1", "apps/v1", ... A kind may be in
// another version of its group only.
func (c *Client) ListVersions(ctx context.Context) ([]string, error) {
	const op = "list the groups of the API"
	c.counter.count("get", "apis")
	answer, err := c.get(ctx, c.Address.JoinPath("apis"), "groups", "")
	if err != nil {
		return nil, c.ToFault(ctx, op, err)
	}
	defer c.release(answer)
	var served metav1.APIGroupList
	if err := decode(op, answer.Bytes(), &served); err != nil {
		return nil, err
	}
	versions := []string{"v1"}
	for _, group := range served.Groups {
		versions = append(versions, group.PreferredVersion.GroupVersion)
		for _, other := range group.Versions {
			if other.GroupVersion != group.PreferredVersion.GroupVersion {
				versions = append(versions, other.GroupVersion)
			}
		}
	}
	return versions, nil
}

// fetch decodes nothing: maps would cost ten times as much as the types of those who read it. A failure is the same error that client-go
// returns. The caller releases the answer.
func (c *Client) fetch(ctx context.Context, where ResourcePath, name string, query url.Values) (*bytes.Buffer, error) {
	address := c.Address.JoinPath(where.urlPath(), name)
	address.RawQuery = query.Encode()
	return c.get(ctx, address, where.String(), name)
}

func (c *Client) get(ctx context.Context, address *url.URL, kind, name string) (*bytes.Buffer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, _ := c.answers.Get().(*bytes.Buffer)
	if answer == nil {
		answer = new(bytes.Buffer)
	}
	if _, err = answer.ReadFrom(response.Body); err == nil && response.StatusCode != http.StatusOK {
		err = toStatusError("get", kind, name, response.StatusCode, answer.Bytes())
	}
	if err != nil {
		c.release(answer)
		return nil, err
	}
	return answer, nil
}

// maxKeptAnswer is the size of buffers, in bytes, that are kept for later answers: the same lists are fetched every few seconds.
const maxKeptAnswer = 1 << 20

func (c *Client) release(answer *bytes.Buffer) {
	if answer.Cap() <= maxKeptAnswer {
		answer.Reset()
		c.answers.Put(answer)
	}
}

func toStatusError(verb, kind, name string, code int, content []byte) error {
	var status metav1.Status
	if err := stdjson.Unmarshal(content, &status); err == nil && status.Kind == "Status" && status.Reason != "" {
		return &apierrors.StatusError{ErrStatus: status}
	}
	return apierrors.NewGenericServerResponse(code, verb, schema.GroupResource{Resource: kind}, name, "", 0, true)
}

// ListResources returns the kinds of a group and version ("apps/v1"), nil if the group and version do not exist.
func (c *Client) ListResources(ctx context.Context, version string) ([]metav1.APIResource, error) {
	op := "list the kinds of " + version
	root := "apis"
	if !strings.Contains(version, "/") {
		root = "api"
	}
	c.counter.count("get", ResourcePath(root+"/"+version))
	answer, err := c.get(ctx, c.Address.JoinPath(root, version), "kinds", version)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.ToFault(ctx, op, err)
	}
	defer c.release(answer)
	var served metav1.APIResourceList
	err = decode(op, answer.Bytes(), &served)
	return served.APIResources, err
}

// decode quotes nothing of the content in an error: it may hold a secret.
func decode(op string, content []byte, into any) error {
	err := json.Unmarshal(content, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		return nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return fault.Newf(fault.Internal, op, "the response does not match its kind at %s", semantic.JSONPointer)
	}
	return fault.Newf(fault.Internal, op, "the response is not JSON")
}
