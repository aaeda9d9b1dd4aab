package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// fieldManager is the name under which the API records the fields that exoshift writes.
const fieldManager = "exoshift"

// Count counts a request that is sent without a method of the Client.
func (c *Client) Count(verb string, where ResourcePath) { c.counter.count(verb, where) }

// Patch changes an object by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, where ResourcePath, name string, content []byte) error {
	c.counter.count("patch", where)
	_, err := c.patch(ctx, where, name, types.MergePatchType, content)
	if err != nil {
		return c.ToFault(ctx, "change "+where.String()+" "+name, err)
	}
	return nil
}

// Apply applies an object, as JSON, by server-side apply. The error is an API's status, as client-go returns it.
func (c *Client) Apply(ctx context.Context, where ResourcePath, name string, object []byte) (*unstructured.Unstructured, error) {
	c.counter.count("apply", where)
	return c.patch(ctx, where, name, types.ApplyPatchType, object)
}

// ApplyAs is Apply as another field manager, which takes over the fields that others have set. dryRun: nothing is stored.
func (c *Client) ApplyAs(ctx context.Context, manager string, where ResourcePath, name string, object []byte, dryRun bool) (*unstructured.Unstructured, error) {
	c.counter.count("apply", where)
	query := url.Values{"fieldManager": {manager}, "force": {"true"}}
	if dryRun {
		query.Set("dryRun", metav1.DryRunAll)
	}
	return c.send(ctx, change{method: http.MethodPatch, where: where, name: name, query: query, mediaType: string(types.ApplyPatchType), body: object})
}

func (c *Client) patch(ctx context.Context, where ResourcePath, name string, kind types.PatchType, content []byte) (*unstructured.Unstructured, error) {
	return c.send(ctx, change{method: http.MethodPatch, where: where, name: name, managed: true, mediaType: string(kind), body: content})
}

// Create creates an object, whose fields are recorded as ours. The error is an API's status, as client-go returns it.
func (c *Client) Create(ctx context.Context, where ResourcePath, object map[string]any) (*unstructured.Unstructured, error) {
	c.counter.count("create", where)
	return c.sendObject(ctx, change{method: http.MethodPost, where: where, managed: true}, object)
}

// Request creates an object that the API answers and does not keep: a review, or with a subresource a token. The error is an
// API's status, as client-go returns it.
func (c *Client) Request(ctx context.Context, where ResourcePath, object map[string]any, subresources ...string) (*unstructured.Unstructured, error) {
	counted := where
	for _, subresource := range subresources {
		counted += ResourcePath("/" + subresource)
	}
	c.counter.count("create", counted)
	return c.sendObject(ctx, change{method: http.MethodPost, where: where, below: subresources}, object)
}

// Update replaces an object or one of its subresources. The error is an API's status, as client-go returns it.
func (c *Client) Update(ctx context.Context, where ResourcePath, object map[string]any, subresources ...string) error {
	c.counter.count("update", where)
	_, err := c.sendObject(ctx, change{method: http.MethodPut, where: where, below: subresources, managed: true}, object)
	return err
}

// Replace is Update, and returns the object that is stored then.
func (c *Client) Replace(ctx context.Context, where ResourcePath, object map[string]any) (*unstructured.Unstructured, error) {
	c.counter.count("update", where)
	return c.sendObject(ctx, change{method: http.MethodPut, where: where, managed: true}, object)
}

// Delete deletes an object. The error is an API's status, as client-go returns it.
func (c *Client) Delete(ctx context.Context, where ResourcePath, name string, options metav1.DeleteOptions) error {
	c.counter.count("delete", where)
	options.TypeMeta = metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"}
	body, err := json.Marshal(options)
	if err != nil {
		return err
	}
	_, err = c.send(ctx, change{method: http.MethodDelete, where: where, name: name, body: body})
	return err
}

// maxRepetitions is how often a request is repeated that the server asks to repeat, as client-go does.
const maxRepetitions = 10

// change is a request that changes something.
type change struct {
	method    string
	where     ResourcePath
	name      string // empty for a new object
	below     []string
	managed   bool // the fields are recorded as ours
	query     url.Values
	mediaType string // empty: JSON
	body      []byte
}

// send returns the object of the answer. Errors are those of client-go.
func (c *Client) send(ctx context.Context, sent change) (*unstructured.Unstructured, error) {
	for repetition := 0; ; repetition++ {
		content, wait, err := c.sendOnce(ctx, sent)
		if err == nil {
			answer := &unstructured.Unstructured{}
			return answer, answer.UnmarshalJSON(content)
		}
		if wait == 0 || repetition == maxRepetitions {
			return nil, err
		}
		if c.Network.Clock.Sleep(ctx, wait) != nil {
			return nil, err
		}
	}
}

// sendOnce also returns how long to wait before the same request is repeated, if the server says so.
func (c *Client) sendOnce(ctx context.Context, sent change) (content []byte, wait time.Duration, err error) {
	request, err := c.newRequest(ctx, sent)
	if err != nil {
		return nil, 0, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	if content, err = io.ReadAll(response.Body); err != nil {
		return nil, 0, err
	}
	if response.StatusCode >= http.StatusOK && response.StatusCode <= http.StatusPartialContent {
		return content, 0, nil
	}
	return nil, parseRetryAfter(response), toStatusError(strings.ToLower(sent.method), sent.where.String(), sent.name, response.StatusCode, content)
}

func parseRetryAfter(response *http.Response) time.Duration {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < http.StatusInternalServerError {
		return 0
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func (c *Client) newRequest(ctx context.Context, sent change) (*http.Request, error) {
	for _, segment := range append([]string{sent.name}, sent.below...) {
		if faults := path.IsValidPathSegmentName(segment); segment != "" && len(faults) > 0 {
			return nil, fmt.Errorf("invalid name %q: %s", segment, strings.Join(faults, ", "))
		}
	}
	address := c.Address.JoinPath(sent.where.urlPath(), sent.name).JoinPath(sent.below...)
	address.RawQuery = sent.query.Encode()
	if sent.managed {
		address.RawQuery = url.Values{"fieldManager": {fieldManager}}.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, sent.method, address.String(), bytes.NewReader(sent.body))
	if err != nil {
		return nil, err
	}
	if sent.mediaType == "" {
		sent.mediaType = "application/json"
	}
	request.Header.Set("Content-Type", sent.mediaType)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", fieldManager)
	return request, nil
}

// sendObject sends an object, which has to have a name unless it is a new one without a subresource.
func (c *Client) sendObject(ctx context.Context, sent change, object map[string]any) (*unstructured.Unstructured, error) {
	if sent.method != http.MethodPost || len(sent.below) > 0 {
		sent.name = (&unstructured.Unstructured{Object: object}).GetName()
		if sent.name == "" {
			return nil, fmt.Errorf("name is required")
		}
	}
	var err error
	if sent.body, err = json.Marshal(object); err != nil {
		return nil, err
	}
	return c.send(ctx, sent)
}
