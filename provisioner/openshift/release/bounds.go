package release

import (
	"errors"
	"fmt"
	"io"

	"exoshift/internal/fault"
)

// limits bound what is downloaded and what it unpacks to, in bytes: several times what releases have.
type limits struct{ archive, program, image, unpackedImage int64 }

func usualLimits() limits {
	return limits{archive: 2 << 30, program: 4 << 30, image: 8 << 30, unpackedImage: 32 << 30}
}

var errTooLarge = errors.New("no release is")

// bounded ends in an error after so many bytes.
type bounded struct {
	from  io.Reader
	op    string
	limit int64
	read  int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if room := b.limit - b.read + 1; int64(len(p)) > room {
		p = p[:max(room, 1)]
	}
	n, err := b.from.Read(p)
	if b.read += int64(n); b.read > b.limit {
		return 0, tooLarge(b.op, b.limit)
	}
	return n, err
}

func tooLarge(op string, limit int64) error {
	size := fmt.Sprintf("%d MiB", limit>>20)
	if limit < 1<<20 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return fault.New(fault.Invalid, op, fmt.Errorf("it is larger than %s, which %w", size, errTooLarge)).
		WithHint("something between this machine and the server changes files, or this server is not the publisher's")
}
