package catalog

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMaskingReader_SplitSecret(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "no secret": "no secret", "s3cr3t": "[token]", "a s3cr3t, twice s3cr3ts3cr3t.": "a [token], twice [token][token].",
		"s3cr": "s3cr", "s3s3cr3t": "s3[token]", "s3crs3cr3": "s3crs3cr3",
	} {
		for name, parts := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			got, err := io.ReadAll(&maskingReader{from: parts(strings.NewReader(text)), secret: []byte("s3cr3t")})
			if err != nil || string(got) != want {
				t.Errorf("%q %s is %q, %v", text, name, got, err)
			}
		}
	}
}

func TestForwardLines_TokenAtLineLimit(t *testing.T) {
	const secret = "very-secret-token"
	for shift := range len(secret) {
		text := strings.Repeat("x", maxLine-shift) + secret + strings.Repeat("y", maxLine) + "\nend\n"
		var lines []string
		end := forwardLines(strings.NewReader(text), secret, func(line string) { lines = append(lines, line) })
		all := strings.Join(lines, "") + string(end)
		if strings.Contains(string(end), secret) || strings.Contains(all, "secret") || !strings.HasSuffix(string(end), "\nend\n") {
			t.Errorf("shifted by %d: %d parts, the end has %q", shift, len(lines), end[max(0, len(end)-20):])
		}
	}
}
