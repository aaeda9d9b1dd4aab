package download

import (
	"io"

	"exoshift/internal/fault"
)

// ImageLimits bound a boot image, in bytes: several times what they have, 1.5 GB compressed.
type ImageLimits struct{ Packed, Unpacked int64 }

// LimitReader returns a reader that fails after so many bytes, unlike io.LimitReader, which ends there.
func LimitReader(from io.Reader, op string, limit int64) io.Reader {
	return &limitedReader{from: from, op: op, limit: limit}
}

type limitedReader struct {
	from  io.Reader
	op    string
	limit int64
	read  int64
}

func (b *limitedReader) Read(p []byte) (int, error) {
	if room := b.limit - b.read + 1; int64(len(p)) > room {
		p = p[:max(room, 1)]
	}
	n, err := b.from.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, NewTooLargeError(b.op, b.limit)
	}
	return n, err
}

const tooLargeHint = "check for a proxy between this machine and the server; no such file of a release is so large"

// NewTooLargeError is for a file that is larger than any of its kind.
func NewTooLargeError(op string, limit int64) error {
	return fault.New(fault.Invalid, op, fault.TooLargeError{Limit: limit}).
		WithHint(tooLargeHint)
}
