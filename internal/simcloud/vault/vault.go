// Package vault is a KV store of version 2 that speaks as Vault's published API says.
package vault
