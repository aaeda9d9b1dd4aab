package probe

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
)

func probeACME(ctx context.Context, a client) error {
	answer, err := a.fetchJSON(ctx, a.buildURL("/directory"), maxPage)
	if err != nil {
		return err
	}
	var directory struct {
		NewOrder string `json:"newOrder"`
	}
	if json.Unmarshal(answer.body, &directory) != nil || !isHTTPS(directory.NewOrder) {
		return answer.newProtocolError(errors.New("what answers is no certificate authority: its directory names no newOrder"))
	}
	return nil
}

func isHTTPS(text string) bool {
	address, err := url.Parse(text)
	return err == nil && address.Scheme == "https" && address.Host != ""
}
