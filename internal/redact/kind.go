package redact

import "slices"

// Kind is what a token stands for; it is also how the token begins: ip-3.
type Kind string

// The kinds of secrets.
const (
	Key       Kind = "key" // private keys, API keys
	Password  Kind = "password"
	Token     Kind = "token" // what is sent to prove who one is
	Signature Kind = "signature"
	Blob      Kind = "blob" // base64: may be anything
)

// The kinds of identities.
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

// ListKinds lists the kinds, the most telling first: where several meet, the first one names what is replaced.
func ListKinds() []Kind {
	return []Kind{Key, Password, Token, Signature, Certificate, SSHKey, Blob, Email, IP, Host, Domain, Path, User, Cluster, Tenant}
}

// IsSecret tells whether what is of this kind must never be known; of an identity it is only nobody else's business.
func (k Kind) IsSecret() bool {
	return slices.Contains([]Kind{Key, Password, Token, Signature, Blob}, k)
}

// Describe says what it is, for people.
func (k Kind) Describe() string {
	words := map[Kind]string{
		Key: "private keys and API keys", Password: "passwords", Token: "tokens", Signature: "signatures",
		Blob: "long texts in base64", Certificate: "certificates", SSHKey: "public SSH keys", Email: "e-mail addresses",
		IP: "public IP addresses", Host: "hosts of others", Domain: "domains", Path: "paths", User: "users",
		Cluster: "the cluster's ID", Tenant: "what people call it",
	}
	if text, known := words[k]; known {
		return text
	}
	return string(k)
}

func (k Kind) rank() int { return slices.Index(ListKinds(), k) }
