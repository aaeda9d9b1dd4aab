// Command registry is the image registry of the distribution project, with what a test of a client needs: images in
// files, tokens, and layers that are sent for to another host.
package main

import (
	"os"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/middleware/redirect"
)

func main() {
	if err := registry.RootCmd.Execute(); err != nil {
		os.Exit(1) // it has said why
	}
}
