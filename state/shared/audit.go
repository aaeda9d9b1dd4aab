package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/state/lease"
	"exoshift/state/store"
)

// auditStream is the stream of all clusters' and places' audit entries.
const auditStream = "audit.jsonl"

// Entry says who did what to a cluster. It is never changed.
type Entry struct {
	Time     time.Time    `json:"time"`
	Verb     string       `json:"verb"`
	State    string       `json:"state"` // started, planned or finished
	Holder   lease.Holder `json:"holder"`
	PlanHash string       `json:"plan_hash,omitempty"`
	ExitCode *int         `json:"exit_code,omitempty"`
	Text     string       `json:"text,omitempty"`
}

// Record appends an entry to the audit stream of a cluster.
func (p *Place) Record(ctx context.Context, id string, entry Entry) error {
	entry.Time = time.Now().UTC()
	return p.append(ctx, id, auditStream, entry)
}

// Send asks something of the run that works on a cluster, and records who did.
func (p *Place) Send(ctx context.Context, id string, command Command) error {
	command.Time = time.Now().UTC()
	if err := p.append(ctx, id, commandStream, command); err != nil {
		return err
	}
	return p.Record(ctx, id, Entry{Verb: command.By.Verb, State: "finished", Holder: command.By, Text: "sent: " + command.Action})
}

// append adds an entry to a stream that many write to.
func (p *Place) append(ctx context.Context, id, stream string, entry any) error {
	for {
		count, err := p.listSegments(ctx, id, stream, Stream{})
		if err != nil {
			return err
		}
		err = p.putSegment(ctx, id, stream, 0, count+1, newAuthor(0), append(encode(entry), '\n'))
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// ListEntries returns the audit stream of a cluster, the oldest entry first.
func (p *Place) ListEntries(ctx context.Context, id string) ([]Entry, error) {
	lines, _, err := p.readStream(ctx, id, auditStream, Stream{})
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for line := range strings.Lines(string(lines)) {
		var entry Entry
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			return nil, fmt.Errorf("read the audit stream of cluster %s: %w", id, err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// Unlock frees the lock of a run that does not live any more, and records who did so.
func (p *Place) Unlock(ctx context.Context, id, run string, by lease.Holder) (lease.Holder, error) {
	held, err := lease.Unlock(ctx, p.leases, id, run)
	if err != nil {
		return held, err
	}
	return held, p.Record(ctx, id, Entry{Verb: by.Verb, State: "finished", Holder: by, Text: "unlocked: " + held.String()})
}

// SetRecipients replaces the recipients, and encrypts every cluster's files to them. Interrupted, it goes on when it is called
// again. It fails with a *lease.HeldError if a cluster is in use.
func (p *Place) SetRecipients(ctx context.Context, recipients []string, by lease.Holder) error {
	if !slices.Equal(recipients, p.config.Recipients) {
		config := p.config
		config.Recipients = recipients
		config, err := config.seal(p.sealer.key)
		if err != nil {
			return err
		}
		version, err := p.store.Put(ctx, configKey, encode(config), p.version)
		if err != nil {
			return fmt.Errorf("change the recipients of shared state: %w", err)
		}
		identities := p.sealer.identities
		if p.sealer, err = newSealer(p.sealer.key, recipients); err != nil {
			return err
		}
		p.config, p.version, p.sealer.identities = config, version, identities
	}
	ids, err := p.List(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := p.reencrypt(ctx, id, by); err != nil {
			return err
		}
	}
	return nil
}

func (p *Place) reencrypt(ctx context.Context, id string, by lease.Holder) (err error) {
	held, err := lease.Acquire(ctx, p.leases, id, by, func(lease.Holder) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
	head, version, err := p.readHead(ctx, id)
	if err != nil {
		return err
	}
	before := head
	head.Files = maps.Clone(head.Files)
	for name, file := range head.Files {
		if file.Sealed == "" || file.Sealed == p.hashRecipients() {
			continue
		}
		content, err := p.getFile(ctx, name, file)
		if err == nil {
			head.Files[name], err = p.putFile(ctx, id, content, true, fileMode(file))
		}
		if err != nil {
			return err
		}
	}
	if maps.Equal(head.Files, before.Files) {
		return nil
	}
	head.Epoch = held.Epoch()
	if err := held.Check(); err != nil {
		return err
	}
	if _, _, err := p.writeHead(ctx, head, newAuthor(head.Epoch), version); err != nil {
		return err
	}
	p.deleteUnneeded(ctx, before, head)
	return p.Record(ctx, id, Entry{Verb: by.Verb, State: "finished", Holder: by, Text: "encrypted to " + strings.Join(abbreviate(p.config.Recipients), ", ")})
}
