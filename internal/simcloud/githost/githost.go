// Package githost is a Git host: repositories by HTTPS and SSH, as much of GitLab's API as pipelines need, and the
// pipeline that compiles a cluster's catalog.
package githost
