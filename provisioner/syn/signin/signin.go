// Package signin gets tokens of a single sign-on by OpenID Connect: from the environment, from the cache that the command
// commodore keeps, by renewing one, or from a person at a browser.
package signin
