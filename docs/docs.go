// Package docs holds those pages of the documentation that the program prints, too.
package docs

import _ "embed"

// ExitCodes is the page of the exit codes.
//
//go:embed exit-codes.md
var ExitCodes string

// Endpoints is the page of the checks, and of what can be wrong with a connection.
//
//go:embed endpoints.md
var Endpoints string
