package objects

import (
	"context"
	"io"
	"net/http"
)

// sentKey is the key of a context's function that is called with the number of bytes of bodies that the network has taken. minio-go
// counts what it reads, which is much more while parts wait to be sent.
type sentKey struct{}

func withSentCounter(ctx context.Context, sent func(bytes int)) context.Context {
	if sent == nil {
		return ctx
	}
	return context.WithValue(ctx, sentKey{}, sent)
}

// countingTransport counts for the contexts of withSentCounter.
type countingTransport struct{ inner http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	sent, counts := request.Context().Value(sentKey{}).(func(bytes int))
	if !counts || request.Method != http.MethodPut || request.Body == nil {
		return t.inner.RoundTrip(request)
	}
	counted := request.Clone(request.Context())
	counted.Body = countedBody{request.Body, sent}
	return t.inner.RoundTrip(counted)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t countingTransport) CloseIdleConnections() {
	if closer, ok := t.inner.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

type countedBody struct {
	io.ReadCloser
	sent func(bytes int)
}

// Read implements io.Reader. The transport reads what the network is about to take.
func (b countedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.sent(n)
	return n, err
}
