package answersfile

import (
	"errors"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/recognize"
)

// CheckNoSecrets returns a problem for each answer that holds a secret of a known form: answers are written in the open.
func CheckNoSecrets(spec state.Spec) error {
	var found []error
	for _, field := range wizard.ListFieldsOf(spec) {
		value := field.Get(spec)
		what := recognize.Secret(value)
		if field.Secret && what == "" {
			_, name, _ := strings.Cut(value, ":")
			what = recognize.SecretAsName(name)
		}
		if what != "" {
			found = append(found, wizard.NewSecretProblem(field, what))
		}
	}
	return errors.Join(found...)
}
