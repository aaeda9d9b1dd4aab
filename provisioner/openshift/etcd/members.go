package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/operators"
	"exoshift/state"
	"exoshift/state/controlplane"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	namespace                            = "openshift-etcd"
	memberPods      kubeapi.ResourcePath = "v1/pods@openshift-etcd"
	memberSecrets   kubeapi.ResourcePath = "v1/secrets@openshift-etcd"
	apiServerPods   kubeapi.ResourcePath = "v1/pods@openshift-kube-apiserver"
	etcdctlProgram                       = "etcdctl" // and the container that has it
	memberSelector                       = "app=etcd"
	serverSelector                       = "app=openshift-kube-apiserver"
	opRemoveMember                       = "remove a member of etcd"
	opListMembers                        = "list the members of etcd"
	maxHealthErrors                      = 1 // exit code of etcdctl endpoint health with a member that does not answer
)

// Members asks etcd itself, by etcdctl in the pods of its members: the operator neither removes members without the Machine API, nor does
// its summary name those that are well.
type Members struct{ connector *kubeapi.Connector }

// New returns the members of the connector's cluster.
func New(connector *kubeapi.Connector) *Members { return &Members{connector} }

// InspectControlPlane reads the members of etcd, the revisions of what runs on the masters, and which API servers are ready. Without a quorum
// there is no API to ask.
func (m *Members) InspectControlPlane(ctx context.Context) (found controlplane.State, err error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return found, err
	}
	if found.Peers, err = listPeers(ctx, api, ""); err != nil {
		return found, err
	}
	for _, resource := range []kubeapi.ResourcePath{kubeapi.Etcds, kubeapi.KubeAPIServers} {
		operator, exists, err := kubeapi.Get[operators.StaticPodOperator](ctx, api, resource, "cluster")
		if err != nil {
			return found, err
		}
		if exists {
			found.Rollouts = append(found.Rollouts, newRollout(resource, operator))
		}
	}
	servers, err := kubeapi.List[corev1.Pod](ctx, api, apiServerPods, serverSelector)
	for _, pod := range servers {
		if isReady(pod) {
			found.APIServers = append(found.APIServers, pod.Spec.NodeName)
		}
	}
	slices.Sort(found.APIServers)
	return found, err
}

func newRollout(resource kubeapi.ResourcePath, operator operators.StaticPodOperator) controlplane.Rollout {
	rollout := controlplane.Rollout{Component: "etcd", Latest: operator.Status.LatestAvailable, Nodes: map[string]int{}}
	if resource == kubeapi.KubeAPIServers {
		rollout.Component = "kube-apiserver"
	}
	for _, node := range operator.Status.NodeStatuses {
		rollout.Nodes[node.NodeName] = node.CurrentRevision
	}
	return rollout
}

// RemoveMember removes a member, by the pod of another one, and requires that etcd does not list it any more: state.Found if it did not
// before. fault.Conflict: etcd refuses it, as a quorum would be lost; fault.Transient: the outcome is not known.
func (m *Members) RemoveMember(ctx context.Context, member controlplane.Peer) (state.Action, error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	listed, err := listPeers(ctx, api, member.Name)
	if err != nil {
		return "", err
	}
	if !hasPeer(listed, member.ID) {
		return state.Found, nil
	}
	_, failure := runEtcdctl(ctx, api, member.Name, opRemoveMember, "member", "remove", member.ID, "-w", "json")
	listed, err = listPeers(ctx, api, member.Name)
	switch {
	case err == nil && !hasPeer(listed, member.ID):
		return state.Deleted, nil
	case failure == nil && err == nil:
		return "", fault.Newf(fault.Transient, opRemoveMember, "etcd still lists %s (%s)", member.Name, member.ID)
	case failure == nil:
		return "", err
	}
	var exit *kubeapi.ExitError
	if errors.As(failure, &exit) && isRefusal(exit.Output) {
		return "", fault.New(fault.Conflict, opRemoveMember, exit).WithHint("see what etcd says: oc -n openshift-etcd rsh -c etcdctl <pod of a healthy member> etcdctl endpoint health --cluster")
	}
	return "", failure
}

// isRefusal reports whether etcd refuses to lose a member for the sake of its quorum; other failures, such as that of a leader, pass.
func isRefusal(output string) bool {
	return strings.Contains(output, "unhealthy cluster") || strings.Contains(output, "not enough started members")
}

func hasPeer(peers []controlplane.Peer, id string) bool {
	return slices.ContainsFunc(peers, func(p controlplane.Peer) bool { return p.ID == id })
}

// DeleteMemberSecrets deletes the certificates of the member on a node: its operator issues others for the machine that gets the name, and
// leaves those alone that are there.
func (m *Members) DeleteMemberSecrets(ctx context.Context, node string) (deleted []string, err error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, prefix := range []string{"etcd-peer-", "etcd-serving-", "etcd-serving-metrics-"} {
		name := prefix + node
		err := api.Delete(ctx, memberSecrets, name, metav1.DeleteOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return deleted, api.ToFault(ctx, "delete the Secret "+name, err)
		default:
			deleted = append(deleted, name)
		}
	}
	return deleted, nil
}

// listPeers lists the members and asks each for its health; without is a node whose pod is not asked.
func listPeers(ctx context.Context, api *kubeapi.Client, without string) ([]controlplane.Peer, error) {
	content, err := runEtcdctl(ctx, api, without, opListMembers, "member", "list", "-w", "json")
	if err != nil {
		return nil, err
	}
	peers, clients, err := parseMembers(content)
	if err != nil {
		return nil, fault.New(fault.Internal, opListMembers, err)
	}
	content, err = runEtcdctl(ctx, api, without, "check the members of etcd", "endpoint", "health", "--cluster", "-w", "json")
	var exit *kubeapi.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Code != maxHealthErrors || len(content) == 0) {
		return nil, err
	}
	healthy, err := parseHealth(content)
	if err != nil {
		return nil, fault.New(fault.Internal, "check the members of etcd", err)
	}
	for i := range peers {
		peers[i].Healthy = clients[i] != "" && healthy[clients[i]]
	}
	return peers, nil
}

// runEtcdctl runs etcdctl in the pod of a member, that of the first that answers: those that are ready come first.
func runEtcdctl(ctx context.Context, api *kubeapi.Client, without, op string, arguments ...string) ([]byte, error) {
	pods, err := kubeapi.List[corev1.Pod](ctx, api, memberPods, memberSelector)
	if err != nil {
		return nil, err
	}
	pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return pod.Spec.NodeName == without && without != "" })
	stable.Sort(pods, func(a, b corev1.Pod) int { return rankReady(a) - rankReady(b) })
	failure := error(fault.Newf(fault.Transient, op, "etcd has no pod in %s", namespace))
	for _, pod := range pods {
		content, err := kubeapi.Exec(ctx, api, kubeapi.Container{Namespace: namespace, Pod: pod.Name, Name: etcdctlProgram}, append([]string{etcdctlProgram}, arguments...)...)
		var exit *kubeapi.ExitError
		if errors.As(err, &exit) {
			exit.Output = lastLine(exit.Output) // before it, etcdctl writes its log
			return content, fault.New(fault.Transient, op, exit)
		}
		if err == nil || ctx.Err() != nil {
			return content, err
		}
		failure = err
	}
	return nil, failure
}

func lastLine(printed string) string {
	printed = strings.TrimSpace(printed)
	return printed[strings.LastIndexByte(printed, '\n')+1:]
}

func rankReady(pod corev1.Pod) int {
	if isReady(pod) {
		return 0
	}
	return 1
}

func isReady(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// parseMembers parses etcdctl's list; clients are the URLs for clients of the members, "" of one that has not started.
func parseMembers(content []byte) (peers []controlplane.Peer, clients []string, err error) {
	var list struct {
		Members []struct {
			ID         uint64   `json:"ID"`
			Name       string   `json:"name"`
			PeerURLs   []string `json:"peerURLs"`
			ClientURLs []string `json:"clientURLs"`
			IsLearner  bool     `json:"isLearner"`
		} `json:"members"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, nil, err
	}
	if len(list.Members) == 0 || len(list.Members) > maxMembers {
		return nil, nil, errors.New("etcdctl lists " + strconv.Itoa(len(list.Members)) + " members")
	}
	for _, member := range list.Members {
		peer := controlplane.Peer{ID: strconv.FormatUint(member.ID, 16), Name: kubeapi.Sanitize(member.Name), Learner: member.IsLearner}
		if len(member.PeerURLs) > 0 {
			if parsed, err := url.Parse(member.PeerURLs[0]); err == nil {
				peer.Address = parsed.Hostname()
			}
		}
		client := ""
		if len(member.ClientURLs) > 0 {
			client = member.ClientURLs[0]
		}
		peers, clients = append(peers, peer), append(clients, client)
	}
	return peers, clients, nil
}

// parseHealth returns which endpoints are healthy.
func parseHealth(content []byte) (map[string]bool, error) {
	var list []struct {
		Endpoint string `json:"endpoint"`
		Health   bool   `json:"health"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, err
	}
	healthy := map[string]bool{}
	for _, one := range list {
		healthy[one.Endpoint] = one.Health
	}
	return healthy, nil
}
