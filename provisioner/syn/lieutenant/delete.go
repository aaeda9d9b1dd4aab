package lieutenant

import (
	"context"
	"errors"
	"net/http"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

// protectionAnnotation prevents Lieutenant's operator from carrying out a deletion; it sets it by default.
const protectionAnnotation = "syn.tools/protected-delete"

const (
	deletionLimit = 2 * time.Minute
	deletionEvery = 5 * time.Second
)

// DeleteCluster removes the protection of a cluster, deletes it and waits until it is gone; Found: there is none. fault.Timeout:
// the deletion has begun and continues, as Lieutenant's operator archives the repository and deletes the cluster's secrets first.
func (c *Client) DeleteCluster(ctx context.Context, id string) (state.Action, error) {
	op := "delete cluster " + sanitize(id, "") + " in Lieutenant"
	found, err := c.getCluster(ctx, op, id)
	if fault.Is(err, fault.NotFound) {
		return state.Found, nil
	}
	if err == nil && found.Annotations[protectionAnnotation] != "false" {
		_, err = c.patch(ctx, op, id, clusterPatch{Annotations: map[string]string{protectionAnnotation: "false"}})
	}
	if err == nil {
		err = c.do(ctx, call{op: op, field: clusterField, method: http.MethodDelete, path: formatClusterPath(id)}, nil)
	}
	if err == nil {
		err = c.waitDeleted(ctx, op, id)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	return state.Deleted, nil
}

// waitDeleted returns fault.NotFound once a cluster is gone.
func (c *Client) waitDeleted(ctx context.Context, op, id string) error {
	for end := c.clock.Now().Add(deletionLimit); ; {
		if _, err := c.getCluster(ctx, op, id); err != nil {
			return err
		}
		if c.clock.Now().After(end) {
			return fault.New(fault.Timeout, op, errors.New("the deletion has begun and goes on")).
				WithHint("run again later to see whether it has ended; if it has not, ask those who run Lieutenant")
		}
		if err := c.clock.Sleep(ctx, deletionEvery); err != nil {
			return fault.New(fault.KindOf(err), op, err)
		}
	}
}
