package ignition_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"testing"
)

// qcow2Writer writes images as qemu-img does: a second table before the first cluster that it lists, and compressed
// clusters one after the other, byte by byte.
type qcow2Writer struct {
	bits   int    // of an offset in a cluster
	image  []byte // whole clusters
	free   int    // offset of the next compressed cluster if it fits
	second map[int]int
}

func newQcow2Writer(bits, size int) *qcow2Writer {
	w := &qcow2Writer{bits: bits, second: map[int]int{}}
	clusters := (size + w.cluster() - 1) / w.cluster()
	entries := (clusters*8 + w.cluster() - 1) / w.cluster()
	tables := w.allocate(1) // the header
	tables = w.allocate((entries*8+w.cluster()-1)/w.cluster()+1) - tables
	copy(w.image, "QFI\xfb")
	w.put32(4, 3)
	w.put32(20, bits)
	w.put64(24, size)
	w.put32(36, entries)
	w.put64(40, tables)
	w.put32(96, 4)
	w.put32(100, 112)
	return w
}

func (w *qcow2Writer) cluster() int { return 1 << w.bits }

func (w *qcow2Writer) tables() int { return int(binary.BigEndian.Uint64(w.image[40:])) }

func (w *qcow2Writer) allocate(clusters int) (at int) {
	at = len(w.image)
	w.image = append(w.image, make([]byte, clusters*w.cluster())...)
	return at
}

func (w *qcow2Writer) put32(at, value int) { binary.BigEndian.PutUint32(w.image[at:], uint32(value)) }

func (w *qcow2Writer) put64(at, value int) { binary.BigEndian.PutUint64(w.image[at:], uint64(value)) }

// entry returns where the table entry of a guest's cluster is.
func (w *qcow2Writer) entry(number int) int {
	first, second := number/(w.cluster()/8), number%(w.cluster()/8)
	if w.second[first] == 0 {
		w.second[first] = w.allocate(1)
		w.put64(w.tables()+8*first, w.second[first]|-1<<63)
	}
	return w.second[first] + 8*second
}

func (w *qcow2Writer) plain(number int, content []byte) {
	entry, at := w.entry(number), w.allocate(1)
	copy(w.image[at:], content)
	w.put64(entry, at|-1<<63)
}

// packed writes a compressed cluster, or a plain one if that is shorter.
func (w *qcow2Writer) packed(t testing.TB, number int, content []byte) {
	t.Helper()
	stream := packedBytes(t, content)
	if len(stream) >= w.cluster() {
		w.plain(number, content)
		return
	}
	entry := w.entry(number)
	room := -w.free & (w.cluster() - 1)
	if room < len(stream) {
		if at := w.allocate(1); room == 0 || w.free+room != at {
			w.free = at
		}
	}
	at := w.free
	copy(w.image[at:], stream)
	w.free += len(stream)
	const sector = 512
	sectors := (at+len(stream)-1)/sector - at/sector
	w.put64(entry, at|sectors<<(62-(w.bits-8))|1<<62)
}

func packedBytes(t testing.TB, content []byte) []byte {
	t.Helper()
	var stream bytes.Buffer
	packer, err := flate.NewWriter(&stream, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := packer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes()
}

func guest(t testing.TB, image []byte) []byte {
	t.Helper()
	get := func(at int) int { return int(binary.BigEndian.Uint64(image[at:])) }
	bits := int(binary.BigEndian.Uint32(image[20:]))
	cluster := 1 << bits
	disk := make([]byte, get(24))
	for at := 0; at < len(disk); at += cluster {
		number := at / cluster
		second := get(get(40)+8*(number/(cluster/8))) & (1<<56 - 512)
		if second == 0 {
			continue
		}
		entry := get(second + 8*(number%(cluster/8)))
		if entry&(1<<62) == 0 {
			if place := entry & (1<<56 - 512); place != 0 {
				copy(disk[at:], image[place:place+cluster])
			}
			continue
		}
		place := entry & (1<<(62-(bits-8)) - 1)
		if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(image[place:])), disk[at:at+cluster]); err != nil {
			t.Fatalf("cluster %d: %v", number, err)
		}
	}
	return disk
}
