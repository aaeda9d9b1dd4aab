package kubeapi

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// fieldManager is the name under which the API records the fields that exoshift writes.
const fieldManager = "exoshift"

// Count counts a request that is sent without a method of the Client.
func (c *Client) Count(verb string, where ResourcePath) { c.counter.count(verb, where) }

// Resource returns client-go's client of a resource, for what has no method here. Its errors are to be passed to ToFault.
func (c *Client) Resource(where ResourcePath) dynamic.ResourceInterface {
	return where.toClient(c.objects)
}

// Patch changes an object by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, where ResourcePath, name string, change []byte) error {
	c.counter.count("patch", where)
	_, err := c.Resource(where).Patch(ctx, name, types.MergePatchType, change, metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil {
		return c.ToFault(ctx, "change "+where.String()+" "+name, err)
	}
	return nil
}

// Apply applies an object, as JSON, by server-side apply. The error is client-go's.
func (c *Client) Apply(ctx context.Context, where ResourcePath, name string, object []byte) (*unstructured.Unstructured, error) {
	c.counter.count("apply", where)
	return c.Resource(where).Patch(ctx, name, types.ApplyPatchType, object, metav1.PatchOptions{FieldManager: fieldManager})
}

// Create creates an object, whose fields are recorded as ours. The error is client-go's.
func (c *Client) Create(ctx context.Context, where ResourcePath, object map[string]any) (*unstructured.Unstructured, error) {
	c.counter.count("create", where)
	return c.Resource(where).Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: fieldManager})
}

// Request creates an object that the API answers and does not keep: a review, or with a subresource a token. The error is
// client-go's.
func (c *Client) Request(ctx context.Context, where ResourcePath, object map[string]any, subresources ...string) (*unstructured.Unstructured, error) {
	counted := where
	for _, subresource := range subresources {
		counted += ResourcePath("/" + subresource)
	}
	c.counter.count("create", counted)
	return c.Resource(where).Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}, subresources...)
}

// Update replaces an object or one of its subresources. The error is client-go's.
func (c *Client) Update(ctx context.Context, where ResourcePath, object map[string]any, subresources ...string) error {
	c.counter.count("update", where)
	_, err := c.Resource(where).Update(ctx, &unstructured.Unstructured{Object: object}, metav1.UpdateOptions{FieldManager: fieldManager}, subresources...)
	return err
}

// Replace is Update, and returns the object that is stored then.
func (c *Client) Replace(ctx context.Context, where ResourcePath, object map[string]any) (*unstructured.Unstructured, error) {
	c.counter.count("update", where)
	return c.Resource(where).Update(ctx, &unstructured.Unstructured{Object: object}, metav1.UpdateOptions{FieldManager: fieldManager})
}

// Delete deletes an object. The error is client-go's.
func (c *Client) Delete(ctx context.Context, where ResourcePath, name string, options metav1.DeleteOptions) error {
	c.counter.count("delete", where)
	return c.Resource(where).Delete(ctx, name, options)
}
