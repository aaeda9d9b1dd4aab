package kubeapi

import (
	"context"
	"encoding/json"
	"net/http"

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
