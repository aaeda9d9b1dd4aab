// Package vault keeps a cluster's secrets in Vault, and never writes over one that is there.
package vault
