package rest

// FirstError returns the first error that is not nil.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckLength checks the number of a text's characters.
func CheckLength(field, value string, least, most int) error {
	if n := len([]rune(value)); n < least || n > most {
		return Invalidf("%s must have %d to %d characters", field, least, most)
	}
	return nil
}

// CheckOptional is CheckLength for an optional value.
func CheckOptional(field string, value *string, least, most int) error {
	if value == nil {
		return nil
	}
	return CheckLength(field, *value, least, most)
}

// CheckDescription checks an optional description.
func CheckDescription(description *string) error {
	return CheckOptional("description", description, 0, 255)
}

// CheckRange checks a number.
func CheckRange(field string, value, least, most int64) error {
	if value < least || value > most {
		return Invalidf("%s must be between %d and %d", field, least, most)
	}
	return nil
}

// CheckOneOf checks a value of an enumeration.
func CheckOneOf(field, value string, allowed ...string) error {
	for _, one := range allowed {
		if value == one {
			return nil
		}
	}
	return Invalidf("%s must be one of %v", field, allowed)
}
