package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"exoshift/wizard/reach"
)

const discoveryPath = "/.well-known/openid-configuration"

func probeOIDC(ctx context.Context, a client) error {
	issuer := a.buildURL("")
	issuer.RawQuery = ""
	issuer.Path = strings.TrimRight(strings.TrimSuffix(issuer.Path, discoveryPath), "/")
	answer, err := a.fetchJSON(ctx, issuer.JoinPath(discoveryPath), maxPage)
	if err != nil {
		return err
	}
	var configuration struct {
		Issuer string `json:"issuer"`
	}
	if json.Unmarshal(answer.body, &configuration) != nil || configuration.Issuer == "" {
		return answer.newProtocolError(errors.New("what answers is no login service: it names no issuer"))
	}
	if !isSameIssuer(configuration.Issuer, issuer) {
		return answer.newProtocolError(fmt.Errorf("the login service is that of another issuer, %s", reach.Sanitize(configuration.Issuer)))
	}
	return nil
}

func isSameIssuer(told string, asked *url.URL) bool {
	issuer, err := url.Parse(told)
	if err != nil || issuer.Scheme != "https" || issuer.User != nil || issuer.RawQuery != "" || issuer.Fragment != "" {
		return false
	}
	usual := func(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Host), ":443") }
	return usual(issuer) == usual(asked) && strings.TrimRight(issuer.Path, "/") == asked.Path
}
