// Package catalog changes a tenant's configuration in place, has the cluster's catalog compiled, and fetches it.
package catalog
