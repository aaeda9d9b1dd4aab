package diagnosis

import "fmt"

// KeyRules are about the API keys of a cluster that runs.
func KeyRules() []Rule {
	return []Rule{{
		ID:          "key-revoked-early",
		Cause:       "An API key that the cluster uses was revoked before another one is in use, so what uses it cannot change anything in the cloud.",
		Fix:         "Give the cluster a new key:\nexoshift rotate api-keys",
		Confidence:  High,
		Disposition: Wait,
		Waits:       "the rotation that goes on gives the cluster a new key",
		detect:      detectRevokedKey,
	}}
}

// NewOfKeys returns an Evaluator for the rules about API keys alone.
func NewOfKeys() *Evaluator {
	return &Evaluator{rules: KeyRules(), candidates: map[string]*candidate{}}
}

func detectRevokedKey(m *inputIndex) (found detection) {
	for _, key := range m.Revoked {
		found.subject = append(found.subject, key.Name)
		found.evidence = append(found.evidence, fmt.Sprintf("the key %s, %s of %s, does not exist any more; it is in %s", key.Key, key.Name, key.Use, joinLimited(key.Secrets)))
	}
	return found
}
