package lieutenant

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"exoshift/internal/fault"
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
		err = c.toFault(ctx, asked, "", &apiError{unexpectedBody: "the response is about another cluster"})
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

const (
	repositoryLimit = 5 * time.Minute // until the operator has created the repository of a new cluster's catalog
	repositoryEvery = 2 * time.Second
)

// EnsureCluster creates the cluster and waits until its catalog has a repository, or adds missing facts and a missing name to an
// existing one. A cluster of another tenant, or with other facts than wanted, is a fault.Conflict. The action is state.Created
// beside an error, too, if the cluster was created.
func (c *Client) EnsureCluster(ctx context.Context, wanted state.SynCluster) (state.SynCluster, state.Action, error) {
	op := "register cluster " + sanitize(wanted.ID, "") + " in Lieutenant"
	if err := checkID(op, tenantField, wanted.Tenant, "t-"); err != nil {
		return state.SynCluster{}, "", err
	}
	found, err := c.getCluster(ctx, op, wanted.ID)
	action := state.Found
	if fault.Is(err, fault.NotFound) {
		found, action, err = c.create(ctx, op, wanted)
	}
	if err == nil && action == state.Found {
		found, action, err = c.complete(ctx, op, found, wanted)
	}
	if err == nil {
		found, err = c.awaitRepository(ctx, op, found)
	}
	return found.toCluster(), action, err
}

// create also finds an existing cluster: a response may be lost, and another client may be first.
func (c *Client) create(ctx context.Context, op string, wanted state.SynCluster) (cluster, state.Action, error) {
	body := clusterPatch{ID: wanted.ID, Tenant: wanted.Tenant, DisplayName: wanted.DisplayName, Facts: wanted.Facts}
	var made cluster
	err := c.do(ctx, call{op: op, field: factsField, method: http.MethodPost, path: "/clusters", body: body}, &made)
	if err == nil {
		return made, state.Created, nil
	}
	if !fault.Is(err, fault.Transient) && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Denied) {
		return cluster{}, "", err
	}
	found, pollErr := c.getCluster(ctx, op, wanted.ID)
	switch {
	case pollErr != nil:
		return cluster{}, "", err
	case fault.Is(err, fault.Denied): // Lieutenant updates the status once it has created the cluster
		return found, state.Created, fault.Newf(fault.Denied, op, "the cluster was created, but a permission is missing: %w", err).
			WithHint("%s; then run again: the cluster is found", fault.HintOf(err))
	}
	return found, state.Found, nil
}

func (c *Client) complete(ctx context.Context, op string, found cluster, wanted state.SynCluster) (cluster, state.Action, error) {
	if found.Tenant != wanted.Tenant {
		return found, "", fault.Newf(fault.Conflict, op, "it belongs to tenant %s instead of %s", sanitize(found.Tenant, ""), wanted.Tenant).
			WithField(tenantField).WithHint("use its tenant, or another cluster ID")
	}
	missing := clusterPatch{Facts: map[string]string{}}
	has := found.toCluster().Facts
	for _, fact := range slices.Sorted(maps.Keys(wanted.Facts)) {
		value := has[fact] // an empty one has no meaning, and the API cannot remove it
		if value != "" && value != wanted.Facts[fact] {
			return found, "", fault.Newf(fault.Conflict, op, "its fact %s is %q instead of %q", fact, sanitize(value, ""), wanted.Facts[fact]).
				WithField(factsField).WithHint("if it is the same cluster, correct %s in the answers or in Lieutenant; otherwise choose another ID", fact)
		}
		if value != wanted.Facts[fact] {
			missing.Facts[fact] = wanted.Facts[fact]
		}
	}
	if found.DisplayName == "" {
		missing.DisplayName = wanted.DisplayName
	}
	if missing.isEmpty() {
		return found, state.Found, nil
	}
	found, err := c.patch(ctx, op, wanted.ID, missing)
	return found, state.Updated, err
}

// awaitRepository waits for Lieutenant's operator, which creates the repository after the cluster.
func (c *Client) awaitRepository(ctx context.Context, op string, found cluster) (cluster, error) {
	for end := c.clock.Now().Add(repositoryLimit); found.GitRepo.URL == ""; {
		if c.clock.Now().After(end) {
			return found, fault.New(fault.Timeout, op, errors.New("its catalog has no Git repository after "+repositoryLimit.String())).
				WithHint("ask the operator of Lieutenant why the repository is not created, then run again")
		}
		if err := c.clock.Sleep(ctx, repositoryEvery); err != nil {
			return found, fault.New(fault.KindOf(err), op, err)
		}
		var err error
		if found, err = c.getCluster(ctx, op, found.ID); err != nil {
			return found, err
		}
	}
	return found, nil
}

// EnsureDynamicFacts adds facts that the cluster has not reported yet; reported facts are kept.
func (c *Client) EnsureDynamicFacts(ctx context.Context, id string, facts map[string]any) (state.Action, error) {
	op := "set the dynamic facts of cluster " + sanitize(id, "") + " in Lieutenant"
	found, err := c.getCluster(ctx, op, id)
	if err != nil {
		return "", err
	}
	missing := maps.Clone(facts)
	maps.DeleteFunc(missing, func(fact string, _ any) bool { return found.DynamicFacts[fact] != nil })
	if len(missing) == 0 {
		return state.Found, nil
	}
	if _, err := c.patch(ctx, op, id, clusterPatch{DynamicFacts: missing}); err != nil {
		return "", err
	}
	return state.Updated, nil
}

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
		err = c.liftProtection(ctx, op, id)
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

// liftProtection ignores a 403 that Lieutenant answers after the change, without the permission to update the status.
func (c *Client) liftProtection(ctx context.Context, op, id string) error {
	_, err := c.patch(ctx, op, id, clusterPatch{Annotations: map[string]string{protectionAnnotation: "false"}})
	if !fault.Is(err, fault.Denied) {
		return err
	}
	if found, pollErr := c.getCluster(ctx, op, id); pollErr != nil || found.Annotations[protectionAnnotation] != "false" {
		return err
	}
	return nil
}

// waitDeleted returns fault.NotFound once a cluster is gone.
func (c *Client) waitDeleted(ctx context.Context, op, id string) error {
	var failed error
	_, err := c.clock.Poll(ctx, deletionEvery, deletionLimit, func() (bool, error) {
		_, failed = c.getCluster(ctx, op, id)
		return false, failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fault.New(fault.KindOf(err), op, err)
	}
	return fault.New(fault.Timeout, op, errors.New("the deletion is in progress")).
		WithHint("run again later to see whether it has finished; if not, ask the operator of Lieutenant")
}
