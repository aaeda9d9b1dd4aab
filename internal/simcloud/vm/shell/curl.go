package shell

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"exoshift/internal/network"
)

// Exit codes of curl's manual.
const (
	curlResolve     = 6
	curlConnect     = 7
	curlStatus      = 22
	curlWrite       = 23
	curlRead        = 26
	curlTimeout     = 28
	curlTLS         = 35
	curlReceive     = 56
	curlCertificate = 60
)

type transfer struct {
	fail, silent, showError, failWithBody bool
	retries                               int
	connect, maxTime                      time.Duration
	output, upload, url                   string
}

// curl transfers files over the machine's network.
type curl struct {
	files   *Files
	network network.Network
}

func (c curl) run(ctx context.Context, args []string, std streams) (int, error) {
	t, err := parseCurl(args)
	if err != nil {
		return std.fail(usage, "curl: %v", err), nil
	}
	var body []byte
	if t.upload != "" {
		content, _, found := c.files.read(t.upload)
		if !found {
			return std.fail(curlRead, "curl: cannot open '%s'", t.upload), nil
		}
		body = content
	}
	for try := 0; ; try++ {
		code, again, err := c.runTransfer(ctx, t, body, std)
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
		if code == 0 {
			return 0, nil
		}
		if t.showError || !t.silent {
			std.fail(code, "curl: (%d) %v", code, err)
		}
		if try >= t.retries || !again && !t.failWithBody {
			return code, nil
		}
		if err := c.network.Clock.Sleep(ctx, time.Second<<try); err != nil {
			return failed, err
		}
	}
}

// runTransfer makes one attempt. It reports whether curl itself would retry.
func (c curl) runTransfer(ctx context.Context, t transfer, body []byte, std streams) (code int, again bool, err error) {
	if t.maxTime > 0 {
		limited, cancel := context.WithTimeout(ctx, t.maxTime)
		defer cancel()
		ctx = limited
	}
	method := http.MethodGet
	if t.upload != "" {
		method = http.MethodPut
	}
	request, err := http.NewRequestWithContext(ctx, method, t.url, bytes.NewReader(body))
	if err != nil {
		return usage, false, err
	}
	transport := c.newTransport(t)
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		code := toExitCode(err)
		return code, code == curlTimeout, err
	}
	defer func() { _ = response.Body.Close() }()
	if t.fail && response.StatusCode >= http.StatusBadRequest {
		again := response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests
		return curlStatus, again, fmt.Errorf("the requested URL returned error: %d", response.StatusCode)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxInput))
	if err != nil {
		return curlReceive, false, err
	}
	return c.keep(t, content, std)
}

func (c curl) keep(t transfer, content []byte, std streams) (code int, again bool, err error) {
	if t.output == "" {
		_, err = std.stdout.Write(content)
	} else {
		err = c.files.write(t.output, content)
	}
	if err != nil {
		return curlWrite, false, err
	}
	return 0, false, nil
}

func (c curl) newTransport(t transfer) *http.Transport {
	transport := c.network.NewTransport()
	dial := transport.DialContext
	if t.connect > 0 {
		transport.DialContext = func(ctx context.Context, proto, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, c.network.Clock.ToWall(t.connect))
			defer cancel()
			return dial(ctx, proto, address)
		}
	}
	return transport
}

func toExitCode(err error) int {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &name):
		return curlResolve
	case errors.As(err, &certificate):
		return curlCertificate
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return curlTimeout
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return curlConnect
	case strings.Contains(err.Error(), "tls: "):
		return curlTLS
	}
	return curlReceive
}

func parseCurl(args []string) (t transfer, err error) {
	for len(args) > 0 {
		option := args[0]
		args = args[1:]
		takes, known := t.parseOption(option)
		switch {
		case !known && strings.HasPrefix(option, "-"):
			return t, fmt.Errorf("option %s: is unknown", option)
		case !known:
			t.url = option
		case takes == nil:
		case len(args) == 0:
			return t, fmt.Errorf("option %s: requires parameter", option)
		default:
			if err := takes(args[0]); err != nil {
				return t, err
			}
			args = args[1:]
		}
	}
	if t.url == "" {
		return t, errors.New("no URL specified")
	}
	return t, nil
}

// parseOption: takes sets the option's value, if it has one.
func (t *transfer) parseOption(option string) (takes func(string) error, known bool) {
	switch option {
	case "--retry-all-errors":
		t.failWithBody = true
	case "--retry":
		takes = func(text string) (err error) { t.retries, err = strconv.Atoi(text); return err }
	case "--connect-timeout":
		takes = parseSeconds(&t.connect)
	case "--max-time":
		takes = parseSeconds(&t.maxTime)
	case "-o", "--output":
		takes = func(text string) error { t.output = text; return nil }
	case "-T", "--upload-file":
		takes = func(text string) error { t.upload = text; return nil }
	default:
		return nil, t.parseShortOptions(option)
	}
	return takes, true
}

func (t *transfer) parseShortOptions(option string) bool {
	list, found := strings.CutPrefix(option, "-")
	if !found || list == "" || strings.Trim(list, "fsS") != "" {
		return false
	}
	t.fail = t.fail || strings.Contains(list, "f")
	t.silent = t.silent || strings.Contains(list, "s")
	t.showError = t.showError || strings.Contains(list, "S")
	return true
}

func parseSeconds(into *time.Duration) func(string) error {
	return func(text string) error {
		number, err := strconv.ParseFloat(text, 64)
		*into = time.Duration(number * float64(time.Second))
		return err
	}
}
