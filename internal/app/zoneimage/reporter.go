package zoneimage

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"exoshift/internal/network"
)

const (
	reportInterval = 3 * time.Second
	// reportLimit bounds one report, on the wall clock.
	reportLimit = 20 * time.Second
)

// reporter writes the latest progress to a link, at intervals. Progress that cannot be written is left out.
type reporter struct {
	client  *http.Client
	clock   network.Clock
	link    string
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu   sync.Mutex
	text string
}

// newReporter returns a reporter to close.
func newReporter(net network.Network, link string) *reporter {
	ctx, cancel := context.WithCancel(context.Background())
	r := &reporter{client: net.NewAPIClient(network.Limits{Bytes: 1 << 16}), clock: net.Clock, link: link, cancel: cancel}
	r.running.Go(func() { r.run(ctx) })
	return r
}

// emit replaces what is written next.
func (r *reporter) emit(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = text
}

func (r *reporter) close() {
	r.cancel()
	r.running.Wait()
	r.client.CloseIdleConnections()
}

func (r *reporter) run(ctx context.Context) {
	written := ""
	for r.clock.Sleep(ctx, reportInterval) == nil {
		r.mu.Lock()
		text := r.text
		r.mu.Unlock()
		if text != written && r.write(ctx, text) == nil {
			written = text
		}
	}
}

func (r *reporter) write(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, reportLimit)
	defer cancel()
	content, err := json.Marshal(progressLine{Text: text})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, r.link, bytes.NewReader(append(content, '\n')))
	if err != nil {
		return err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is reused
	return response.Body.Close()
}
