package openshift

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/fault"
)

// patience is how long a download may stand still, by the wall clock.
const patience = time.Minute

var (
	errWebPage   = errors.New("a web page came instead of the file")
	errStalled   = fmt.Errorf("nothing came for %s", patience)
	errTruncated = errors.New("the download was cut short")
)

// open starts a download. The body ends in an error if it stands still or ends early.
func (i *Installer) open(ctx context.Context, url string) (*http.Response, error) {
	op := "download " + url
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel(nil)
		return nil, fault.New(fault.Invalid, op, err)
	}
	// The files are compressed already, and their checksums are those of the compressed bytes.
	request.Header.Set("Accept-Encoding", "identity")
	client := i.net.Client()
	response, err := client.Do(request)
	if err != nil {
		defer cancel(nil)
		return nil, interrupted(context.Cause(ctx), op, err)
	}
	response.Body = &steadyBody{
		body: response.Body, op: op, cancel: cancel, idle: client.CloseIdleConnections,
		cause: func() error { return context.Cause(ctx) },
	}
	if err := checkAnswer(response); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

func checkAnswer(response *http.Response) error {
	op := "download " + response.Request.URL.String()
	switch code := response.StatusCode; {
	case code == http.StatusNotFound, code == http.StatusForbidden:
		return fault.Newf(fault.NotFound, op, "the server has no such file (%s)", response.Status).
			WithHint("check the OpenShift version in the answers")
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fault.Newf(fault.Transient, op, "the server answered %s", response.Status)
	case code != http.StatusOK:
		return fault.Newf(fault.Invalid, op, "the server answered %s", response.Status)
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/html"):
		return webPage(op)
	}
	return nil
}

func webPage(op string) error {
	return fault.New(fault.Invalid, op, errWebPage).
		WithHint("a proxy or a login page stands between this machine and the server; open the address in a browser")
}

// interrupted makes a fault of an error while a connection was made or used. cause is why its context ended, if it
// did.
func interrupted(cause error, op string, err error) error {
	switch {
	case errors.Is(cause, errStalled):
		return fault.New(fault.Transient, op, errStalled)
	case cause != nil:
		return cause
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Transient, op, errTruncated)
	}
	return fault.New(fault.Transient, op, brief{unreachable(err), err})
}

// steadyBody is a response body that cancels its request when nothing comes for a while.
type steadyBody struct {
	body   io.ReadCloser
	op     string
	cancel context.CancelCauseFunc // of the request
	cause  func() error            // why the request was cancelled
	idle   func()                  // drops the connection
}

func (b *steadyBody) Read(p []byte) (int, error) {
	timer := time.AfterFunc(patience, func() { b.cancel(errStalled) })
	defer timer.Stop()
	n, err := b.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = interrupted(b.cause(), b.op, err)
	}
	return n, err
}

func (b *steadyBody) Close() error {
	b.cancel(nil)
	defer b.idle()
	return b.body.Close()
}

// publishedSum reads the checksum that the mirror publishes for the archive.
func (i *Installer) publishedSum(ctx context.Context, url string) (string, error) {
	const limit = 1 << 20
	response, err := i.open(ctx, url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return "", err
	}
	if looksLikeWebPage(content) {
		return "", webPage("download " + url)
	}
	for _, name := range []string{archiveName, strings.TrimSuffix(archiveName, ".tar.gz") + "-" + i.version + ".tar.gz"} {
		if sum, found := sumOf(content, name); found {
			return sum, nil
		}
	}
	return "", fault.Newf(fault.Invalid, "read "+url, "it has no checksum of %s", archiveName)
}

// sumOf finds the line "<sha256 in hex>  <name>".
func sumOf(list []byte, name string) (string, bool) {
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && strings.TrimPrefix(fields[1], "*") == name && len(fields[0]) == hex.EncodedLen(sha256.Size) {
			return strings.ToLower(fields[0]), true
		}
	}
	return "", false
}

func looksLikeWebPage(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n\ufeff"), []byte("<"))
}

// fetchArchive writes the archive to file and fails unless its checksum is sum.
func (i *Installer) fetchArchive(ctx context.Context, url, sum string, file io.Writer) error {
	response, err := i.open(ctx, url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body := bufio.NewReader(response.Body)
	if start, _ := body.Peek(64); looksLikeWebPage(start) {
		return webPage("download " + url)
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), body); err != nil {
		if fault.KindOf(err) == fault.Internal {
			return fault.New(fault.Internal, "store "+url, err)
		}
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return mismatch("download "+url, got, sum)
	}
	return nil
}

func mismatch(op, got, want string) error {
	return fault.Newf(fault.Invalid, op, "its sha256 is %s, published is %s", got, want).
		WithHint("run again; if it stays so, something between this machine and the server changes files")
}
