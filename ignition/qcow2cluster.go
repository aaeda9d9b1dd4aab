package ignition

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"

	"exoshift/ignition/deflate"
)

var (
	errTooLong = errors.New("it unpacks to more than a cluster")
	errNoRoom  = errors.New("the changed data does not fit into the available space")
)

type cluster struct {
	unpacker io.ReadCloser
	content  []byte
}

func newCluster(size int) *cluster {
	return &cluster{unpacker: flate.NewReader(bytes.NewReader(nil)), content: make([]byte, size)}
}

// patch returns the length of the compressed cluster, which does not change: the next one follows immediately. QEMU
// compresses with zlib's default effort, which leaves enough to gain: of a thousand clusters as in boot partitions, all
// fitted.
func (c *cluster) patch(packed []byte) (length, replaced int, err error) {
	length, err = c.unpack(packed)
	if err != nil {
		return 0, 0, err
	}
	if replaced = replacePlatform(c.content); replaced == 0 {
		return length, 0, nil
	}
	shorter := deflate.Pack(c.content, length)
	if len(shorter) > length {
		return 0, 0, fmt.Errorf("%w: %d bytes into %d", errNoRoom, len(shorter), length)
	}
	clear(packed[copy(packed, shorter):length])
	return length, replaced, nil
}

func (c *cluster) unpack(packed []byte) (length int, err error) {
	source := bytes.NewReader(packed) // an io.ByteReader, so flate reads no byte too many
	if err := c.unpacker.(flate.Resetter).Reset(source, nil); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(c.unpacker, c.content); err != nil {
		return 0, err
	}
	switch _, err := io.ReadFull(c.unpacker, make([]byte, 1)); {
	case err == nil:
		return 0, errTooLong
	case !errors.Is(err, io.EOF):
		return 0, err
	}
	return len(packed) - source.Len(), nil
}
