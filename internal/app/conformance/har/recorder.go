package har

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/stable"
)

// Recorder records exchanges. It may be used concurrently.
type Recorder struct {
	mu      sync.Mutex
	entries []Entry
	hidden  []string // credentials and secrets
}

// NewRecorder returns a recorder. hidden are the credentials that exchanges are made with.
func NewRecorder(hidden ...string) *Recorder { return &Recorder{hidden: hidden} }

// Wrap returns a transport that records what another one exchanges.
func (r *Recorder) Wrap(inner http.RoundTripper) http.RoundTripper { return transport{r, inner} }

// Archive returns what was recorded so far. own is in everything that the run has made: what is without it is somebody else's, and
// its texts are masked.
func (r *Recorder) Archive(creator Creator, own string) Archive {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries := slices.Clone(r.entries)
	stable.Sort(entries, func(a, b Entry) int { return a.Started.Compare(b.Started) })
	hide := redactor{hidden: append(slices.Clone(r.hidden), collectSecrets(entries)...), own: own}
	for i := range entries {
		hide.redact(&entries[i])
	}
	return Archive{Log{
		Version: Version, Creator: creator, Entries: entries,
		Comment: "Credentials, secrets, signatures of links and the texts of others' objects are removed.",
	}}
}

type transport struct {
	recorder *Recorder
	inner    http.RoundTripper
}

// maxText is how much of a body is kept: lists of a large organization fit into it.
const maxText = 16 << 20

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	sent, request := describeRequest(request)
	response, err := t.inner.RoundTrip(request)
	entry := Entry{Started: began.UTC(), Request: sent, Response: describeResponse(response, err)}
	entry.Time = float64(time.Since(began).Microseconds()) / 1000
	entry.Timings.Wait = entry.Time
	t.recorder.mu.Lock()
	defer t.recorder.mu.Unlock()
	t.recorder.entries = append(t.recorder.entries, entry)
	return response, err
}

// CloseIdleConnections closes those of the transport that is recorded.
func (t transport) CloseIdleConnections() {
	if inner, can := t.inner.(interface{ CloseIdleConnections() }); can {
		inner.CloseIdleConnections()
	}
}

// describeRequest returns the request to send, too: its body may have had to be read.
func describeRequest(request *http.Request) (Request, *http.Request) {
	described := Request{
		Method: request.Method, URL: request.URL.String(), HTTPVersion: "HTTP/1.1", Cookies: []Pair{}, Headers: listHeaders(request.Header),
		QueryString: []Pair{}, HeadersSize: -1, BodySize: request.ContentLength,
	}
	for name, values := range request.URL.Query() {
		for _, value := range values {
			described.QueryString = append(described.QueryString, Pair{name, value})
		}
	}
	sortPairs(described.QueryString)
	kind := request.Header.Get("Content-Type")
	if request.Body == nil || !isText(kind) {
		return described, request
	}
	body := request.Body
	content, err := io.ReadAll(body)
	sent := *request
	sent.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(content), failing{err}), body}
	described.PostData = &PostData{MimeType: kind, Params: []Pair{}, Text: string(content)}
	return described, &sent
}

// describeResponse puts what it has read back.
func describeResponse(response *http.Response, err error) Response {
	if err != nil {
		return Response{StatusText: "no answer", HTTPVersion: "HTTP/1.1", Cookies: []Pair{}, Headers: []Pair{}, HeadersSize: -1, BodySize: -1}
	}
	kind := response.Header.Get("Content-Type")
	described := Response{
		Status: response.StatusCode, StatusText: http.StatusText(response.StatusCode), HTTPVersion: response.Proto, Cookies: []Pair{},
		Headers: listHeaders(response.Header), Content: Content{Size: max(response.ContentLength, 0), MimeType: kind},
		RedirectURL: response.Header.Get("Location"), HeadersSize: -1, BodySize: response.ContentLength,
	}
	if !isText(kind) {
		return described
	}
	body := response.Body
	content, err := io.ReadAll(io.LimitReader(body, maxText))
	rest := io.Reader(body) // beyond what is kept
	if err != nil {
		rest = failing{err}
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(content), rest), body}
	described.Content.Size, described.Content.Text = int64(len(content)), string(content)
	return described
}

// failing is the end of a body: with an error, or without.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

func isText(kind string) bool { return strings.Contains(kind, "json") || strings.Contains(kind, "xml") }

func listHeaders(header http.Header) []Pair {
	pairs := []Pair{}
	for name, values := range header {
		for _, value := range values {
			pairs = append(pairs, Pair{name, value})
		}
	}
	sortPairs(pairs)
	return pairs
}

func sortPairs(pairs []Pair) {
	stable.Sort(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
}
