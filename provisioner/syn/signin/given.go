package signin

import (
	"errors"
	"os"
	"strings"
	"unicode"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

const maxToken = 64 << 10 // bytes

// loadGiven reads a file each time, because its content may be replaced. No error contains the value: it may be a secret.
func loadGiven(given string) (string, error) {
	token, err := readToken(given)
	if err != nil {
		return "", newGivenError(err.Error())
	}
	if end, known := parseExpiry(token); known && isExpired(end) {
		return "", newGivenError("the token expired at " + end.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return token, nil
}

func newGivenError(why string) error {
	return fault.New(fault.Denied, "use the token of COMMODORE_API_TOKEN", errors.New(why)).
		WithHint("set COMMODORE_API_TOKEN to a valid token, or to the path of a file with one; or unset it and sign in")
}

func readToken(value string) (string, error) {
	text := value
	if info, err := os.Stat(value); err == nil && info.Mode().IsRegular() {
		content, err := fileread.Text(value, fileread.Small)
		if err != nil {
			return "", errors.New("the file cannot be read")
		}
		text = string(content)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", errors.New("there is none")
	case len(text) > maxToken:
		return "", errors.New("it is too long for a token")
	case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./"):
		return "", errors.New("it looks like a path, but there is no such file")
	case strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return "", errors.New("it contains invalid characters, such as spaces")
	}
	return text, nil
}
