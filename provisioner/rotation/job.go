package rotation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rotation"
)

// How long the parts of a rotation may take.
const (
	restartLimit = 15 * time.Minute
	applyLimit   = 20 * time.Minute // by Argo CD
	proofLimit   = 15 * time.Minute
	settleTime   = 2 * time.Minute // for how long an operator has to be available
	endLimit     = 10 * time.Minute
	// ownTime is how long a controller may take to delete what it made, before that is deleted for it.
	ownTime = 3 * time.Minute
	// keepAttempts is how often a Secret is written: the API returns the secret of a key only once.
	keepAttempts = 5
	keepPause    = 5 * time.Second
)

// KindSecret is the kind of a Secret, and KindWorkload that of what is restarted, in events and in the journal.
const (
	KindSecret   = "secret"
	KindWorkload = "workload"
)

// job replaces one key.
type job struct {
	*Rotation
	use     use
	current state.APIKey // the new key, with its secret; of the step create
	holders []rotation.Holder
}

func (j *job) record() rotation.Key { return j.recordOf(j.use.policy) }

// create finds the new key of an earlier run where it has to be first, or creates one. A key whose secret nobody has is deleted: it was created
// by a run that was killed before it could put it there.
func (j *job) create(ctx context.Context, report provisioner.Report) error {
	record := j.record()
	if record.Old == "" || len(record.Holders) == 0 {
		return fault.Newf(fault.Conflict, op, "what was to be changed is not there any more").WithHint("run the same command again")
	}
	role, err := j.findRole(ctx, record.Name)
	if err != nil {
		return err
	}
	live, err := j.clients.Cloud.ListAPIKeys(ctx, record.Name)
	if err != nil {
		return err
	}
	there, err := j.readCurrent(ctx, report, record)
	if err != nil {
		return err
	}
	there.Name, there.RoleID = record.Name, role
	if there.Key == record.Old || !hasKey(live, there.Key) {
		if there, err = j.createAnew(ctx, report, record, role, live); err != nil {
			return err
		}
	} else {
		report.EmitObject(state.KindAPIKey, there.Name, there.Key, string(state.Found))
	}
	j.current = there
	if live, err = j.clients.Cloud.ListAPIKeys(ctx, record.Name); err != nil { // somebody may have deleted the old one meanwhile
		return err
	}
	if !hasKey(live, record.Old) {
		j.emitEarly(report, record)
	}
	return j.distribute(ctx, report, record)
}

func (j *job) emitEarly(report provisioner.Report, record rotation.Key) {
	j.emitRevoked(report, []Key{{Policy: record.Policy, Use: j.use.title, Name: record.Name, Old: record.Old, Revoked: true, Holders: record.Holders}})
}

func (j *job) findRole(ctx context.Context, name string) (string, error) {
	roles, err := j.clients.Cloud.ListObjectsByKind(ctx, state.KindRole)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(roles, func(o state.Object) bool { return o.Name == name })
	if at < 0 {
		return "", fault.Newf(fault.NotFound, op, "there is no IAM role %s", name).WithHint("exoshift install makes it again")
	}
	return roles[at].ID, nil
}

// readCurrent returns the key where the new one is put first: in Vault, or in the first Secret.
func (j *job) readCurrent(ctx context.Context, report provisioner.Report, record rotation.Key) (state.APIKey, error) {
	if j.options.IsVault {
		return j.options.Store.LoadAPIKey(ctx, report, record.Policy)
	}
	return j.clients.Cluster.ReadKey(ctx, record.Holders[0])
}

func (j *job) createAnew(ctx context.Context, report provisioner.Report, record rotation.Key, role string, live []state.APIKey) (made state.APIKey, err error) {
	for _, orphan := range live {
		if orphan.Key == record.Old {
			continue
		}
		action, err := j.clients.Cloud.DeleteAPIKey(ctx, orphan)
		if err != nil {
			return made, err
		}
		report.EmitObject(state.KindAPIKey, orphan.Name, orphan.Key, string(action))
	}
	wanted := state.APIKey{Name: record.Name, RoleID: role}
	made, err = j.clients.Cloud.CreateAPIKey(ctx, wanted, func(key state.APIKey) error { return j.keep(ctx, report, record, key) })
	if err == nil {
		report.EmitObject(state.KindAPIKey, made.Name, made.Key, string(state.Created))
	}
	return made, err
}

// keep puts a key where it is found again after a kill.
func (j *job) keep(ctx context.Context, report provisioner.Report, record rotation.Key, key state.APIKey) (err error) {
	for attempt := 1; ; attempt++ {
		if j.options.IsVault {
			err = j.options.Store.KeepAPIKey(ctx, report, record.Policy)(key)
		} else {
			_, err = j.replace(ctx, report, record.Holders[0], record.Old, key)
		}
		if attempt == keepAttempts || !fault.Is(err, fault.Transient) && !fault.Is(err, fault.Timeout) {
			return err
		}
		if err := j.clients.Clock.Sleep(ctx, keepPause); err != nil {
			return err
		}
	}
}

func (j *job) replace(ctx context.Context, report provisioner.Report, holder rotation.Holder, old string, key state.APIKey) (state.Action, error) {
	holder.Key = old
	if err := j.options.Journal.RecordIntent(KindSecret, holder.ID()); err != nil {
		return "", err
	}
	action, err := j.clients.Cluster.ReplaceKey(ctx, holder, key)
	if err != nil {
		return "", err
	}
	report.EmitObject(KindSecret, holder.ID(), key.Key, string(action))
	return action, j.options.Journal.RecordResult(KindSecret, holder.ID(), key.Key, action)
}

// distribute puts the new key into every Secret that has the old one. What Argo CD applies comes from Vault.
func (j *job) distribute(ctx context.Context, report provisioner.Report, record rotation.Key) error {
	managed := false
	for _, holder := range record.Holders {
		if j.options.IsVault && holder.Managed {
			managed = true
			continue
		}
		if holder.SecretField == "" {
			return fault.Newf(fault.Conflict, op, "the Secret %s has the API key %s, but not its secret in a field of its own", holder.ID(), record.Old).
				WithHint("put the new key %s there by hand, then run the same command again", j.current.Key)
		}
		if _, err := j.replace(ctx, report, holder, record.Old, j.current); err != nil {
			return err
		}
	}
	if !managed {
		return nil
	}
	if err := j.clients.Cluster.RefreshApplications(ctx); err != nil {
		return err
	}
	return j.repeat(applyLimit, func(ctx context.Context, _ provisioner.Report) error {
		for _, holder := range record.Holders {
			there, err := j.clients.Cluster.ReadKey(ctx, holder)
			if err != nil {
				return err
			}
			if there.Key != j.current.Key {
				return fault.Newf(fault.Transient, op, "Argo CD has not applied the Secret %s with the new key", holder.ID())
			}
		}
		return nil
	})(ctx, report)
}

func (j *job) restart(ctx context.Context, report provisioner.Report) error {
	found, err := j.clients.Cluster.ListKeyHolders(ctx, j.current)
	if err != nil {
		return err
	}
	j.holders = found
	for _, holder := range found {
		for _, reader := range holder.Readers {
			name := holder.Namespace + "/" + reader
			if err := j.options.Journal.RecordIntent(KindWorkload, name); err != nil {
				return err
			}
			action, err := j.clients.Cluster.RestartReader(ctx, holder.Namespace, reader, j.current.Key, j.clients.Clock.Now())
			if err != nil {
				return err
			}
			report.EmitObject(KindWorkload, name, "", string(action))
			if err := j.options.Journal.RecordResult(KindWorkload, name, "", action); err != nil {
				return err
			}
		}
	}
	return j.repeat(restartLimit, func(ctx context.Context, _ provisioner.Report) error {
		for _, holder := range found {
			for _, reader := range holder.Readers {
				if err := j.clients.Cluster.CheckReader(ctx, holder.Namespace, reader); err != nil {
					return err
				}
			}
		}
		return nil
	})(ctx, report)
}

// revoke keeps the new key where the next run looks for it, and deletes the old one by its ID, once no Secret has it.
func (j *job) revoke(ctx context.Context, report provisioner.Report) error {
	record := j.record()
	live, err := j.clients.Cloud.ListAPIKeys(ctx, record.Name)
	if err != nil {
		return err
	}
	if !hasKey(live, j.current.Key) {
		return fault.Newf(fault.Conflict, op, "the new API key %s is gone, so the old one stays", j.current.Key).WithHint("run the same command again: it makes another one")
	}
	left, err := j.clients.Cluster.ListKeyHolders(ctx, state.APIKey{Key: record.Old})
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fault.Newf(fault.Conflict, op, "the Secret %s still has the old API key %s, so that stays", left[0].ID(), record.Old).
			WithHint("see who writes it: oc -n %s get secret %s -o yaml --show-managed-fields", left[0].Namespace, left[0].Name)
	}
	if !j.options.IsVault {
		if err := j.options.Store.KeepAPIKey(ctx, report, record.Policy)(j.current); err != nil {
			return err
		}
	}
	action, err := j.clients.Cloud.DeleteAPIKey(ctx, state.APIKey{Name: record.Name, Key: record.Old})
	if err != nil {
		return err
	}
	report.EmitObject(state.KindAPIKey, record.Name, record.Old, string(action))
	report.EmitProgress(fmt.Sprintf("the key %s is used by %s; the old one, %s, is deleted", j.current.Key, j.use.title, record.Old))
	return j.update(record.Policy, func(key *rotation.Key) { key.Done = true })
}
