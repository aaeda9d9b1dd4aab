package state

import (
	"reflect"
	"sync"
)

// FactsStore holds the facts of a run, which concurrent steps share. The zero value holds none and saves none.
type FactsStore struct {
	save func(Facts) error

	mu    sync.Mutex // guards facts
	facts Facts
}

// NewFactsStore returns a store of facts. Each change is passed to save, one at a time; nil: it stays in memory.
func NewFactsStore(facts Facts, save func(Facts) error) *FactsStore {
	return &FactsStore{save: save, facts: facts}
}

// Get returns the current facts.
func (s *FactsStore) Get() Facts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts
}

// Update changes the facts, and saves them if they differ then. Maps of the facts must be replaced, not changed.
func (s *FactsStore) Update(change func(*Facts)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.facts
	change(&s.facts)
	if s.save == nil || reflect.DeepEqual(before, s.facts) {
		return nil
	}
	return s.save(s.facts)
}

// UpdateSyn is Update for the facts of Project Syn.
func (s *FactsStore) UpdateSyn(change func(*SynFacts)) error {
	return s.Update(func(facts *Facts) { change(&facts.Syn) })
}
