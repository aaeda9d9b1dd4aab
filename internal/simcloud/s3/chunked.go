package s3

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	maxChunk    = 16 << 20
	emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

// chunked decodes a body of chunks, each signed together with the previous signature, and the trailer after them:
//
//	10000;chunk-signature=<hex>\r\n<65536 bytes>\r\n … 0;chunk-signature=<hex>\r\n[name:value\r\n…]\r\n
//
// Bodies of the unsigned kind have chunks without signatures.
type chunked struct {
	source   *bufio.Reader
	sig      *signature
	previous string // the signature of the previous chunk
	signed   bool
	trailers bool
	rest     []byte
	done     bool
	trailer  http.Header
}

func newChunked(body io.Reader, sig *signature) *chunked {
	return &chunked{
		source: bufio.NewReader(body), sig: sig, previous: sig.value, trailer: http.Header{},
		signed:   strings.HasPrefix(sig.payload, "STREAMING-"+algorithm),
		trailers: strings.HasSuffix(sig.payload, "-TRAILER"),
	}
}

func (c *chunked) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		if c.done {
			return 0, io.EOF
		}
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// next reads and verifies one chunk; the last one is empty and has the trailer.
func (c *chunked) next() error {
	line, err := c.readLine()
	if err != nil {
		return err
	}
	length, extension, _ := strings.Cut(line, ";")
	size, err := strconv.ParseUint(length, 16, 32)
	if err != nil || size > maxChunk {
		return errIncomplete
	}
	chunk := make([]byte, size)
	if _, err := io.ReadFull(c.source, chunk); err != nil {
		return errIncomplete
	}
	if err := c.verify(extension, chunk); err != nil {
		return err
	}
	if size == 0 {
		c.done = true
		return c.end()
	}
	c.rest = chunk
	if line, err := c.readLine(); err != nil || line != "" {
		return errIncomplete
	}
	return nil
}

func (c *chunked) verify(extension string, chunk []byte) error {
	if !c.signed {
		return nil
	}
	given, ok := strings.CutPrefix(extension, "chunk-signature=")
	want := c.sig.sign(algorithm+"-PAYLOAD", c.previous, emptySHA256, hashHex(string(chunk)))
	if !ok || !hmac.Equal([]byte(given), []byte(want)) {
		return errSignature
	}
	c.previous = given
	return nil
}

// end reads the trailer up to an empty line, which some clients omit, and others also send before the signature.
func (c *chunked) end() error {
	var signed bytes.Buffer
	given, wanted := "", c.signed && c.trailers
	for {
		line, err := c.readLine()
		if err == nil && line == "" && wanted && given == "" {
			continue
		}
		if err != nil || line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "x-amz-trailer-signature") {
			given = strings.TrimSpace(value)
			continue
		}
		c.trailer.Set(name, strings.TrimSpace(value))
		fmt.Fprintf(&signed, "%s:%s\n", strings.ToLower(name), strings.TrimSpace(value))
	}
	if !wanted {
		return nil
	}
	want := c.sig.sign(algorithm+"-TRAILER", c.previous, hashHex(signed.String()))
	if !hmac.Equal([]byte(given), []byte(want)) {
		return errSignature
	}
	return nil
}

func (c *chunked) readLine() (string, error) {
	line, err := c.source.ReadSlice('\n')
	if err != nil {
		return "", errIncomplete
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}
