package githost

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

// wire is one exchange with a Git client. Without state each request is an exchange of its own.
type wire struct {
	raw       io.Reader
	lines     *pktline.Scanner
	out       io.Writer
	answer    *pktline.Encoder
	stateless bool
}

func newWire(in io.Reader, out io.Writer, stateless bool) *wire {
	return &wire{raw: in, lines: pktline.NewScanner(in), out: out, answer: pktline.NewEncoder(out), stateless: stateless}
}

// next reads one line; a flush is "" and the end of the input is io.EOF.
func (w *wire) next() (string, error) {
	if !w.lines.Scan() {
		if err := w.lines.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	}
	return strings.TrimSuffix(string(w.lines.Bytes()), "\n"), nil
}

// newBandWriter returns a channel of the side band, or out itself if the client does not support it.
func (w *wire) newBandWriter(channel sideband.Channel, capable bool) io.Writer {
	if !capable {
		return w.out
	}
	return banded{sideband.NewMuxer(sideband.Sideband64k, w.out), channel}
}

type banded struct {
	*sideband.Muxer
	channel sideband.Channel
}

func (b banded) Write(p []byte) (int, error) { return b.WriteChannel(b.channel, p) }

func (w *wire) sendReferences(service string, r repository) error {
	capabilities := "report-status delete-refs side-band-64k quiet ofs-delta object-format=sha1 agent=git/2.45.2"
	var lines []string
	tip, pushed := r.findTip()
	if service == uploadPack {
		capabilities = "shallow no-progress include-tag ofs-delta side-band-64k object-format=sha1 agent=git/2.45.2"
		if pushed {
			capabilities += " symref=HEAD:" + r.headRef()
			lines = append(lines, tip.String()+" HEAD")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Refs)) {
		lines = append(lines, r.Refs[name]+" "+name)
	}
	if len(lines) == 0 {
		lines = []string{plumbing.ZeroHash.String() + " capabilities^{}"}
	}
	lines[0] += "\x00" + capabilities
	for _, line := range lines {
		if err := w.answer.EncodeString(line + "\n"); err != nil {
			return err
		}
	}
	return w.answer.Flush()
}

func parseCapabilities(text string) map[string]bool {
	found := map[string]bool{}
	for capability := range strings.FieldsSeq(text) {
		found[capability] = true
	}
	return found
}
