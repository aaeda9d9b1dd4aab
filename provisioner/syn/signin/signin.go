// Package signin has a person sign in by OpenID Connect, and keeps the tokens that come of it where commodore keeps them.
package signin
