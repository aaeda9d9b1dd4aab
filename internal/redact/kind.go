package redact

import "slices"

// Kind is the type of a replaced value, and the prefix of its token: ip-3.
type Kind string

// Kinds of secrets.
const (
	Key       Kind = "key" // private keys, API keys
	Password  Kind = "password"
	Token     Kind = "token" // credentials sent with requests
	Signature Kind = "signature"
	Blob      Kind = "blob" // base64 of unknown content
)

// Kinds of identities.
const (
	Certificate Kind = "certificate"
	SSHKey      Kind = "ssh-key" // a public one
	Email       Kind = "email"
	IP          Kind = "ip"   // a public one
	Host        Kind = "host" // a name below a domain that is not the cluster's
	Domain      Kind = "domain"
	Path        Kind = "path"
	User        Kind = "user"
	Cluster     Kind = "cluster"
	Tenant      Kind = "tenant"
)

// ListKinds returns the kinds, the most specific first: overlapping matches get the first one.
func ListKinds() []Kind {
	return []Kind{Key, Password, Token, Signature, Certificate, SSHKey, Blob, Email, IP, Host, Domain, Path, User, Cluster, Tenant}
}

// isSecret reports whether values of this kind are secrets, rather than identities.
func (k Kind) isSecret() bool {
	return slices.Contains([]Kind{Key, Password, Token, Signature, Blob}, k)
}

// Describe returns a description for people.
func (k Kind) Describe() string {
	words := map[Kind]string{
		Key: "private keys and API keys", Password: "passwords", Token: "tokens", Signature: "signatures",
		Blob: "long texts in base64", Certificate: "certificates", SSHKey: "public SSH keys", Email: "e-mail addresses",
		IP: "public IP addresses", Host: "other hosts", Domain: "domains", Path: "paths", User: "users",
		Cluster: "the cluster's ID", Tenant: "the display name",
	}
	if text, known := words[k]; known {
		return text
	}
	return string(k)
}

func (k Kind) rank() int { return slices.Index(ListKinds(), k) }
