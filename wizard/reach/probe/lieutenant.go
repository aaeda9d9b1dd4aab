package probe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

func probeLieutenant(ctx context.Context, a client) error {
	health, root := a.buildURL("/healthz"), a.buildURL("/")
	health.Path, root.Path = "/healthz", "/"
	answer, err := a.fetch(ctx, call{url: health}, http.StatusOK)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(answer.body)) != "ok" {
		return answer.newProtocolError(errors.New("what answers is no Lieutenant: it does not say that it is well"))
	}
	again, err := a.next(root)
	if err != nil {
		return err
	}
	answer, err = again.fetchJSON(ctx, root, maxPage)
	if err != nil {
		return err
	}
	var about struct {
		OIDC  *struct{} `json:"oidc"`
		Vault *struct{} `json:"vault"`
	}
	if json.Unmarshal(answer.body, &about) != nil || about.OIDC == nil || about.Vault == nil {
		return answer.newProtocolError(errors.New("what answers is no Lieutenant: it names no login service and no Vault"))
	}
	return nil
}
