package wizard

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"exoshift/state"
	"exoshift/wizard/listtext"
)

// Shape is the form of a field's value.
type Shape string

// The shapes. As text, the items of lists, tables and groups are separated by commas; an item that holds a comma is
// put in double quotes, as in CSV.
const (
	Text      Shape = "text"
	Number    Shape = "a whole number"
	Switch    Shape = "true or false"
	List      Shape = "a list"      // a, b
	Table     Shape = "a mapping"   // key=value, key=value
	Reference Shape = "a reference" // env:NAME, file:PATH or exo:ACCOUNT
	Groups    Shape = "a list of groups"
)

// binding maps a field to its value in the Spec. store converts only; it never writes to slices and maps that a copy of
// the Spec may share.
type binding struct {
	shape Shape
	load  func(*state.Spec) string
	store func(*state.Spec, string) error
}

func bindText(at func(*state.Spec) *string) binding {
	return binding{
		shape: Text,
		load:  func(s *state.Spec) string { return *at(s) },
		store: func(s *state.Spec, value string) error { *at(s) = value; return nil },
	}
}

func bindNumber(at func(*state.Spec) *int) binding {
	return binding{
		shape: Number,
		load:  func(s *state.Spec) string { return strconv.Itoa(*at(s)) },
		store: func(s *state.Spec, value string) error {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%s is not a whole number", Quote(value))
			}
			*at(s) = n
			return nil
		},
	}
}

func bindSwitch(at func(*state.Spec) *bool) binding {
	return binding{
		shape: Switch,
		load:  func(s *state.Spec) string { return strconv.FormatBool(*at(s)) },
		store: func(s *state.Spec, value string) error {
			on := value == "true"
			if !on && value != "false" {
				return fmt.Errorf("%s is neither true nor false", Quote(value))
			}
			*at(s) = on
			return nil
		},
	}
}

func bindList(at func(*state.Spec) *[]string) binding {
	return binding{
		shape: List,
		load:  func(s *state.Spec) string { return listtext.Join(*at(s)) },
		store: func(s *state.Spec, value string) (err error) {
			items, err := listtext.Split(value)
			if err == nil {
				*at(s) = items
			}
			return err
		},
	}
}

func bindTable(at func(*state.Spec) *map[string]string) binding {
	return binding{
		shape: Table,
		load: func(s *state.Spec) string {
			var items []string
			for _, key := range slices.Sorted(maps.Keys(*at(s))) {
				items = append(items, key+"="+(*at(s))[key])
			}
			return listtext.Join(items)
		},
		store: func(s *state.Spec, value string) error {
			entries, err := splitTable(value)
			if err == nil {
				*at(s) = entries
			}
			return err
		},
	}
}

func splitTable(value string) (map[string]string, error) {
	items, err := listtext.Split(value)
	if err != nil || items == nil {
		return nil, err
	}
	entries := map[string]string{}
	for _, item := range items {
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("%s is not of the form key=value", Quote(item))
		}
		entries[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return entries, nil
}
