package download

import (
	"fmt"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
)

// progressMeter is a writer that reports the progress of a download about once a second.
type progressMeter struct {
	clock      network.Clock
	what       string
	done       atomic.Int64 // bytes
	total      int64        // bytes; less than 1 if unknown
	reportedAt time.Time
	last       string // the last report, which is not repeated
	emit       func(text string)
}

func (m *progressMeter) Write(p []byte) (int, error) {
	m.done.Add(int64(len(p)))
	if now := m.clock.Now(); now.Sub(m.reportedAt) >= time.Second {
		m.reportedAt = now
		m.report()
	}
	return len(p), nil
}

// fraction may be called at any time. It is 0 if the size is unknown.
func (m *progressMeter) fraction() float64 {
	if m.total <= 0 {
		return 0
	}
	return float64(m.done.Load()) / float64(m.total)
}

func (m *progressMeter) report() {
	const mega = 1_000_000
	done := m.done.Load()
	text := fmt.Sprintf("downloading %s: %d MB", m.what, done/mega)
	if m.total > 0 {
		text = fmt.Sprintf("downloading %s: %d of %d MB", m.what, done/mega, (m.total+mega-1)/mega)
	}
	if text != m.last {
		m.last = text
		m.emit(text)
	}
}
