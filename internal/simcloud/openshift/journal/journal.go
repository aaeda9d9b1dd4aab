// Package journal is the inside of a bootstrap machine: the journal of its units, and the access to it by SSH and by the journal's
// gateway.
package journal

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
)

// Machine is a machine whose console lines are also written to a journal if they belong to a unit: "bootkube.service:
// text". The journal is in memory: it restarts with the zone's process.
type Machine struct {
	machine.Machine
	clock network.Clock
	boot  string

	mu      sync.Mutex
	entries []entry
	dropped int // entries removed before the first
}

type entry struct {
	Cursor   string `json:"__CURSOR"`
	Realtime string `json:"__REALTIME_TIMESTAMP"` // microseconds
	Boot     string `json:"_BOOT_ID"`
	Hostname string `json:"_HOSTNAME"`
	Unit     string `json:"_SYSTEMD_UNIT"`
	Priority string `json:"PRIORITY"`
	Message  string `json:"MESSAGE"`
}

const maxEntries = 2000

// NewMachine wraps a machine with a journal.
func NewMachine(m machine.Machine, clock network.Clock) *Machine {
	boot := make([]byte, 16)
	_, _ = rand.Read(boot) // never fails
	return &Machine{Machine: m, clock: clock, boot: hex.EncodeToString(boot)}
}

// Console writes to the console and to the journal.
func (m *Machine) Console(format string, args ...any) {
	m.Machine.Console(format, args...)
	if unit, text, ok := strings.Cut(fmt.Sprintf(format, args...), ": "); ok && strings.HasSuffix(unit, ".service") {
		m.Log(unit, text)
	}
}

// Log writes a line of a unit to the journal only.
func (m *Machine) Log(unit, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.clock.Now().UnixMicro()
	m.entries = append(m.entries, entry{
		Cursor:   fmt.Sprintf("s=%s;i=%x;b=%s;m=%x;t=%x;x=0", m.boot, m.dropped+len(m.entries)+1, m.boot, at, at),
		Realtime: fmt.Sprint(at), Boot: m.boot, Hostname: m.Name(), Unit: unit, Priority: "6", Message: text,
	})
	if len(m.entries) > maxEntries {
		m.entries = m.entries[len(m.entries)-maxEntries/2:]
		m.dropped += maxEntries / 2
	}
}

func (m *Machine) listEntries(units []string) []entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []entry
	for _, e := range m.entries {
		if len(units) == 0 || slices.Contains(units, e.Unit) {
			found = append(found, e)
		}
	}
	return found
}

// FormatTimestamp has the format of the service records.
func (m *Machine) FormatTimestamp() string { return m.clock.Now().UTC().Format(time.RFC3339) }
