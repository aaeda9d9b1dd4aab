// Package syn is Lieutenant with its operator, and the single sign-on that its users pass.
package syn
