package wizard

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

	"github.com/pelletier/go-toml/v2"
)

// Detection is an answer that was found on this machine.
type Detection struct {
	Key    string
	Text   string // as Answers.Set takes it
	Origin string // its origin, e.g. "detected: ~/.ssh/id_ed25519.pub"
}

// Detect searches for answers on this machine: credentials and zone in the environment or in the configuration of the
// program exo, the SSH key in the folder home, and the pull secret where a browser saves it. Nothing is changed and no
// service is contacted. The problems are about unusable findings.
func Detect(home string, lookup func(env string) (string, bool)) ([]Detection, []Problem) {
	keys, zone, faults := detectCredentials(lookup)
	pull, refused := detectPullSecret(home)
	found := slices.Concat(keys, detectZone(zone, lookup), detectSSHKey(home), pull)
	return slices.DeleteFunc(found, isUnusable), append(faults, refused...)
}

// Detect sets unanswered fields to what is found on this machine, and returns the problems of unusable findings.
func (a *Answers) Detect(home string, lookup func(env string) (string, bool)) []Problem {
	found, faults := Detect(home, lookup)
	for _, d := range found {
		if a.Origin(d.Key) == ByDefault {
			_ = a.Set(d.Key, d.Text, d.Origin) // Detect returns settable answers only
		}
	}
	return slices.DeleteFunc(faults, func(f Problem) bool { return a.Origin(f.Field) != ByDefault })
}

// ListUnused returns warnings about unusable findings, as long as there is no other answer.
func (i *Interview) ListUnused(spec state.Spec) []Problem {
	var unused []Problem
	for _, f := range i.Unusable {
		if field, ok := find(Fields(), f.Field); ok && field.Get(spec) == field.Default() {
			f.Message = "not used: " + f.Message
			unused = append(unused, f)
		}
	}
	return unused
}

func isUnusable(d Detection) bool {
	field, ok := find(Fields(), d.Key)
	spec := state.Default()
	return !ok || field.Set(&spec, d.Text) != nil || validatePrintable(d.Origin) != nil
}

func newDetection(key, text, where string) Detection {
	return Detection{Key: key, Text: text, Origin: Detected + ": " + where}
}

// The environment takes precedence, as in exo. exo's default account also supplies the zone.
func detectCredentials(lookup func(string) (string, bool)) (keys []Detection, zone Detection, faults []Problem) {
	const keyVar, secretVar = "EXOSCALE_API_KEY", "EXOSCALE_API_SECRET"
	if set(lookup, keyVar) && set(lookup, secretVar) {
		return []Detection{
			newDetection(apiKeyKey, "env:"+keyVar, keyVar), newDetection(apiSecretKey, "env:"+secretVar, secretVar),
		}, Detection{}, nil
	}
	if findExoConfig(lookup) == "" {
		return nil, Detection{}, nil
	}
	config, faults := readExo(lookup)
	name := config.DefaultAccount
	if chosen, _ := lookup("EXOSCALE_ACCOUNT"); chosen != "" {
		name = chosen
	}
	account, found := config.findAccount(name)
	if faults == nil && !found {
		return nil, Detection{}, nil
	}
	if faults == nil {
		_, faults = readExoSecret(name, exoAccount.apiSecret, lookup)
	}
	if faults != nil {
		return nil, Detection{}, withField(apiSecretKey, faults)
	}
	where := "account " + name + " of exo"
	return []Detection{newDetection(apiKeyKey, "exo:"+name, where), newDetection(apiSecretKey, "exo:"+name, where)},
		newDetection(zoneKey, account.DefaultZone, where), nil
}

func set(lookup func(string) (string, bool), env string) bool {
	value, _ := lookup(env)
	return strings.TrimSpace(value) != ""
}

// The environment takes precedence over the account.
func detectZone(ofAccount Detection, lookup func(string) (string, bool)) []Detection {
	const zoneVar = "EXOSCALE_ZONE"
	if zone, _ := lookup(zoneVar); zone != "" {
		return []Detection{newDetection(zoneKey, zone, zoneVar)}
	}
	return []Detection{ofAccount}
}

// In bytes.
const maxKeyFile = 16 << 10

// detectSSHKey selects the newest key type.
func detectSSHKey(home string) []Detection {
	for _, name := range []string{"id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub"} {
		content, faults := readRegular(filepath.Join(home, ".ssh", name), maxKeyFile, fileread.Text)
		key := strings.TrimSpace(string(content))
		if faults == nil && key != "" && validateSSHKey(key) == nil {
			return []Detection{newDetection(sshKeyKey, key, "~/.ssh/"+name)}
		}
	}
	return nil
}

// detectPullSecret selects the first file with a pull secret. One that others can read is reported, and not used.
func detectPullSecret(home string) ([]Detection, []Problem) {
	for _, place := range listPullSecretFiles(home) {
		content, faults := readRegular(place.path, maxSecret, fileread.Text)
		if faults != nil {
			continue
		}
		if _, problem := readPullSecret(string(content)); problem != "" {
			continue
		}
		if _, faults = readSecret(place.path); faults != nil {
			return nil, withField(PullSecretKey, faults)
		}
		return []Detection{newDetection(PullSecretKey, "file:"+place.path, place.shown)}, nil
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
