package lieutenant

import (
	"context"
	"net/http"
	"net/url"

	"exoshift/state"
)

// ListClusters returns the clusters of a tenant that the person may see, by their IDs; "" is any tenant.
func (c *Client) ListClusters(ctx context.Context, tenant string) ([]state.SynCluster, error) {
	query := url.Values{"sort_by": {"id"}}
	if tenant != "" {
		query.Set("tenant", tenant)
	}
	var answered []cluster
	if err := c.do(ctx, newGetCall("list the clusters in Lieutenant", tenantField, "/clusters?"+query.Encode()), &answered); err != nil {
		return nil, err
	}
	clusters := make([]state.SynCluster, len(answered))
	for i, one := range answered {
		clusters[i] = one.toCluster()
	}
	return clusters, nil
}

// GetCluster fails with fault.NotFound for one that does not exist.
func (c *Client) GetCluster(ctx context.Context, id string) (state.SynCluster, error) {
	found, err := c.getCluster(ctx, "find cluster "+sanitize(id, "")+" in Lieutenant", id)
	return found.toCluster(), err
}

func (c *Client) getCluster(ctx context.Context, op, id string) (cluster, error) {
	if err := checkID(op, clusterField, id, "c-"); err != nil {
		return cluster{}, err
	}
	var answered cluster
	asked := newGetCall(op, clusterField, formatClusterPath(id))
	err := c.do(ctx, asked, &answered)
	if err == nil && answered.ID != id {
		err = c.toFault(ctx, asked, "", &apiError{unexpectedBody: "it answers with another cluster"})
	}
	return answered, err
}

// patch requires the permissions to update clusters and clusters/status.
func (c *Client) patch(ctx context.Context, op, id string, body clusterPatch) (cluster, error) {
	var answered cluster
	err := c.do(ctx, call{op: op, field: factsField, method: http.MethodPatch, path: formatClusterPath(id), body: body}, &answered)
	return answered, err
}

func formatClusterPath(id string) string { return "/clusters/" + url.PathEscape(id) }
