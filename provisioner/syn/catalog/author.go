package catalog

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"
)

const program = "exoshift"

func (g *Git) buildSignature(p repoURL) object.Signature {
	signature := object.Signature{Name: sanitizeIdentity(g.access.Name), Email: sanitizeIdentity(g.access.Email), When: g.network.Clock.Now()}
	if signature.Name == "" {
		signature.Name = program
	}
	if signature.Email == "" {
		signature.Email = program + "@" + p.host
	}
	return signature
}

// sanitizeIdentity removes characters that would end a name or an address in a commit.
func sanitizeIdentity(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\n", r) {
			return -1
		}
		return r
	}, sanitize(text)))
}
