// Package download fetches the files of a release: small ones whole, archives into a file that the next run continues, and boot images as a
// stream that is unpacked and verified while it is read.
package download

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
)

const (
	// stallTimeout is how long a download may receive nothing, and at least minProgress bytes must arrive in each such period; by
	// the wall clock.
	stallTimeout   = time.Minute
	progressPeriod = 2 * time.Minute
	minProgress    = 512 << 10
)

// MaxList bounds, in bytes, the small files of a release.
const MaxList = 1 << 20

var (
	errWebPage     = errors.New("the server sent a web page instead of the file")
	errStalled     = fmt.Errorf("no data for %s", stallTimeout)
	errSlow        = fmt.Errorf("less than %d KB received in %s", minProgress>>10, progressPeriod)
	errTruncated   = errors.New("the download was truncated")
	errUnencrypted = errors.New("the server redirects to an unencrypted address")
)

// Client downloads over HTTPS, and continues what the network interrupted.
type Client struct {
	Image ImageLimits // of boot images
	net   network.Network
	log   func(string)
}

// New returns a client that logs, line by line, what goes wrong meanwhile.
func New(net network.Network, log func(string)) *Client {
	return &Client{Image: ImageLimits{Packed: 8 << 30, Unpacked: 32 << 30}, net: net, log: log}
}

// open fails if the download exceeds most bytes. Reading the body fails if it stalls or ends early.
func (c *Client) open(ctx context.Context, url string, most int64) (*http.Response, error) {
	response, err := c.request(ctx, url, most, http.Header{})
	if err != nil {
		return nil, err
	}
	return response, closeOnError(response, url)
}

func closeOnError(response *http.Response, url string) error {
	err := checkResponse(response, url)
	if err != nil {
		response.Body.Close()
	}
	return err
}

// request returns any response, limited to most bytes.
func (c *Client) request(ctx context.Context, url string, most int64, header http.Header) (*http.Response, error) {
	op := "download " + url
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel(nil)
		return nil, fault.New(fault.Invalid, op, err)
	}
	request.Header = header
	// The files are already compressed, and their checksums are those of the compressed bytes.
	request.Header.Set("Accept-Encoding", "identity")
	client := &http.Client{Transport: network.Limits{Bytes: most}.Wrap(c.net.NewTransport()), CheckRedirect: requireHTTPS}
	response, err := client.Do(request)
	if err != nil {
		defer cancel(nil)
		return nil, toTransferFault(context.Cause(ctx), op, err)
	}
	response.Body = &timeoutBody{
		body: response.Body, op: op, cancel: cancel, idle: client.CloseIdleConnections,
		cause: func() error { return context.Cause(ctx) },
	}
	return response, nil
}

// openAt requests at most that many bytes from an offset on, if the file still has that tag. It returns where the response
// starts: at the offset, or at zero.
func (c *Client) openAt(ctx context.Context, url string, most, offset int64, tag string) (response *http.Response, start int64, err error) {
	if offset > 0 {
		header := http.Header{"Range": {fmt.Sprintf("bytes=%d-", offset)}}
		if tag != "" {
			header.Set("If-Range", tag)
		}
		response, err = c.request(ctx, url, most-offset, header)
		if err != nil {
			return nil, 0, err
		}
		if start, usable := parseStart(response, offset); usable {
			return response, start, closeOnError(response, url)
		}
		response.Body.Close()
	}
	response, err = c.open(ctx, url, most)
	return response, 0, err
}

// parseStart returns where the response to a range request starts. It is unusable if the server cannot start there.
func parseStart(response *http.Response, offset int64) (start int64, usable bool) {
	switch response.StatusCode {
	case http.StatusPartialContent:
		return offset, strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset))
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, false
	}
	return 0, true
}

// Read returns a small file of a release.
func (c *Client) Read(ctx context.Context, url string) (content []byte, err error) {
	err = c.retry(ctx, func() (int64, error) {
		response, err := c.open(ctx, url, MaxList)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		content, err = io.ReadAll(response.Body)
		return 0, err
	})
	if err == nil && isWebPage(content) {
		err = newWebPageError("download " + url)
	}
	return content, err
}

// retry repeats a download that the network interrupted. download returns how many bytes it received that are kept: after an
// attempt that made good progress the count of attempts starts again.
func (c *Client) retry(ctx context.Context, download func() (kept int64, err error)) error {
	const (
		attempts = 3
		good     = 1 << 20
	)
	for attempt := 1; ; attempt++ {
		kept, err := download()
		if kept >= good {
			attempt = 1
		}
		if !fault.Is(err, fault.Transient) || attempt == attempts {
			return err
		}
		c.log(err.Error() + "; retrying")
		if err := c.net.Clock.Sleep(ctx, time.Duration(attempt)*5*time.Second); err != nil {
			return err
		}
	}
}

// requireHTTPS refuses redirects to other schemes.
func requireHTTPS(request *http.Request, via []*http.Request) error {
	const most = 10
	switch {
	case request.URL.Scheme != "https":
		return errUnencrypted
	case len(via) >= most:
		return errors.New("the server redirects in a loop")
	}
	return nil
}

// checkResponse names the requested URL in errors: those of redirects may be signed and therefore secret.
func checkResponse(response *http.Response, url string) error {
	op := "download " + url
	switch code := response.StatusCode; {
	case code == http.StatusNotFound, code == http.StatusForbidden:
		return fault.Newf(fault.NotFound, op, "the server has no such file (%d %s)", code, http.StatusText(code)).
			WithHint("check the OpenShift version in the answers")
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return fault.Newf(fault.Transient, op, "the server responded %d %s", code, http.StatusText(code))
	case code == http.StatusPartialContent && response.Request.Header.Get("Range") != "":
	case code != http.StatusOK:
		return fault.Newf(fault.Invalid, op, "the server responded %d %s", code, http.StatusText(code))
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		return newWebPageError(op)
	}
	return nil
}

func newWebPageError(op string) error {
	return fault.New(fault.Invalid, op, errWebPage).
		WithHint("a proxy or a login page answers instead of the server; open the address in a browser")
}

// toTransferFault converts an error of making or using a connection. cause is the cause of its context's end, if it ended.
func toTransferFault(cause error, op string, err error) error {
	var distrust *tls.CertificateVerificationError
	switch {
	case errors.Is(cause, errStalled), errors.Is(cause, errSlow):
		return fault.New(fault.Transient, op, cause)
	case cause != nil:
		return cause
	case errors.As(err, &distrust):
		return fault.Newf(fault.Invalid, op, "the server's certificate is not trusted: %s", text.Sanitize(distrust.Err.Error())).
			WithHint("check this machine's clock, and whether it has to trust the certificate authority of a proxy")
	case errors.Is(err, errUnencrypted):
		return fault.New(fault.Invalid, op, err)
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, network.DescribeError(err)).WithHint(tooLargeHint)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Transient, op, errTruncated)
	}
	return fault.New(fault.Transient, op, network.DescribeError(err))
}

// timeoutBody cancels its request when nothing arrives for a while, or so little that the download would never end.
type timeoutBody struct {
	body   io.ReadCloser
	op     string
	cancel context.CancelCauseFunc // of the request
	cause  func() error            // why the request was cancelled
	idle   func()                  // closes the connection
	waited time.Duration           // in this period, which ends when enough arrived; the time between reads does not count
	came   int                     // bytes in this period
}

func (b *timeoutBody) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(stallTimeout, func() { b.cancel(errStalled) })
	defer stalled.Stop()
	slow := time.AfterFunc(progressPeriod-b.waited, func() { b.cancel(errSlow) })
	defer slow.Stop()
	began := time.Now()
	n, err := b.body.Read(p)
	b.waited += time.Since(began)
	if b.came += n; b.came >= minProgress {
		b.waited, b.came = 0, 0
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = toTransferFault(b.cause(), b.op, err)
	}
	return n, err
}

func (b *timeoutBody) Close() error {
	b.cancel(nil)
	defer b.idle()
	return b.body.Close()
}

func isWebPage(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n\ufeff"), []byte("<"))
}

func newChecksumError(op, got, want string) error {
	return fault.Newf(fault.Invalid, op, "its sha256 is %s, published is %s", got, want).
		WithHint("run again; if the problem persists, a proxy between this machine and the server modifies files")
}
