package console

import (
	"fmt"
	"io"

	"exoshift/internal/text"

	"exoshift/internal/bundle"
)

// PrintBundle prints the contents of a bundle and the counts of its replacements, by kind and by file. tokens is the file with
// the meanings of the tokens.
func PrintBundle(w io.Writer, made bundle.Bundle, path, tokens string) {
	fmt.Fprintf(w, "%s: %s, %s\n\n", SanitizeLine(path), text.Plural(len(made.Files), "file"), text.FormatSize(len(made.Archive)))
	fmt.Fprintf(w, "  %-32s %8s %8s\n", "replaced", "values", "places")
	for _, kind := range made.Replaced {
		fmt.Fprintf(w, "  %-32s %8d %8d\n", kind.Kind.Describe(), kind.Values, kind.Places)
	}
	fmt.Fprintf(w, "\n  %9s %8s %10s  %s\n", "size", "secrets", "identities", "file")
	for _, file := range made.Files {
		fmt.Fprintf(w, "  %9s %8d %10d  %s\n", text.FormatSize(file.Bytes), file.Secrets, file.Identities, SanitizeLine(file.Name))
	}
	for _, file := range made.Files {
		if file.Truncated > 0 {
			fmt.Fprintf(w, "  without the first %s of %s\n", text.FormatSize(file.Truncated), SanitizeLine(file.Name))
		}
	}
	for _, name := range made.Omitted {
		fmt.Fprintf(w, "  too large, left out: %s\n", SanitizeLine(name))
	}
	fmt.Fprintf(w, "\nThe values of the tokens are in %s: keep it.\nReview the archive before you send it.\n", SanitizeLine(tokens))
}
