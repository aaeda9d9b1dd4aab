package catalog

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"
)

const program = "exoshift"

// author is who commits are by.
func (g *Git) author(p place) object.Signature {
	signature := object.Signature{Name: identity(g.access.Name), Email: identity(g.access.Email), When: g.network.Clock.Now()}
	if signature.Name == "" {
		signature.Name = program
	}
	if signature.Email == "" {
		signature.Email = program + "@" + p.host
	}
	return signature
}

// identity takes from a name or an address what would end it in a commit.
func identity(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\n", r) {
			return -1
		}
		return r
	}, printable(text)))
}
