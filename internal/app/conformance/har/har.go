// Package har records what clients and servers exchange over HTTP as an HTTP Archive (HAR 1.2), without credentials, secrets,
// signatures, and names of what is somebody else's.
package har

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/renameio/v2"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// Version is that of the format.
const Version = "1.2"

// Archive is the document. Fields that the format does not know begin with an underscore.
type Archive struct {
	Log Log `json:"log"`
}

// Log is what was recorded.
type Log struct {
	Version string          `json:"version"`
	Creator Creator         `json:"creator"`
	Entries []Entry         `json:"entries"`
	Comment string          `json:"comment,omitempty"`
	Run     json.RawMessage `json:"_run,omitempty"` // what the exchanges were for
}

// Creator is the program that recorded.
type Creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Entry is one exchange. Times are in milliseconds.
type Entry struct {
	Started  time.Time `json:"startedDateTime"`
	Time     float64   `json:"time"`
	Request  Request   `json:"request"`
	Response Response  `json:"response"`
	Cache    struct{}  `json:"cache"`
	Timings  Timings   `json:"timings"`
}

// Request is what was sent.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Pair    `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	QueryString []Pair    `json:"queryString"`
	PostData    *PostData `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"` // -1: unknown
	BodySize    int64     `json:"bodySize"`    // -1: unknown
}

// PostData is a body that was sent.
type PostData struct {
	MimeType string `json:"mimeType"`
	Params   []Pair `json:"params"`
	Text     string `json:"text"`
}

// Response is what was answered. Status 0 is no answer.
type Response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	HTTPVersion string  `json:"httpVersion"`
	Cookies     []Pair  `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	Content     Content `json:"content"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int     `json:"headersSize"` // -1: unknown
	BodySize    int64   `json:"bodySize"`    // -1: unknown
}

// Content is a body that was answered. Text is there if it is JSON or XML.
type Content struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
}

// Pair is a name with a value.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Timings are the parts of an exchange, in milliseconds. Only the whole is measured.
type Timings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Write writes the archive in one step, readable by its owner only.
func (a Archive) Write(path string) error {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(a)
	if err == nil {
		err = renameio.WriteFile(path, content.Bytes(), 0o600)
	}
	if err != nil {
		return fault.New(fault.Internal, "write the recording", err).WithHint("check that the folder of %s is writable, and run it again", path)
	}
	return nil
}

// largest is how many bytes of a recording are read: a run is a few hundred exchanges.
const largest = 256 << 20

// Read reads an archive.
func Read(path string) (a Archive, err error) {
	content, err := fileread.Text(path, largest)
	if err != nil {
		return a, fault.New(fault.Invalid, "read the recording", err).WithHint("use a file written by exoshift conformance --record")
	}
	if err := json.Unmarshal(content, &a); err != nil {
		return a, fault.New(fault.Invalid, "read the recording "+path, err).WithHint("use a file written by exoshift conformance --record")
	}
	if a.Log.Version != Version {
		return a, fault.New(fault.Invalid, "read the recording "+path, fmt.Errorf("it is of version %q, and not %s", a.Log.Version, Version)).
			WithHint("use a file written by exoshift conformance --record")
	}
	return a, nil
}
