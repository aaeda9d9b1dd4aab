package s3

// Credentials looks up an API key: its secret, and its permissions. Operations are named as in "put-object"; bucket and object
// are "" where an operation has none.
type Credentials func(key string) (secret string, allows func(operation, bucket, object string) bool, ok bool)

// newOwnerCredentials has one key with all permissions.
func newOwnerCredentials(key, secret string) Credentials {
	return func(given string) (string, func(operation, bucket, object string) bool, bool) {
		return secret, func(string, string, string) bool { return true }, given == key
	}
}
