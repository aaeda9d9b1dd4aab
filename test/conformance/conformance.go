// Package conformance talks to a Kubernetes API in every verb that exoshift uses, and writes down what it answers. What a
// real API server answered is kept in testdata: the simulated one has to answer the same.
package conformance

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/network"
)

// Who asks.
const (
	Admin    = "admin"    // may do everything
	Viewer   = "viewer"   // may get and list nodes, and create and list requests for certificates
	Stranger = "stranger" // shows a certificate of another authority
	Nobody   = "nobody"   // shows none
)

// ViewerName is the user name of Viewer, who is in no group but that of everybody.
const ViewerName = "conformance-viewer"

// Server is an API to talk to.
type Server struct {
	URL     string
	Clients map[string]*http.Client // by who asks
}

// Check is a part of the conversation that stands by itself.
type Check struct {
	Name  string
	Steps []Step
}

// Step is one request, and what of its answer matters.
type Step struct {
	As     string
	Method string
	Path   string            // with its query; ${name} stands for what was kept under that name
	Type   string            // of the body
	Accept string            // what the answer may be in; "" is JSON
	Body   string            // may hold ${name}
	Shown  []string          // what of an object is written down: dotted paths, "items[].metadata.name"
	Kept   map[string]string // paths by the names that they are kept under
	Await  int               // the request is repeated until the answer has this code; 0: it is made once
	Vague  string            // why the wording of a refusal does not matter; "" if it does
}

// awaited is how long a step waits for its code at most.
const awaited = 30 * time.Second

// Transcript makes the requests of a check, one after the other, and returns what was asked and answered.
func Transcript(ctx context.Context, server Server, check Check) (string, error) {
	var written strings.Builder
	kept := values{"request": pkcs10, "tampered": tampered}
	for _, step := range check.Steps {
		answered, err := server.ask(ctx, step, kept)
		if err != nil {
			return "", fmt.Errorf("%s: %s %s: %w", check.Name, step.Method, step.Path, err)
		}
		answered.keep(step, kept)
		fmt.Fprintf(&written, "%s: %s %s %s\n", step.As, step.Method, step.Path, step.Body)
		fmt.Fprintf(&written, "    %s\n", answered.describe(step, kept))
	}
	return written.String(), nil
}

// ask makes a request, again and again if the step waits for something.
func (s Server) ask(ctx context.Context, step Step, kept values) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, awaited)
	defer cancel()
	for {
		answered, err := s.askOnce(limited, step, kept)
		if err != nil || step.Await == 0 || answered.code == step.Await {
			return answered, err
		}
		if err := (network.Clock{}).Sleep(limited, 50*time.Millisecond); err != nil {
			return answer{}, fmt.Errorf("the answer is still %d: %s", answered.code, answered.body)
		}
	}
}

func (s Server) askOnce(ctx context.Context, step Step, kept values) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, step.Method, s.URL+kept.insert(step.Path), strings.NewReader(kept.insert(step.Body)))
	if err != nil {
		return answer{}, err
	}
	if step.Type != "" {
		request.Header.Set("Content-Type", step.Type)
	}
	request.Header.Set("Accept", cmp.Or(step.Accept, objectType))
	request.Header.Set("User-Agent", "conformance")
	response, err := s.Clients[step.As].Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return readAnswer(response, body), err
}

// File returns where, below this package's folder, the answers of a real API server to a check are kept.
func (c Check) File() string { return "testdata/" + strings.ReplaceAll(c.Name, " ", "-") + ".txt" }
