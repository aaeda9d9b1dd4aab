// Package local is what this machine has of the answers: the secrets and files that they refer to, and what is detected for them.
package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/sshkey"

	"github.com/pelletier/go-toml/v2"
)

// Detect searches for answers on this machine: credentials and zone in the environment or in the configuration of the
// program exo, the SSH key in the folder home, and the pull secret where a browser saves it. Nothing is changed and no
// service is contacted. The problems are about unusable findings.
func Detect(home string, lookup func(env string) (string, bool)) ([]wizard.Detection, []wizard.Problem) {
	keys, zone, faults := detectCredentials(lookup)
	pull, refused := detectPullSecret(home)
	found := slices.Concat(keys, detectZone(zone, lookup), detectSSHKey(home), pull)
	return slices.DeleteFunc(found, isUnusable), append(faults, refused...)
}

// DetectAnswers sets unanswered fields to what is found on this machine, and returns the problems of unusable findings.
func DetectAnswers(a *wizard.Answers, home string, lookup func(env string) (string, bool)) []wizard.Problem {
	found, faults := Detect(home, lookup)
	for _, d := range found {
		if a.Origin(d.Key) == wizard.ByDefault {
			_ = a.Set(d.Key, d.Text, d.Origin) // Detect returns settable answers only
		}
	}
	return slices.DeleteFunc(faults, func(f wizard.Problem) bool { return a.Origin(f.Field) != wizard.ByDefault })
}

func isUnusable(d wizard.Detection) bool {
	field, ok := wizard.Find(wizard.Fields(), d.Key)
	spec := state.Default()
	return !ok || field.Set(&spec, d.Text) != nil || wizard.ValidatePrintable(d.Origin) != nil
}

func newDetection(key, text, where string) wizard.Detection {
	return wizard.Detection{Key: key, Text: text, Origin: wizard.Detected + ": " + where}
}

// The environment takes precedence, as in exo. exo's default account also supplies the zone.
func detectCredentials(lookup func(string) (string, bool)) (keys []wizard.Detection, zone wizard.Detection, faults []wizard.Problem) {
	const keyVar, secretVar = "EXOSCALE_API_KEY", "EXOSCALE_API_SECRET"
	if set(lookup, keyVar) && set(lookup, secretVar) {
		return []wizard.Detection{
			newDetection(wizard.APIKeyKey, "env:"+keyVar, keyVar), newDetection(wizard.APISecretKey, "env:"+secretVar, secretVar),
		}, wizard.Detection{}, nil
	}
	if findExoConfig(lookup) == "" {
		return nil, wizard.Detection{}, nil
	}
	config, faults := readExo(lookup)
	name := config.DefaultAccount
	if chosen, _ := lookup("EXOSCALE_ACCOUNT"); chosen != "" {
		name = chosen
	}
	account, found := config.findAccount(name)
	if faults == nil && !found {
		return nil, wizard.Detection{}, nil
	}
	if faults == nil {
		_, faults = readExoSecret(name, exoAccount.apiSecret, lookup)
	}
	if faults != nil {
		return nil, wizard.Detection{}, wizard.WithField(wizard.APISecretKey, faults)
	}
	where := "account " + name + " of exo"
	return []wizard.Detection{newDetection(wizard.APIKeyKey, "exo:"+name, where), newDetection(wizard.APISecretKey, "exo:"+name, where)},
		newDetection(wizard.ZoneKey, account.DefaultZone, where), nil
}

func set(lookup func(string) (string, bool), env string) bool {
	value, _ := lookup(env)
	return strings.TrimSpace(value) != ""
}

// The environment takes precedence over the account.
func detectZone(ofAccount wizard.Detection, lookup func(string) (string, bool)) []wizard.Detection {
	const zoneVar = "EXOSCALE_ZONE"
	if zone, _ := lookup(zoneVar); zone != "" {
		return []wizard.Detection{newDetection(wizard.ZoneKey, zone, zoneVar)}
	}
	return []wizard.Detection{ofAccount}
}

// In bytes.
const maxKeyFile = 16 << 10

// detectSSHKey selects the newest key type of those that Exoscale accepts, too.
func detectSSHKey(home string) []wizard.Detection {
	for _, name := range []string{"id_ed25519.pub", "id_rsa.pub"} {
		content, faults := readRegular(filepath.Join(home, ".ssh", name), maxKeyFile, fileread.Text)
		key := strings.TrimSpace(string(content))
		if faults == nil && key != "" && wizard.ValidateSSHKey(key) == nil && sshkey.IsExoscale(sshkey.Type(key)) {
			return []wizard.Detection{newDetection(wizard.SSHKeyKey, key, "~/.ssh/"+name)}
		}
	}
	return nil
}

// detectPullSecret selects the first file with a pull secret. One that others can read is reported, and not used.
func detectPullSecret(home string) ([]wizard.Detection, []wizard.Problem) {
	for _, place := range listPullSecretFiles(home) {
		content, faults := readRegular(place.path, maxSecret, fileread.Text)
		if faults != nil {
			continue
		}
		if _, problem := readPullSecret(string(content)); problem != "" {
			continue
		}
		if _, faults = readSecret(place.path); faults != nil {
			return nil, wizard.WithField(wizard.PullSecretKey, faults)
		}
		return []wizard.Detection{newDetection(wizard.PullSecretKey, "file:"+place.path, place.shown)}, nil
	}
	return nil, nil
}

type candidateFile struct{ path, shown string }

func listPullSecretFiles(home string) []candidateFile {
	var places []candidateFile
	for _, name := range []string{"pull-secret.json", "pull-secret.txt", "pull-secret"} {
		if path, err := filepath.Abs(name); err == nil {
			places = append(places, candidateFile{path, "./" + name})
		}
	}
	for _, name := range []string{"pull-secret.json", "pull-secret.txt", "Downloads/pull-secret", "Downloads/pull-secret.txt"} {
		places = append(places, candidateFile{filepath.Join(home, filepath.FromSlash(name)), "~/" + name})
	}
	return places
}

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
func readExoSecret(name string, pick func(exoAccount) string, lookup func(string) (string, bool)) (string, []wizard.Problem) {
	config, faults := readExo(lookup)
	if faults != nil {
		return "", faults
	}
	account, found := config.findAccount(name)
	switch value := pick(account); {
	case !found:
		return "", wizard.NewProblem(config.path+" has no account with that name", "an account from `exo config list`", "")
	case value == "" && account.isHidden():
		return "", wizard.NewProblem("the account gets its secret from a command, which exoshift does not run",
			"export EXOSCALE_API_KEY=… and EXOSCALE_API_SECRET=…, with {env: EXOSCALE_API_KEY} and {env: EXOSCALE_API_SECRET}", "")
	case value == "":
		return "", wizard.NewProblem("the account is incomplete", "an account with key and secret: exo config", "")
	default:
		return value, nil
	}
}

// Like every file with secrets the configuration must be accessible by its owner only; exo creates it so.
func readExo(lookup func(string) (string, bool)) (exoConfig, []wizard.Problem) {
	path := findExoConfig(lookup)
	if path == "" {
		return exoConfig{}, wizard.NewProblem("the exo CLI is not configured: exoscale.toml not found", "exo config, or "+wizard.ReferenceForm, "")
	}
	content, faults := readSecret(path)
	if faults != nil {
		return exoConfig{}, faults
	}
	config := exoConfig{path: path}
	if err := toml.NewDecoder(strings.NewReader(content)).Decode(&config); err != nil {
		return exoConfig{}, wizard.NewProblem(path+" is not a valid exo configuration"+formatTOMLError(err), "a file that `exo config list` can read", "")
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
