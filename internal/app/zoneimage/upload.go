package zoneimage

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the object storage identifies parts by their MD5
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/objects"
)

const (
	uploadAttempts = 5
	// partLimit bounds the upload of one part, on the wall clock: as slow as 2 Mbit/s.
	partLimit = 2 * time.Minute
)

var errPartTooSlow = fmt.Errorf("it was not sent within %s", partLimit)

// uploader uploads a stream in parts, each by its link: one is sent while the next is read.
type uploader struct {
	client   *http.Client
	clock    network.Clock
	links    objects.PartLinks
	partSize int
}

func newUploader(net network.Network, t task) *uploader {
	return &uploader{client: net.NewAPIClient(network.Limits{Bytes: 1 << 20}), clock: net.Clock, links: t.Parts, partSize: t.PartSize}
}

// upload returns the parts in order. No upload is under way when it returns.
func (u *uploader) upload(ctx context.Context, content io.Reader) (parts []objects.Part, err error) {
	defer u.client.CloseIdleConnections()
	ctx, cancel := context.WithCancel(ctx)
	sent, sending := make(chan error, 1), false
	wait := func() error {
		if !sending {
			return nil
		}
		sending = false
		return <-sent
	}
	defer func() {
		cancel() // after a failure nobody needs the part that is under way
		_ = wait()
	}()
	buffers := [2][]byte{make([]byte, u.partSize), make([]byte, u.partSize)}
	for number := 1; ; number++ {
		buffer := buffers[number%2]
		n, readErr := readFull(content, buffer)
		if err := wait(); err != nil {
			return nil, err
		}
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, readErr
		}
		if n > 0 {
			if number > len(u.links) {
				return nil, fault.Newf(fault.Invalid, "upload the image", "it has more than %d parts of %d MiB", len(u.links), u.partSize>>20)
			}
			part := newPart(buffer[:n])
			parts, sending = append(parts, part), true
			go func() { sent <- u.sendPart(ctx, number, part, buffer[:n]) }()
		}
		if readErr != nil { // the end
			return parts, wait()
		}
	}
}

// readFull returns the error of the reader unchanged, unlike io.ReadFull.
func readFull(from io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = from.Read(buffer[n:])
		n += more
	}
	return n, err
}

func newPart(content []byte) objects.Part {
	sum := md5.Sum(content) //nolint:gosec // see the imports
	return objects.Part{ETag: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

// sendPart tries again what may succeed later.
func (u *uploader) sendPart(ctx context.Context, number int, part objects.Part, content []byte) error {
	for attempt := 1; ; attempt++ {
		err := u.trySendPart(ctx, number, part, content)
		if !fault.Is(err, fault.Transient) || attempt == uploadAttempts {
			return err
		}
		if err := u.clock.Sleep(ctx, time.Duration(attempt)*2*time.Second); err != nil {
			return err
		}
	}
}

// trySendPart never names the link, which is a secret.
func (u *uploader) trySendPart(ctx context.Context, number int, part objects.Part, content []byte) error {
	op := fmt.Sprintf("upload part %d of the image", number)
	ctx, cancel := context.WithTimeoutCause(ctx, partLimit, errPartTooSlow)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, u.links[number-1], bytes.NewReader(content))
	if err != nil {
		return fault.Newf(fault.Invalid, op, "its link is not a URL")
	}
	response, err := u.client.Do(request)
	switch {
	case errors.Is(context.Cause(ctx), errPartTooSlow):
		return fault.New(fault.Transient, op, errPartTooSlow)
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	case err != nil:
		return fault.New(fault.Transient, op, network.DescribeError(err)).
			WithHint("ask the network team to allow outgoing connections from the zone to https://%s", request.URL.Host)
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(response.Body) // for the message only
	return checkSent(op, response, answer, part)
}

func checkSent(op string, response *http.Response, answer []byte, part objects.Part) error {
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		if tag := strings.Trim(response.Header.Get("ETag"), `"`); !strings.EqualFold(tag, part.ETag) {
			return fault.Newf(fault.Transient, op, "the object storage has the checksum %s, the part %s", tag, part.ETag).
				WithHint("run again")
		}
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= http.StatusInternalServerError:
		return fault.Newf(fault.Transient, op, "the object storage answered %s", response.Status).WithHint("run again later")
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return fault.Newf(fault.Denied, op, "the object storage rejects the link: %s %s", response.Status, findErrorCode(answer)).
			WithHint("run again: links are valid for %s; check this machine's clock, and that the API key has permission to write objects", linkLifetime)
	case code == http.StatusNotFound:
		return fault.Newf(fault.Conflict, op, "the upload is gone: %s %s", response.Status, findErrorCode(answer)).
			WithHint("check that no other run installs this cluster, then run again")
	default:
		return fault.Newf(fault.Invalid, op, "the object storage answered %s %s", response.Status, findErrorCode(answer)).
			WithHint("run again, or omit --image-from zone")
	}
}

// findErrorCode returns the code of an error of S3, e.g. "AccessDenied", or "".
func findErrorCode(answer []byte) string {
	_, rest, found := bytes.Cut(answer, []byte("<Code>"))
	code, _, ended := bytes.Cut(rest, []byte("</Code>"))
	if !found || !ended || len(code) > 64 {
		return ""
	}
	return string(code)
}
