package installer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

type clusterID struct {
	UUID    string
	InfraID string
}

var notInInfraID = regexp.MustCompile(`[^A-Za-z0-9]+`)

// newClusterID composes the infraID of the name cut to 21 characters, a dash, and five random ones.
func newClusterID(clusterName string) (clusterID, error) {
	suffix, err := generateText("abcdefghijklmnopqrstuvwxyz0123456789", 5)
	if err != nil {
		return clusterID{}, err
	}
	base := notInInfraID.ReplaceAllString(clusterName, "-")
	base = strings.TrimRight(base[:min(len(base), 21)], "-")
	id, err := uuid.NewRandom()
	return clusterID{UUID: id.String(), InfraID: base + "-" + suffix}, err
}

// newPassword generates 23 characters: xxxxx-xxxxx-xxxxx-xxxxx.
func newPassword() (string, error) {
	groups := make([]string, 4)
	for i := range groups {
		group, err := generateText("ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789", 5)
		if err != nil {
			return "", err
		}
		groups[i] = group
	}
	return strings.Join(groups, "-"), nil
}

func generateText(alphabet string, length int) (string, error) {
	text := make([]byte, length)
	if _, err := rand.Read(text); err != nil {
		return "", err
	}
	for i := range text {
		text[i] = alphabet[int(text[i])%len(alphabet)]
	}
	return string(text), nil
}

func renderMetadata(clusterName string, id clusterID) ([]byte, error) {
	return json.Marshal(struct {
		ClusterName string `json:"clusterName"`
		ClusterID   string `json:"clusterID"`
		InfraID     string `json:"infraID"`
	}{clusterName, id.UUID, id.InfraID})
}

func hashWords(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return hex.EncodeToString(sum[:])
}
