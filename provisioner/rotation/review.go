package rotation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/rotation"
)

// Key is a key that is rotated.
type Key struct {
	Policy  string
	Use     string // who uses it
	Name    string
	Old     string // ID
	Begun   bool   // an earlier run has begun with it
	Revoked bool   // somebody has deleted the old key: what uses it does not work
	Holders []rotation.Holder
}

// Review is what decides whether keys can be replaced now.
type Review struct {
	Keys    []Key
	Skipped []string // keys that the cluster does not use, one sentence each
	Reasons []string // why nothing may be changed, until somebody does something about it
	Unwell  []string // why nothing may be changed now: the state of the cluster
}

const (
	opRotate = "rotate credentials"
	op       = "rotate API keys"
)

// Refusal returns why nothing may be changed; nil: keys can be replaced. fault.Conflict: somebody has to do something first; fault.Transient:
// operators are not well.
func (r Review) Refusal() error {
	switch {
	case len(r.Reasons) > 0:
		return fault.Newf(fault.Conflict, opRotate, "nothing was changed: %w", fault.Reasons(r.Reasons))
	case len(r.Unwell) > 0:
		return fault.Newf(fault.Transient, opRotate, "nothing was changed: %w", fault.Reasons(r.Unwell)).
			WithHint("run the same command again once all of that is over: oc get clusteroperators")
	}
	return nil
}

// Review reads what is known of the keys, and the state of the cluster. An error is returned for what could not be read.
func (r *Rotation) Review(ctx context.Context, report provisioner.Report) (Review, error) {
	var found Review
	if begun := r.known(); begun != nil && !r.matches(*begun) {
		found.Reasons = []string{"another rotation has to end first: exoshift rotate api-keys " + describeKinds(*begun)}
		return found, nil
	}
	for _, policy := range r.listPolicies() {
		if err := r.reviewKey(ctx, report, policy, &found); err != nil {
			return found, err
		}
	}
	if len(found.Keys) == 0 && len(found.Reasons) == 0 {
		found.Reasons = append(found.Reasons, strings.Join(found.Skipped, "; "))
	}
	if len(found.Keys) > 0 {
		if err := r.clients.Cloud.CheckKeyRights(ctx, found.Keys[0].Name); err != nil {
			return found, err
		}
	}
	seen, err := r.poll(ctx)
	if err != nil {
		return found, err
	}
	found.Unwell = r.listUnwell(seen, found.Keys)
	r.review = found
	return found, nil
}

// matches reports whether a rotation that has begun is the one that is asked for.
func (r *Rotation) matches(begun rotation.Keys) bool {
	if len(r.options.Kinds) == 0 {
		return true
	}
	return !slices.ContainsFunc(begun.Keys, func(key rotation.Key) bool {
		return !key.Done && !slices.ContainsFunc(r.options.Kinds, func(kind string) bool { return mapPolicy(kind) == key.Policy })
	})
}

func describeKinds(begun rotation.Keys) string {
	var kinds []string
	for _, kind := range []string{KindCloudController, KindVolumes, KindRegistry} {
		if slices.ContainsFunc(begun.Keys, func(key rotation.Key) bool { return key.Policy == mapPolicy(kind) && !key.Done }) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " ")
}

// listPolicies returns those of the keys that are rotated: of a rotation that has begun, those that it has not ended.
func (r *Rotation) listPolicies() (policies []string) {
	if begun := r.known(); begun != nil {
		for _, key := range begun.Keys {
			if !key.Done {
				policies = append(policies, key.Policy)
			}
		}
		return policies
	}
	for _, u := range listUses() {
		if len(r.options.Kinds) == 0 || slices.ContainsFunc(r.options.Kinds, func(kind string) bool { return mapPolicy(kind) == u.policy }) {
			policies = append(policies, u.policy)
		}
	}
	return policies
}

func (r *Rotation) reviewKey(ctx context.Context, report provisioner.Report, policy string, found *Review) error {
	u := findUse(policy)
	record := r.recordOf(policy)
	key := Key{Policy: policy, Use: u.title, Name: r.spec.ObjectName(policy), Old: record.Old, Begun: record.Old != ""}
	kept, err := r.options.Store.LoadAPIKey(ctx, report, policy)
	if err != nil {
		return err
	}
	live, err := r.clients.Cloud.ListAPIKeys(ctx, key.Name)
	if err != nil {
		return err
	}
	key.Revoked = !hasKey(live, key.Old)
	if !key.Begun {
		key.Old, key.Revoked = kept.Key, !hasKey(live, kept.Key)
		if reason := checkKnown(key.Name, kept, live); reason != "" {
			found.Reasons = append(found.Reasons, reason)
			return nil
		}
		foreign, err := r.findForeign(ctx, u, kept)
		if err != nil {
			return err
		}
		if foreign != "" {
			found.Reasons = append(found.Reasons, foreign)
			return nil
		}
	}
	held := []state.APIKey{kept}
	if key.Begun {
		held = append(slices.DeleteFunc(live, func(k state.APIKey) bool { return k.Key == record.Old }), state.APIKey{Key: record.Old})
	}
	if key.Holders, err = r.clients.Cluster.ListKeyHolders(ctx, held...); err != nil {
		return err
	}
	key.Holders = mergeHolders(key.Holders, record)
	if reason := r.findUnused(u, key); reason != "" {
		if len(r.options.Kinds) == 0 {
			found.Skipped = append(found.Skipped, reason)
		} else {
			found.Reasons = append(found.Reasons, reason)
		}
		return nil
	}
	found.Keys = append(found.Keys, key)
	return nil
}

func hasKey(live []state.APIKey, id string) bool {
	return slices.ContainsFunc(live, func(k state.APIKey) bool { return k.Key == id })
}

// checkKnown returns why a rotation must not begin with what is known of a key.
func checkKnown(name string, kept state.APIKey, live []state.APIKey) string {
	if kept.Key == "" {
		return "the API key " + name + " is not kept where this cluster has its keys; exoshift verify says what can be done"
	}
	var others []string
	for _, one := range live {
		if one.Key != kept.Key {
			others = append(others, one.Key)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("there are other API keys of the name %s, which are not ours: %s; delete those that nobody uses: exo iam api-key delete %s",
		name, strings.Join(others, ", "), strings.Join(others, " "))
}

// findForeign returns the Secret in which a key is that is not ours.
func (r *Rotation) findForeign(ctx context.Context, u use, kept state.APIKey) (string, error) {
	for _, holder := range u.known {
		there, err := r.clients.Cluster.ReadKey(ctx, holder)
		if err != nil {
			return "", err
		}
		if there.Key != "" && there.Key != kept.Key {
			return fmt.Sprintf("the Secret %s has the API key %s, which is not ours: ours is %s", holder.ID(), there.Key, kept.Key), nil
		}
	}
	return "", nil
}

// findUnused returns why a key is not to be rotated as nothing of the wanted kind uses it.
func (r *Rotation) findUnused(u use, key Key) string {
	if len(key.Holders) == 0 {
		return fmt.Sprintf("no Secret of the cluster has the API key %s: nothing uses it", key.Name)
	}
	isOfRegistry := func(h rotation.Holder) bool { return h.Namespace == registryNamespace }
	switch {
	case slices.Contains(r.options.Kinds, KindRegistry) && u.id == "object-storage" && !slices.ContainsFunc(key.Holders, isOfRegistry):
		return "the image registry does not use the API key " + key.Name
	case slices.Contains(r.options.Kinds, KindBackup) && !slices.Contains(r.options.Kinds, KindRegistry) && u.id == "object-storage" &&
		!slices.ContainsFunc(key.Holders, func(h rotation.Holder) bool { return !isOfRegistry(h) }):
		return "no Secret for backups has the API key " + key.Name
	}
	return ""
}

// mergeHolders adds those that are recorded: their fields are known, whatever key they have now.
func mergeHolders(found []rotation.Holder, record rotation.Key) []rotation.Holder {
	for _, known := range record.Holders {
		at := slices.IndexFunc(found, func(h rotation.Holder) bool { return h.ID() == known.ID() })
		if at < 0 {
			found = append(found, known)
			continue
		}
		found[at].KeyField, found[at].SecretField = known.KeyField, known.SecretField
	}
	return found
}

func (r *Rotation) poll(ctx context.Context) (state.Snapshot, error) {
	seen, _, err := nodes.CheckHealth(ctx, r.clients.Cluster, r.spec.Sizing.ControlPlane.Count, 0)
	return seen, err
}

// listUnwell leaves the image registry out if it is not well as its key was revoked.
func (r *Rotation) listUnwell(seen state.Snapshot, keys []Key) []string {
	mends := slices.ContainsFunc(keys, func(k Key) bool { return findUse(k.Policy).id == "object-storage" && (k.Revoked || k.Begun) })
	if mends {
		seen.Operators = slices.DeleteFunc(slices.Clone(seen.Operators), func(o state.OperatorStatus) bool { return o.Name == registryOperator })
	}
	return nodes.ListUnwell(seen, r.spec.Sizing.ControlPlane.Count, 0)
}

// check reviews again what may have changed since, and records what is begun.
func (r *Rotation) check(ctx context.Context, report provisioner.Report) error {
	found, err := r.Review(ctx, report)
	if err == nil {
		err = found.Refusal()
	}
	if err != nil {
		return err
	}
	r.emitRevoked(report, found.Keys)
	if r.known() != nil {
		return nil
	}
	begun := &rotation.Keys{Begun: r.clients.Clock.Now().UTC().Truncate(time.Second)}
	for _, key := range found.Keys {
		holders := slices.Clone(key.Holders)
		for i := range holders {
			holders[i].Readers = nil // they are found again
		}
		begun.Keys = append(begun.Keys, rotation.Key{Policy: key.Policy, Name: key.Name, Old: key.Old, Holders: holders})
	}
	return r.facts.Update(func(facts *state.Facts) { facts.Rotation = begun })
}

// emitRevoked emits the finding about keys that somebody has deleted.
func (r *Rotation) emitRevoked(report provisioner.Report, keys []Key) {
	input := diagnosis.Input{Now: r.clients.Clock.Now(), Wall: r.clients.Clock.Now(), Spec: r.spec}
	for _, key := range keys {
		if key.Revoked {
			input.Revoked = append(input.Revoked, diagnosis.RevokedKey{Name: key.Name, Key: key.Old, Use: key.Use, Secrets: listIDs(key.Holders)})
		}
	}
	for _, f := range diagnosis.NewOfKeys().Evaluate(input) {
		report(provisioner.Event{
			Type: provisioner.TypeDiagnosis, Name: f.Rule, State: provisioner.Present, Text: f.Cause, Hint: f.Fix, Evidence: f.Evidence,
			Confidence: f.Confidence, Since: &f.Since, Disposition: string(f.Disposition),
		})
	}
}

func listIDs(holders []rotation.Holder) (ids []string) {
	for _, holder := range holders {
		ids = append(ids, holder.ID())
	}
	return ids
}
