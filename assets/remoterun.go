package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RemoteRun is the input of the user-data of a machine that runs a program once and then switches itself off. Its links
// are short-lived and are the only secrets in it.
type RemoteRun struct {
	Program string // link to fetch the program by, gzip
	SHA256  string // of the program as it is run, hex
	Args    []string
	Task    string // link to fetch the program's input by
	Status  string // link to put progress lines by; see errand.yaml
	Report  string // link to put the program's output by
	SSHKey  string // of the operator, one line of authorized_keys; "": none
	Seconds int    // that the program may take
}

// RenderRemoteRunUserData returns the cloud-config by which an Ubuntu 24.04 machine does a remote run.
func RenderRemoteRunUserData(e RemoteRun) ([]byte, error) {
	if e.Seconds < 1 {
		return nil, fmt.Errorf("remote run: a limit of %d seconds", e.Seconds)
	}
	for _, value := range append([]string{e.Program, e.SHA256, e.Task, e.Status, e.Report, e.SSHKey}, e.Args...) {
		// Beside control characters also U+2028, U+2029 and U+FEFF, which end a line or begin a text in YAML.
		if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, errors.New("remote run: a character that cannot be printed")
		}
	}
	if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("remote run: %q is not a SHA-256", e.SHA256)
	}
	const reserve = 1200 // seconds, to download the program and its input, and to upload its output
	return render("errand.yaml", struct {
		RemoteRun
		TotalSeconds int
	}{e, reserve + e.Seconds})
}

func quoteWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func quoteWords(list []string) string {
	quoted := make([]string, len(list))
	for i, one := range list {
		quoted[i] = quoteWord(one)
	}
	return strings.Join(quoted, " ")
}
