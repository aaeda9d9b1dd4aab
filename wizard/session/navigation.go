package session

import (
	"slices"

	"exoshift/state"
	"exoshift/wizard"
)

// The pages after the screens with questions.
const (
	ChecksPage wizard.Screen = "checks"
	ReviewPage wizard.Screen = "review"
)

// Pages returns the pages of every interview in their order.
func Pages() []wizard.Screen { return append(wizard.Screens(), ChecksPage, ReviewPage) }

// HasQuestions reports whether a page is a screen with questions.
func HasQuestions(page wizard.Screen) bool { return page != ChecksPage && page != ReviewPage }

// PageTitle returns the title of a page.
func PageTitle(page wizard.Screen) string {
	switch page {
	case ChecksPage:
		return "Checks"
	case ReviewPage:
		return "Review"
	}
	return page.Title()
}

// IsPageShown reports whether a page belongs to an interview: one that is limited to some keys leaves out the screens on which
// nothing is asked.
func IsPageShown(s *Session, page wizard.Screen) bool {
	return !HasQuestions(page) || len(s.Fields(page)) > 0
}

// ListBlocking returns the errors of all screens in their order: they block the checks and the review.
func ListBlocking(s *Session) []wizard.Problem {
	var blocking []wizard.Problem
	for _, screen := range wizard.Screens() {
		blocking = append(blocking, s.ScreenErrors(screen)...)
	}
	return blocking
}

// DescribeBlocker returns the reason why a reviewed cluster cannot be created; "" if there is none.
func DescribeBlocker(s *Session, review wizard.Review) string {
	for _, quota := range review.Quotas {
		if !quota.Sufficient {
			return "the quota of " + quota.Resource + " is too low"
		}
	}
	for _, screen := range wizard.Screens() {
		if len(s.ScreenErrors(screen)) > 0 {
			return "errors on the screen " + screen.Title()
		}
	}
	return ""
}

// RequestErrors has the answers with errors asked, even if the interview is limited to others.
func RequestErrors(s *Session) {
	for _, problem := range s.answerErrors {
		if field, found := s.FindField(problem.Field); found {
			s.Request(field.Key)
		}
	}
}

// FindAsked returns the field of a key, if these answers have it asked: it can be changed so that a check passes.
func FindAsked(key string, spec state.Spec) (wizard.Field, bool) {
	fields := wizard.ScreenOf(key).ListFields(spec)
	i := slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == key })
	if i < 0 {
		return wizard.Field{}, false
	}
	return fields[i], true
}
