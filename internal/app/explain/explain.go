// Package explain finds the page of a check, of what can be wrong with a connection, of a diagnosis rule, of a step or of an
// exit code. The pages come from the same source as the documentation.
package explain

import (
	"slices"
	"strings"

	"exoshift/internal/text/similar"
	"exoshift/wizard/answersfile"
)

// Kinds of pages, in the order in which they are listed.
const (
	KindCheck  = "check"
	KindClass  = "connection problem"
	KindRule   = "diagnosis rule"
	KindStep   = "step"
	KindCode   = "exit code"
	KindAnswer = "answer"
)

// Page is what is known of an ID.
type Page struct {
	Kind  string
	ID    string
	Alias string // a second ID of the same page; "" for none
	Title string
	Rows  []Row
}

// Row is a named part of a page. Text may have several lines; those behind the first are commands.
type Row struct{ Name, Text string }

// List returns all pages but those of the answers.
func List() []Page {
	return slices.Concat(listChecks(), listClasses(), listRules(), listSteps(), listCodes())
}

// Find returns the pages of an ID, ignoring case: an ID may be that of a step and of a rule.
func Find(id string) []Page {
	return slices.DeleteFunc(List(), func(p Page) bool {
		return id == "" || !strings.EqualFold(p.ID, id) && !strings.EqualFold(p.Alias, id)
	})
}

// FindNearest returns the ID of a page or of an answer that is nearest to a mistyped one, or "".
func FindNearest(id string) string {
	names := answersfile.AnswerableNames()
	for _, page := range List() {
		names = append(names, page.ID)
		if page.Alias != "" {
			names = append(names, page.Alias)
		}
	}
	return similar.FindNearest(id, names)
}
