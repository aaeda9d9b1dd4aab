package remoterun

import (
	"io"
	"strings"
	"testing"

	"exoshift/internal/fault"
)

func TestPayload_RequiresLinuxProgram(t *testing.T) {
	for system, architecture := range map[string]string{"darwin": "amd64", "linux": "arm64", "windows": "amd64"} {
		_, err := newProgramFor(system, architecture, nil)
		if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%s on %s: %v", system, architecture, err)
		}
	}
	if program, err := newProgramFor("linux", "amd64", []string{"probe"}); err != nil || len(program.Args) != 1 {
		t.Errorf("%+v, %v", program, err)
	}
}

// What is packed already is sent as it is, and the sum is of the content.
func TestPackProgram_Packed(t *testing.T) {
	plain, err := packProgram(Program{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a program")), nil }})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := packProgram(Program{Packed: plain.content, Args: []string{"probe"}})
	if err != nil || packed.sum != plain.sum || string(packed.content) != string(plain.content) || len(packed.args) != 1 {
		t.Errorf("%+v, %v, want %+v", packed, err, plain)
	}
	if _, err := packProgram(Program{Packed: []byte("no gzip")}); err == nil {
		t.Error("it took garbage")
	}
}
