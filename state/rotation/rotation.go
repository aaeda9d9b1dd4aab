// Package rotation is the vocabulary of a rotation of credentials: who holds an API key in a cluster, and what is recorded until the rotation
// has ended. Nothing here has a secret.
package rotation

import "time"

// Keys is a rotation of API keys, from its beginning until the last old key is deleted.
type Keys struct {
	Begun time.Time `json:"begun"`
	Keys  []Key     `json:"keys"` // in the order in which they are rotated
}

// Key is one API key of a rotation.
type Key struct {
	Policy string `json:"policy"` // the policy of its role
	Name   string `json:"name"`   // of the old key and of the new one
	Old    string `json:"old"`    // the old key's ID
	Done   bool   `json:"done,omitzero"`
	// Holders are the Secrets that held the old key, without Readers. Without Vault, the new key is put into the first one first.
	Holders []Holder `json:"holders"`
	// Trials are the names in the cloud of what proves the use of the new key, as long as any may exist.
	Trials []string `json:"trials,omitempty"`
}

// Holder is a Secret of the cluster that holds an API key.
type Holder struct {
	Namespace   string   `json:"namespace"`
	Name        string   `json:"name"`
	KeyField    string   `json:"keyField"`             // the field with the key's ID
	SecretField string   `json:"secretField,omitzero"` // the field with the key's secret
	Key         string   `json:"key,omitzero"`         // the ID that it holds
	Managed     bool     `json:"managed,omitzero"`     // Argo CD applies it: what is in Vault comes back
	Readers     []string `json:"readers,omitempty"`    // workloads whose pods get it, as kind/name, sorted
}

// ID returns namespace/name.
func (h Holder) ID() string { return h.Namespace + "/" + h.Name }

// Call is a change in the cloud that was requested with an API key.
type Call struct {
	Time      time.Time
	Operation string // as in policies, e.g. create-load-balancer
	Accepted  bool
}
