package release_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/state"
)

func TestInstaller_LimitsDownload(t *testing.T) {
	const large = 1 << 40
	for name, c := range map[string]struct {
		spoil            func(*testing.T, *mirror)
		archive, program int64
		want             string
	}{
		"the archive":                {func(*testing.T, *mirror) {}, 100, large, "larger than 100 bytes"},
		"an archive of unknown size": {func(_ *testing.T, m *mirror) { m.archive().endless = true }, 100, large, "larger than 100 bytes"},
		"the program":                {func(*testing.T, *mirror) {}, large, 20, "larger than 20 bytes"},
		"the list": {func(t *testing.T, m *mirror) {
			m.checksums().content = append(m.checksums().content, strings.Repeat("a", 1<<20)...)
			m.sign(t)
		}, large, large, "larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.publish(t, versionScript)
			c.spoil(t, m)
			err := fetch(t.Context(), m.installer().Limit(c.archive, c.program))
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if left := m.cached(t); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestInstaller_BoundsTheBootImage(t *testing.T) {
	const large = 1 << 40
	packed := compress(t, strings.Repeat("x", 1<<20))
	for name, c := range map[string]struct {
		endless         bool
		image, unpacked int64
	}{
		"the download":           {false, 100, large},
		"of unknown size":        {true, 100, large},
		"what it is unpacked to": {false, large, 1 << 19},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.files["/a.qcow2.gz"] = &file{content: packed, endless: c.endless}
			image := state.BootImage{URL: "https://rhcos.mirror.openshift.com/a.qcow2.gz", SHA256: sum(packed)}
			downloads := m.downloads()
			downloads.Image = download.ImageLimits{Packed: c.image, Unpacked: c.unpacked}
			stream, err := downloads.OpenImage(t.Context(), image, func(string) {})
			var read int64
			if err == nil {
				read, err = io.Copy(io.Discard, stream)
				err = errors.Join(err, stream.Close())
			}
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "larger than") || read > 1<<19 {
				t.Errorf("%d bytes, %v", read, err)
			}
		})
	}
}
