package wizard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Only the credentials of exo's configuration. Keys are matched regardless of case, as in exo.
type exoConfig struct {
	DefaultAccount string       `toml:"defaultAccount"`
	Accounts       []exoAccount `toml:"accounts"`

	path string
}

type exoAccount struct {
	Name          string `toml:"name"`
	Key           string `toml:"key"`
	Secret        string `toml:"secret"`
	SecretCommand any    `toml:"secretCommand"` // prints the secret, in place of Secret
	DefaultZone   string `toml:"defaultZone"`
}

func (a exoAccount) apiKey() string { return strings.TrimSpace(a.Key) }

// The secret is empty if there is a command: exo prefers the command to a secret beside it.
func (a exoAccount) apiSecret() string {
	if a.isHidden() {
		return ""
	}
	return strings.TrimSpace(a.Secret)
}

func (a exoAccount) isHidden() bool {
	switch command := a.SecretCommand.(type) {
	case nil:
		return false
	case []any:
		return len(command) > 0
	}
	return true
}

func (c exoConfig) findAccount(name string) (exoAccount, bool) {
	for _, account := range c.Accounts {
		if account.Name == name {
			return account, true
		}
	}
	return exoAccount{}, false
}

// readExoSecret runs no command.
func readExoSecret(name string, pick func(exoAccount) string, lookup func(string) (string, bool)) (string, []Problem) {
	config, faults := readExo(lookup)
	if faults != nil {
		return "", faults
	}
	account, found := config.findAccount(name)
	switch value := pick(account); {
	case !found:
		return "", newProblem(config.path+" has no account of that name", "an account that `exo config list` shows", "")
	case value == "" && account.isHidden():
		return "", newProblem("the account keeps its secret behind a command, and exoshift runs none",
			"export EXOSCALE_API_KEY=… and EXOSCALE_API_SECRET=…, with {env: EXOSCALE_API_KEY} and {env: EXOSCALE_API_SECRET}", "")
	case value == "":
		return "", newProblem("the account is not complete", "an account with key and secret: exo config", "")
	default:
		return value, nil
	}
}

// Like every file with secrets the configuration must be accessible by its owner only; exo creates it so.
func readExo(lookup func(string) (string, bool)) (exoConfig, []Problem) {
	path := findExoConfig(lookup)
	if path == "" {
		return exoConfig{}, newProblem("the program exo is not set up here: there is no exoscale.toml", "exo config, or "+onePlace, "")
	}
	content, faults := readSecret(path)
	if faults != nil {
		return exoConfig{}, faults
	}
	config := exoConfig{path: path}
	if err := toml.NewDecoder(strings.NewReader(content)).Decode(&config); err != nil {
		return exoConfig{}, newProblem(path+" is not what exo writes"+formatTOMLError(err), "a file that `exo config list` can read", "")
	}
	return config, nil
}

// The library's message may hold secrets.
func formatTOMLError(err error) string {
	var wrongAt *toml.DecodeError
	if !errors.As(err, &wrongAt) {
		return ""
	}
	line, _ := wrongAt.Position()
	return fmt.Sprintf(", see its line %d", line)
}

// Like exo, it supports EXOSCALE_CONFIG, the user's configuration directory, and the older ~/.exoscale; "" if there is
// none.
func findExoConfig(lookup func(string) (string, bool)) string {
	if path, _ := lookup("EXOSCALE_CONFIG"); path != "" {
		return path
	}
	var folders []string
	if folder, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(folder) {
		folders = append(folders, filepath.Join(folder, "exoscale"))
	}
	if home, _ := lookup("HOME"); filepath.IsAbs(home) {
		folders = append(folders, filepath.Join(home, ".config", "exoscale"),
			filepath.Join(home, "Library", "Application Support", "exoscale"), filepath.Join(home, ".exoscale"))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, "exoscale.toml")
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}
