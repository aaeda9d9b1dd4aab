package fault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// blow is what happens to one call.
type blow string

const (
	killedBefore blow = "killed before the call"
	killedAfter  blow = "killed after the call, before its answer"
	lostAnswer   blow = "answer lost"
	burst        blow = "burst of 500 or 429"
)

func blows() []blow { return []blow{killedBefore, killedAfter, lostAnswer, burst} }

// chooseBlows returns those that strike the call of that number: two of the four, in turns; with EXOSHIFT_NODE_FAULTS=all, and of few calls,
// every one.
func chooseBlows(n int, few bool) []blow {
	all := blows()
	if few || os.Getenv("EXOSHIFT_NODE_FAULTS") == "all" {
		return all
	}
	return []blow{all[n%2], all[2+n%2]}
}

// burstLength is how many calls in a row a burst refuses.
const burstLength = 6

// striker stands before the API and the object storage. It knows every call that changes something by what it says,
// and strikes one of them, once.
type striker struct {
	mu     sync.Mutex
	seen   map[string]int // how often each call came
	calls  []string       // in order
	target string
	blow   blow
	struck bool
	every  []blow // not one call, but each that comes for the first time
	left   int    // of a burst
	dead   bool
	kill   context.CancelFunc
	cut    func() // the network of the machine that is killed; nil: it stays
}

func newStriker(target string, with blow) *striker {
	return &striker{seen: map[string]int{}, target: target, blow: with}
}

// begin is the start of a process: kill ends it.
func (s *striker) begin(kill context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead, s.kill, s.left = false, kill, 0
}

// before is a middleware.
func (s *striker) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch verdict := s.judge(request); verdict {
		case "":
			next.ServeHTTP(answer, request)
		case killedBefore:
			panic(http.ErrAbortHandler)
		case killedAfter, lostAnswer:
			next.ServeHTTP(nowhere{http.Header{}}, request)
			if verdict == killedAfter {
				s.killNow()
			}
			panic(http.ErrAbortHandler)
		case burst:
			s.refuse(answer)
		}
	})
}

// judge tells what happens to a request. Who is dead asks nothing any more.
func (s *striker) judge(request *http.Request) blow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return killedBefore
	}
	if looks(request) {
		return ""
	}
	if s.left > 0 {
		s.left--
		return burst
	}
	call := sentence(request)
	if s.every != nil {
		return s.chained(call)
	}
	s.seen[call]++
	call = fmt.Sprintf("%s #%d", call, s.seen[call])
	s.calls = append(s.calls, call)
	if s.struck || call != s.target {
		return ""
	}
	s.struck = true
	switch s.blow {
	case killedBefore:
		s.end()
	case burst:
		s.left = burstLength - 1
	}
	return s.blow
}

// looks tells whether a call changes nothing, whatever its method is.
func looks(request *http.Request) bool {
	switch path := request.URL.Path; request.Method {
	case http.MethodGet, http.MethodHead:
		return path != "/install/steward.json"
	default:
		return strings.HasSuffix(path, "/git-upload-pack") || strings.HasSuffix(path, "/sys/capabilities-self")
	}
}

func (s *striker) killNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

// end kills the process, and its machine's network with it.
func (s *striker) end() {
	s.dead = true
	if s.cut != nil {
		s.cut()
	}
	s.kill()
}

// refuse takes turns between a server that is broken and one that is busy.
func (s *striker) refuse(answer http.ResponseWriter) {
	s.mu.Lock()
	status := http.StatusInternalServerError
	if s.left%2 == 0 {
		status = http.StatusTooManyRequests
		answer.Header().Set("Retry-After", "2")
	}
	s.mu.Unlock()
	answer.Header().Set("Content-Type", "application/json; charset=utf-8")
	answer.WriteHeader(status)
	_, _ = io.WriteString(answer, `{"message":"not now"}`)
}

// nowhere swallows an answer.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header             { return n.header }
func (nowhere) WriteHeader(int)                   {}
func (nowhere) Write(content []byte) (int, error) { return len(content), nil }

// What differs between two runs that do the same.
var (
	uuids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	addresses = regexp.MustCompile(`\b(?:198\.1[89]|192\.0)\.\d+\.\d+\b`)
)

// sentence is what a call says, without what differs between two runs.
func sentence(request *http.Request) string {
	text := request.Method + " " + request.Host + request.URL.Path
	for _, name := range []string{"uploads", "partNumber", "delete", "versionId"} {
		if request.URL.Query().Has(name) {
			text += " " + name + request.URL.Query().Get(name)
		}
	}
	if strings.HasPrefix(request.Host, "api-") {
		text += " " + said(request)
	}
	return addresses.ReplaceAllString(uuids.ReplaceAllString(text, "*"), "ADDRESS")
}

// said is the body of a call to the API, read and put back.
func said(request *http.Request) string {
	content, err := io.ReadAll(request.Body)
	if err != nil {
		return err.Error()
	}
	request.Body = io.NopCloser(bytes.NewReader(content))
	var body map[string]any
	if json.Unmarshal(content, &body) != nil {
		return ""
	}
	for _, changing := range []string{"user-data", "url", "checksum", "policy"} {
		delete(body, changing)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// told returns the calls so far.
func (s *striker) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
