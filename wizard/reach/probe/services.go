package probe

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

func probeACME(ctx context.Context, a connection.Client) error {
	answer, err := a.FetchJSON(ctx, a.BuildURL("/directory"), connection.MaxPage)
	if err != nil {
		return err
	}
	var directory struct {
		NewOrder string `json:"newOrder"`
	}
	if json.Unmarshal(answer.Body, &directory) != nil || !isHTTPS(directory.NewOrder) {
		return answer.NewProtocolError(errors.New("not an ACME server: no newOrder in its directory"))
	}
	return nil
}

func isHTTPS(text string) bool {
	address, err := url.Parse(text)
	return err == nil && address.Scheme == "https" && address.Host != ""
}

func probeLieutenant(ctx context.Context, a connection.Client) error {
	health, root := a.BuildURL("/healthz"), a.BuildURL("/")
	health.Path, root.Path = "/healthz", "/"
	answer, err := a.Fetch(ctx, connection.Call{URL: health}, http.StatusOK)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(answer.Body)) != "ok" {
		return answer.NewProtocolError(errors.New("not a healthy Lieutenant API"))
	}
	again, err := a.Next(root)
	if err != nil {
		return err
	}
	answer, err = again.FetchJSON(ctx, root, connection.MaxPage)
	if err != nil {
		return err
	}
	var about struct {
		OIDC  *struct{} `json:"oidc"`
		Vault *struct{} `json:"vault"`
	}
	if json.Unmarshal(answer.Body, &about) != nil || about.OIDC == nil || about.Vault == nil {
		return answer.NewProtocolError(errors.New("not a Lieutenant API: no login service and Vault"))
	}
	return nil
}

const discoveryPath = "/.well-known/openid-configuration"

func probeOIDC(ctx context.Context, a connection.Client) error {
	issuer := a.BuildURL("")
	issuer.RawQuery = ""
	issuer.Path = strings.TrimRight(strings.TrimSuffix(issuer.Path, discoveryPath), "/")
	answer, err := a.FetchJSON(ctx, issuer.JoinPath(discoveryPath), connection.MaxPage)
	if err != nil {
		return err
	}
	var configuration struct {
		Issuer string `json:"issuer"`
	}
	if json.Unmarshal(answer.Body, &configuration) != nil || configuration.Issuer == "" {
		return answer.NewProtocolError(errors.New("not an OpenID provider: no issuer"))
	}
	if !isSameIssuer(configuration.Issuer, issuer) {
		return answer.NewProtocolError(fmt.Errorf("the OpenID provider has another issuer, %s", reach.Sanitize(configuration.Issuer)))
	}
	return nil
}

func isSameIssuer(declared string, asked *url.URL) bool {
	issuer, err := url.Parse(declared)
	if err != nil || issuer.Scheme != "https" || issuer.User != nil || issuer.RawQuery != "" || issuer.Fragment != "" {
		return false
	}
	usual := func(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Host), ":443") }
	return usual(issuer) == usual(asked) && strings.TrimRight(issuer.Path, "/") == asked.Path
}

// probeS3 lists the buckets anonymously, which an object storage refuses with an S3 error.
func probeS3(ctx context.Context, a connection.Client) error {
	answer, err := a.Fetch(ctx, connection.Call{URL: a.BuildURL("/")}, http.StatusOK, http.StatusForbidden)
	if err != nil {
		return err
	}
	if !isS3(answer.Status, answer.Body) {
		return answer.NewProtocolError(errors.New("not an object storage"))
	}
	return nil
}

func isS3(status int, body []byte) bool {
	var document struct {
		XMLName xml.Name
		Code    string `xml:"Code"`
	}
	if xml.Unmarshal(body, &document) != nil {
		return false
	}
	switch document.XMLName.Local {
	case "Error":
		return status == http.StatusForbidden && document.Code != ""
	case "ListAllMyBucketsResult":
		return status == http.StatusOK
	}
	return false
}

// Vault reports its health by the HTTP status.
func probeVault(ctx context.Context, a connection.Client) error {
	answer, err := a.Fetch(ctx, connection.Call{URL: a.BuildURL("/v1/sys/health")}, listVaultStatuses()...)
	if err != nil {
		return err
	}
	var health struct {
		Initialized *bool `json:"initialized"`
		Sealed      *bool `json:"sealed"`
	}
	if json.Unmarshal(answer.Body, &health) != nil || health.Initialized == nil || health.Sealed == nil {
		return answer.NewProtocolError(errors.New("not a Vault server: no health status"))
	}
	if problem := describeVaultStatus(answer.Status); problem != "" {
		return answer.Fail(reach.ServerError, fmt.Errorf("it returned %d: %s", answer.Status, problem))
	}
	return nil
}

func listVaultStatuses() []int { return []int{200, 429, 472, 473, 474, 501, 503, 530} }

func describeVaultStatus(status int) string {
	switch status {
	case 474:
		return "standby node without connection to the active node"
	case 501:
		return "not initialized"
	case 503:
		return "sealed"
	case 530:
		return "this node was removed from its cluster"
	}
	return "" // active, standby, or a replica
}
