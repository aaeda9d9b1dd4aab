// Package lieutenant speaks with Lieutenant, the API where Project Syn keeps tenants and clusters.
package lieutenant
