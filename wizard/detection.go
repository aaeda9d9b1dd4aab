package wizard

import (
	"path/filepath"
	"slices"
	"strings"

	"exoshift/internal/fileread"
	"exoshift/state"
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
