package api

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
	signer *api.SecurityProviderExoscale // nil in a client that only uses GetUnsigned
}

// Do encodes and decodes JSON; body and into may be nil. Its errors are not translated.
func (r rest) Do(ctx context.Context, method, path string, body, into any) error {
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
	} else {
		request.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
	}
	return request, r.sign(ctx, request)
}

// sign restores GetBody, which signing drops, so that the body can be sent again.
func (r rest) sign(ctx context.Context, request *http.Request) error {
	if err := r.signer.Intercept(ctx, request); err != nil {
		return err
	}
	body, err := request.GetBody()
	request.Body = body
	return err
}

// GetUnsigned requests what the API shows to everybody. Its errors are not translated.
func (r rest) GetUnsigned(ctx context.Context, path string) (header http.Header, content []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err = io.ReadAll(answer.Body)
	return answer.Header, content, err
}
