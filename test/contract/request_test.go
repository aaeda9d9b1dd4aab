package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/exoscale/egoscale/v2/api"
)

// refusal is an answer of the API that is none of success.
type refusal struct {
	status int
	words  string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d: %s", r.status, r.words) }

// post asks the API to make something, whatever there is, and waits for the operation.
func (w *world) post(ctx context.Context, path string, body any) error {
	var answer struct{ ID, State, Reason, Message string }
	if err := w.send(ctx, http.MethodPost, path, body, &answer); err != nil {
		return err
	}
	for operation := answer.ID; answer.State == "pending"; {
		if err := w.net.Clock.Sleep(ctx, time.Second); err != nil {
			return err
		}
		if err := w.send(ctx, http.MethodGet, "/operation/"+operation, nil, &answer); err != nil {
			return err
		}
	}
	if answer.State == "failure" {
		return &refusal{http.StatusOK, answer.Reason + ": " + answer.Message}
	}
	return nil
}

func (w *world) send(ctx context.Context, method, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		content = nil
	}
	host := "https://api-" + w.account.zone + ".exoscale.com/v2"
	request, err := http.NewRequestWithContext(ctx, method, host+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	signer, err := api.NewSecurityProvider(w.account.key, w.account.secret)
	if err != nil {
		return err
	}
	if err := signer.Intercept(ctx, request); err != nil {
		return err
	}
	return w.answer(request, into)
}

func (w *world) answer(request *http.Request, into any) error {
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return &refusal{answer.StatusCode, string(content)}
	}
	return json.Unmarshal(content, into)
}
