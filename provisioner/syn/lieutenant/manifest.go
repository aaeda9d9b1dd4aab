package lieutenant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

const (
	manifestOp  = "fetch the manifest of Steward"
	maxManifest = 1 << 20 // bytes; the real one has a few thousand
	resetHint   = "ask the operator of Lieutenant to reset the cluster's bootstrap token: it is in the status of its Cluster object on Lieutenant's Kubernetes cluster, and the API cannot reset it"
)

// FetchInstallManifest fetches the manifest that installs Steward. It can be fetched once: the caller must save it before
// anything else. fault.Conflict: the token was used or has expired. The request is never repeated automatically.
func (c *Client) FetchInstallManifest(ctx context.Context, installURL string) ([]byte, error) {
	address, err := parseInstallURL(c.base, installURL)
	if err != nil {
		return nil, err
	}
	token := address.Query().Get("token")
	content, failed := fetchOnce(ctx, c.network, address, token)
	switch {
	case failed == nil:
		return content, nil
	case ctx.Err() != nil:
		return nil, fault.New(fault.KindOf(ctx.Err()), manifestOp, context.Cause(ctx)).
			WithHint("run again; if the token is rejected then, this attempt used it")
	}
	return nil, c.toManifestFault(failed)
}

// CheckInstallURL fails with fault.Invalid unless FetchInstallManifest would use the URL.
func (c *Client) CheckInstallURL(installURL string) error {
	_, err := parseInstallURL(c.base, installURL)
	return err
}

// parseInstallURL checks that the token is sent only to Lieutenant.
func parseInstallURL(lieutenant, installURL string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, fault.New(fault.Invalid, manifestOp, errors.New(why)).
			WithHint("the token was not sent; report the install URL to the operator of Lieutenant at %s", lieutenant)
	}
	base, err := url.Parse(lieutenant)
	if err != nil {
		return refuse("the address of Lieutenant is not a URL")
	}
	address, err := url.Parse(installURL)
	switch {
	case installURL == "":
		return nil, fault.New(fault.Conflict, manifestOp, errors.New("there is none: the bootstrap token was used or has expired")).WithHint(resetHint)
	case err != nil: // which repeats the URL
		return refuse("the install URL is not a URL")
	case address.User != nil, address.Scheme != "https" && address.Scheme != "http":
		return refuse("the install URL is not plain https")
	case address.Scheme == "http" && address.Port() == "80":
		address.Host = address.Hostname()
	}
	// Behind a proxy that does not name the protocol Lieutenant takes it to be http; the token goes over TLS all the same.
	address.Scheme = "https"
	switch {
	case formatHostPort(address) != formatHostPort(base):
		return refuse("the install URL is of another host than Lieutenant: " + sanitize(address.Host, address.Query().Get("token")))
	case address.Query().Get("token") == "":
		return refuse("the install URL has no token")
	}
	address.Fragment = ""
	return address, nil
}

func formatHostPort(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(address.Hostname(), port)
}

func fetchOnce(ctx context.Context, n network.Network, address *url.URL, token string) ([]byte, *apiError) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, &apiError{err: hideURL(err)}
	}
	request.Header.Set("User-Agent", "exoshift")
	// A reused connection might be closed by now; then the transport would repeat the request by itself.
	request.Close = true
	fresh := n.NewAPIClient(network.Limits{Bytes: maxManifest, Time: requestTimeout})
	defer fresh.CloseIdleConnections()
	answer, err := fresh.Do(request)
	if fault.IsTooLarge(err) {
		return nil, &apiError{unexpectedBody: network.DescribeError(err).Sentence, fromLieutenant: true}
	}
	if err != nil {
		return nil, &apiError{err: hideURL(err)}
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	switch {
	case fault.IsTooLarge(err):
		return nil, &apiError{status: answer.StatusCode, unexpectedBody: network.DescribeError(err).Sentence, fromLieutenant: true}
	case err != nil:
		return nil, &apiError{err: hideURL(err)}
	case answer.StatusCode != http.StatusOK:
		return nil, newAPIError(answer.StatusCode, content, token)
	}
	return content, checkManifest(content, token)
}

// checkManifest checks that the content is a List that contains Steward, and nothing after it.
func checkManifest(content []byte, token string) *apiError {
	var list struct {
		Kind  string
		Items []struct {
			Kind     string
			Metadata struct{ Name string }
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	if !bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) || decoder.Decode(&list) != nil {
		return &apiError{status: http.StatusOK, unexpectedBody: describeUnexpected(content)}
	}
	// Lieutenant has sent the manifest by the time that it fails to mark the token as used.
	var after struct{ Reason string }
	switch err := decoder.Decode(&after); {
	case errors.Is(err, io.EOF):
	case err != nil || after.Reason == "":
		return &apiError{status: http.StatusOK, unexpectedBody: "the response has data after the manifest", fromLieutenant: true}
	default:
		return &apiError{status: http.StatusOK, reason: sanitize(after.Reason, token)}
	}
	for _, item := range list.Items {
		if list.Kind == "List" && item.Kind == "Deployment" && item.Metadata.Name == "steward" {
			return nil
		}
	}
	return &apiError{status: http.StatusOK, unexpectedBody: "the response is JSON, but does not install Steward", fromLieutenant: true}
}

func (c *Client) toManifestFault(failed *apiError) error {
	switch {
	case failed.err != nil && isCertificateError(failed.err):
		return fault.New(fault.Internal, manifestOp, failed).WithField(urlField).WithHint("%s", c.formatURLHint(failed))
	case failed.err != nil:
		return fault.New(fault.Transient, manifestOp, failed).
			WithHint("check that this machine reaches %s and run again; if the token is rejected then, this attempt used it", c.base)
	case failed.fromLieutenant:
		return fault.New(fault.Internal, manifestOp, failed).
			WithHint("report the response to the operator of Lieutenant at %s; a token works once, so the cluster's bootstrap token may have to be reset", c.base)
	case failed.unexpectedBody != "":
		return fault.New(fault.Internal, manifestOp, failed).
			WithHint("%s; if the token is rejected then, this attempt used it", c.formatURLHint(failed))
	}
	switch failed.status {
	case http.StatusOK:
		return fault.New(fault.Internal, manifestOp, failed).
			WithHint("Lieutenant did not mark the bootstrap token as used, so it remains valid: report this to the operator of Lieutenant at %s, then run again", c.base)
	case http.StatusUnauthorized, http.StatusNotFound, http.StatusBadRequest:
		return fault.Newf(fault.Conflict, manifestOp, "Lieutenant rejects the bootstrap token: it was used or has expired: %w", failed).WithHint(resetHint)
	case http.StatusServiceUnavailable:
		return fault.Newf(fault.Transient, manifestOp, "the cluster's account is not ready yet: %w", failed).
			WithHint("the token was not used; run again in a minute")
	}
	return fault.New(failed.toFaultKind(), manifestOp, failed).
		WithHint("run again later; if the problem persists, contact the operator of Lieutenant at %s", c.base)
}
