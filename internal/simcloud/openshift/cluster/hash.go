package cluster

import (
	"hash/fnv"
	"strconv"
	"time"
)

// Jitter spreads simultaneous actions: it hashes words to a duration below limit.
func Jitter(words string, limit time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(words)) // never fails
	return limit * time.Duration(hash.Sum32()%1000) / 1000
}

// HashSuffix returns five characters for the end of a name.
func HashSuffix(words string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(words)) // never fails
	text := "0000" + strconv.FormatUint(uint64(hash.Sum32()), 36)
	return text[len(text)-5:]
}
