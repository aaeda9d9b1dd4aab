package assets

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Questions are what a machine asks of the network at the end of its first boot. Answers is a short-lived link to put the answers by,
// a line each: the ID, curl's exit code, and what was answered.
type Questions struct {
	Questions []Question
	Answers   string
}

// Question is one request of Questions.
type Question struct {
	ID      string // one word
	URL     string
	Retries int // after a failure; the pauses double from a second on
}

// RenderQuestions returns the cloud-config of a machine that asks questions and does nothing else.
func RenderQuestions(q Questions) ([]byte, error) {
	return AppendQuestions([]byte("#cloud-config\nruncmd:\n"), q)
}

// AppendQuestions appends questions to a cloud-config that ends with its commands, as that of a load balancer does.
func AppendQuestions(cloudConfig []byte, q Questions) ([]byte, error) {
	texts := []string{q.Answers}
	for _, question := range q.Questions {
		texts = append(texts, question.ID, question.URL)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, errors.New("task of a machine: a character that cannot be printed")
		}
	}
	script, err := render("questions.sh", q)
	if err != nil {
		return nil, err
	}
	const command = "  - |\n"
	return append(cloudConfig[:len(cloudConfig):len(cloudConfig)], command+indent(4, string(script))+"\n"...), nil
}
