package kubeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/fault"

	"github.com/gorilla/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// execProtocol has the number of a channel in front of each message. Kubelets understand it themselves: API servers pass it through.
const execProtocol = "v4.channel.k8s.io"

// Container is a container of a pod; without a name, it is the first one.
type Container struct{ Namespace, Pod, Name string }

// The channels of what a command writes, and of how it ended.
const (
	channelOut = iota + 1
	channelErr
	channelStatus
)

const (
	// execTimeout ends a command, on the wall clock: Ceph's own tools give up after five minutes.
	execTimeout = 6 * time.Minute
	// maxExecOutput is in bytes.
	maxExecOutput = 8 << 20
)

// ExitError is a command that ended with another exit code than 0.
type ExitError struct {
	Code   int
	Output string // of its standard error
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("exit code %d: %s", e.Code, strings.TrimSpace(Sanitize(e.Output)))
}

// Exec runs a command in a container, and returns what it wrote. It is an *ExitError if the command failed, which may have had its effect if
// the error is another one; what it wrote is returned, too.
func Exec(ctx context.Context, c *Client, in Container, command ...string) ([]byte, error) {
	op := "run " + strings.Join(command, " ") + " in the pod " + in.Namespace + "/" + in.Pod
	c.counter.count("exec", ResourcePath("v1/pods@"+in.Namespace))
	limited, cancel := context.WithTimeout(ctx, execTimeout)
	defer cancel()
	connection, err := dialExec(limited, c, in, command)
	if err != nil {
		return nil, c.ToFault(ctx, op, err)
	}
	defer func() { _ = connection.Close() }()
	defer context.AfterFunc(limited, func() { _ = connection.Close() })()
	var out bytes.Buffer
	err = readExec(connection, &limitedWriter{&out, maxExecOutput})
	var failed *ExitError
	switch {
	case errors.As(err, &failed):
		return out.Bytes(), fault.New(fault.Conflict, op, failed)
	case err != nil:
		return nil, c.ToFault(ctx, op, err)
	}
	return out.Bytes(), nil
}

// ExecTo is Exec for a command that may write any amount of data, for any time, but not nothing for execTimeout.
func ExecTo(ctx context.Context, c *Client, in Container, out io.Writer, command ...string) error {
	op := "run " + strings.Join(command, " ") + " in the pod " + in.Namespace + "/" + in.Pod
	c.counter.count("exec", ResourcePath("v1/pods@"+in.Namespace))
	connection, err := dialExec(ctx, c, in, command)
	if err != nil {
		return c.ToFault(ctx, op, err)
	}
	defer func() { _ = connection.Close() }()
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	silence := time.AfterFunc(execTimeout, func() { _ = connection.Close() })
	defer silence.Stop()
	written := &watchedWriter{to: out, seen: func() { silence.Reset(execTimeout) }}
	err = readExec(connection, written)
	var failed *ExitError
	switch {
	case written.failure != nil:
		return written.failure
	case errors.As(err, &failed):
		return fault.New(fault.Conflict, op, failed)
	case err != nil:
		return c.ToFault(ctx, op, err)
	}
	return nil
}

// watchedWriter reports each write, and keeps the first failure.
type watchedWriter struct {
	to      io.Writer
	seen    func()
	failure error
}

// Write implements io.Writer.
func (w *watchedWriter) Write(content []byte) (int, error) {
	w.seen()
	n, err := w.to.Write(content)
	if w.failure == nil {
		w.failure = err
	}
	return n, err
}

// limitedWriter fails once more than left bytes are written.
type limitedWriter struct {
	to   io.Writer
	left int
}

// Write implements io.Writer.
func (w *limitedWriter) Write(content []byte) (int, error) {
	if w.left -= len(content); w.left < 0 {
		return 0, errTooMuch
	}
	return w.to.Write(content)
}

var errTooMuch = errors.New("the command writes too much")

func dialExec(ctx context.Context, c *Client, in Container, command []string) (*websocket.Conn, error) {
	address := c.Address.JoinPath("api/v1/namespaces", in.Namespace, "pods", in.Pod, "exec")
	address.Scheme = "wss"
	query := url.Values{"command": command, "stdout": {"true"}, "stderr": {"true"}}
	if in.Name != "" {
		query.Set("container", in.Name)
	}
	address.RawQuery = query.Encode()
	dialer := websocket.Dialer{
		NetDialContext: c.Network.Dial, Proxy: c.Network.Proxy, TLSClientConfig: c.Trust.Clone(), HandshakeTimeout: requestTimeout, Subprotocols: []string{execProtocol},
	}
	connection, response, err := dialer.DialContext(ctx, address.String(), nil) //nolint:bodyclose // the library has read it, or it is the connection
	if errors.Is(err, websocket.ErrBadHandshake) && response != nil {
		content, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16)) // the beginning of a body is enough
		return nil, toStatusError("get", "pods/exec", in.Pod, response.StatusCode, content)
	}
	if err != nil {
		return nil, err
	}
	connection.SetReadLimit(maxExecOutput)
	return connection, nil
}

// readExec reads until the server has said how the command ended.
func readExec(connection *websocket.Conn, out io.Writer) error {
	var failure bytes.Buffer
	printed := &limitedWriter{&failure, maxExecOutput}
	for {
		_, message, err := connection.ReadMessage()
		switch {
		case err != nil:
			return fmt.Errorf("the connection ended before the command: %w", err)
		case len(message) == 0:
			continue
		}
		switch message[0] {
		case channelOut:
			_, err = out.Write(message[1:])
		case channelErr:
			_, err = printed.Write(message[1:])
		case channelStatus:
			return toExitError(message[1:], failure.String())
		}
		if err != nil {
			return err
		}
	}
}

func toExitError(content []byte, output string) error {
	var status metav1.Status
	if err := json.Unmarshal(content, &status); err != nil {
		return errors.New("the API server does not say how the command ended")
	}
	if status.Status == metav1.StatusSuccess {
		return nil
	}
	failed := &ExitError{Code: http.StatusInternalServerError, Output: output + status.Message}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if code, err := strconv.Atoi(cause.Message); cause.Type == "ExitCode" && err == nil {
				failed.Code, failed.Output = code, output
			}
		}
	}
	return failed
}
