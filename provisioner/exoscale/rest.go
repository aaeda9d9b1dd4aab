package exoscale

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/exoscale/egoscale/v2/api"
)

// rest calls the API without egoscale's types, for what egoscale lacks (block storage, protection of instances) and for lists and
// deletions of every kind: egoscale fails a whole list if one element lacks a field that the API sometimes omits.
type rest struct {
	base   string // https://<host>/v2
	http   *http.Client
	signer *api.SecurityProviderExoscale
}

func newRest(through http.RoundTripper, zone, key, secret string) (rest, error) {
	signer, err := api.NewSecurityProvider(key, secret)
	return rest{
		base:   "https://api-" + zone + ".exoscale.com/v2",
		http:   &http.Client{Transport: through},
		signer: signer,
	}, err
}

// do encodes and decodes JSON; body and into may be nil.
func (r rest) do(ctx context.Context, method, path string, body, into any) error {
	request, err := r.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(content, into)
}

func (r rest) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "exoshift")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, r.sign(ctx, request)
}

// sign restores GetBody, which signing drops, so that the body can be sent again.
func (r rest) sign(ctx context.Context, request *http.Request) error {
	if request.GetBody == nil {
		return r.signer.Intercept(ctx, request)
	}
	if err := r.signer.Intercept(ctx, request); err != nil {
		return err
	}
	body, err := request.GetBody()
	request.Body = body
	return err
}

func (c *Client) get(ctx context.Context, op, path string, into any) error {
	return c.translate(ctx, op, c.rest.do(ctx, http.MethodGet, path, nil, into))
}

func (c *Client) execute(ctx context.Context, op, method, path string, body any) error {
	_, err := c.executeChange(ctx, op, method, path, body)
	return c.translate(ctx, op, err)
}
