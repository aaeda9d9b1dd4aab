package release

import (
	"io"

	"exoshift/internal/fault"
)

// limits bound downloads and their unpacked size, in bytes: several times that of releases. The archive of the program has about
// 700 MB, and a compressed boot image 1.5 GB.
type limits struct{ archive, program, image, unpackedImage int64 }

func newLimits() limits {
	return limits{archive: 2 << 30, program: 4 << 30, image: 8 << 30, unpackedImage: 32 << 30}
}

// limitedReader fails after so many bytes, unlike io.LimitedReader, which returns io.EOF.
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
		return 0, newTooLargeError(b.op, b.limit)
	}
	return n, err
}

const tooLargeHint = "check that nothing stands between this machine and the server; no such file of a release is so large"

func newTooLargeError(op string, limit int64) error {
	return fault.New(fault.Invalid, op, fault.TooLargeError{Limit: limit}).
		WithHint(tooLargeHint)
}
