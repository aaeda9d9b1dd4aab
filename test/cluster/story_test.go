package cluster

import (
	"errors"
	"slices"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// story plays the machines and the operators of a cluster on a real API.
type story struct {
	*plane
	typed        *kubernetes.Clientset
	all          *dynamic.DynamicClient
	bootstrapper *rest.Config
}

// begin brings up a control plane that has OpenShift's kinds and knows who asks for the nodes' certificates.
func begin(t *testing.T) *story {
	t.Helper()
	s := &story{plane: start(t)}
	s.typed, s.all = s.objects(t)
	define(t, s.all)
	for _, name := range []string{
		machineConfig, "openshift-etcd", "openshift-etcd-operator", "openshift-ingress-operator", "openshift-ingress",
		"openshift-image-registry", "openshift-console",
	} {
		s.create(t, "v1", "namespaces", "", "Namespace", name, nil)
	}
	s.bootstrapper = s.makeBootstrapper(t)
	return s
}

const machineConfig = "openshift-machine-config-operator"

// makeBootstrapper makes the service account that machines ask for their first certificate as, with a token that does
// not end, as its kubeconfig in the Ignition documents has one.
func (s *story) makeBootstrapper(t *testing.T) *rest.Config {
	t.Helper()
	const name = "node-bootstrapper"
	_, err := s.typed.CoreV1().ServiceAccounts(machineConfig).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	must(t, err)
	_, err = s.typed.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "node-bootstrapper"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:node-bootstrapper"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: machineConfig, Name: name}},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = s.typed.CoreV1().Secrets(machineConfig).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-token", Annotations: map[string]string{corev1.ServiceAccountNameKey: name}},
		Type:       corev1.SecretTypeServiceAccountToken,
	}, metav1.CreateOptions{})
	must(t, err)
	config := rest.AnonymousClientConfig(s.admin(t))
	until(t, func() error {
		secret, err := s.typed.CoreV1().Secrets(machineConfig).Get(t.Context(), name+"-token", metav1.GetOptions{})
		if err == nil && len(secret.Data["token"]) == 0 {
			err = errors.New("the service account has no token yet")
		}
		config.BearerToken = string(secret.Data["token"])
		return err
	})
	return config
}

// create creates an object of any kind.
func (s *story) create(t *testing.T, version, resource, namespace, kind, name string, fields map[string]any) {
	t.Helper()
	s.createAs(t, "", version, resource, namespace, kind, name, fields)
}

// createAs creates an object as the field manager of that name; "" is the client's own.
func (s *story) createAs(t *testing.T, manager, version, resource, namespace, kind, name string, fields map[string]any) {
	t.Helper()
	object := map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name}}
	for key, value := range fields {
		object[key] = value
	}
	group, err := schema.ParseGroupVersion(version)
	must(t, err)
	_, err = s.all.Resource(group.WithResource(resource)).Namespace(namespace).Create(t.Context(),
		&unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: manager})
	must(t, err)
}

// establish writes the status of an object as its operator does, and creates the object if it is not there.
func (s *story) establish(t *testing.T, resource schema.GroupVersionResource, kind string, wanted any) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(wanted)
	must(t, err)
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(resource.GroupVersion().WithKind(kind))
	objects := s.all.Resource(resource)
	current, err := objects.Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		current, err = objects.Create(t.Context(), object, metav1.CreateOptions{})
	}
	must(t, err)
	for _, status := range steps(t, current, object) {
		current.Object["status"] = status
		current, err = objects.UpdateStatus(t.Context(), current, metav1.UpdateOptions{})
		must(t, err)
	}
}

// steps are the statuses to write, one after the other: a node gets its revision only after it is there, which the
// definitions of the static pods' operators see to.
func steps(t *testing.T, current, wanted *unstructured.Unstructured) []any {
	t.Helper()
	present, _, err := unstructured.NestedSlice(current.Object, "status", "nodeStatuses")
	must(t, err)
	first := wanted.DeepCopy()
	nodes, found, err := unstructured.NestedSlice(first.Object, "status", "nodeStatuses")
	must(t, err)
	if !found {
		return []any{wanted.Object["status"]}
	}
	for _, node := range nodes {
		fields, _ := node.(map[string]any)
		if !slices.ContainsFunc(present, func(known any) bool { return known.(map[string]any)["nodeName"] == fields["nodeName"] }) {
			delete(fields, "currentRevision")
		}
	}
	must(t, unstructured.SetNestedSlice(first.Object, nodes, "status", "nodeStatuses"))
	return []any{first.Object["status"], wanted.Object["status"]}
}

// operatorResource is a kind of operator.openshift.io.
func operatorResource(name string) schema.GroupVersionResource {
	return operatorv1.GroupVersion.WithResource(name)
}

// condition is what an operator says about itself.
func condition(kind string, yes bool, reason, message string) operatorv1.OperatorCondition {
	status := operatorv1.ConditionFalse
	if yes {
		status = operatorv1.ConditionTrue
	}
	return operatorv1.OperatorCondition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()}
}

// singleton is the metadata of an object of which there is one in a cluster.
func singleton(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// revisions are the static pods that run: revision 1 on each of the nodes.
func revisions(nodes ...string) []operatorv1.NodeStatus {
	var statuses []operatorv1.NodeStatus
	for _, node := range nodes {
		statuses = append(statuses, operatorv1.NodeStatus{NodeName: node, CurrentRevision: 1})
	}
	return statuses
}

// runControlPlane lets the operators of the control plane say that it runs on nodes.
func (s *story) runControlPlane(t *testing.T, nodes ...string) {
	t.Helper()
	status := operatorv1.StaticPodOperatorStatus{NodeStatuses: revisions(nodes...)}
	s.establish(t, operatorResource("kubeapiservers"), "KubeAPIServer", &operatorv1.KubeAPIServer{
		ObjectMeta: singleton("cluster"), Status: operatorv1.KubeAPIServerStatus{StaticPodOperatorStatus: status},
		Spec: operatorv1.KubeAPIServerSpec{StaticPodOperatorSpec: managed()},
	})
	s.establish(t, operatorResource("kubecontrollermanagers"), "KubeControllerManager", &operatorv1.KubeControllerManager{
		ObjectMeta: singleton("cluster"), Status: operatorv1.KubeControllerManagerStatus{StaticPodOperatorStatus: status},
		Spec: operatorv1.KubeControllerManagerSpec{StaticPodOperatorSpec: managed()},
	})
	s.establish(t, operatorResource("kubeschedulers"), "KubeScheduler", &operatorv1.KubeScheduler{
		ObjectMeta: singleton("cluster"), Status: operatorv1.KubeSchedulerStatus{StaticPodOperatorStatus: status},
		Spec: operatorv1.KubeSchedulerSpec{StaticPodOperatorSpec: managed()},
	})
}

func managed() operatorv1.StaticPodOperatorSpec {
	return operatorv1.StaticPodOperatorSpec{OperatorSpec: operatorv1.OperatorSpec{ManagementState: operatorv1.Managed}}
}

// reportEtcd lets the operator of etcd say something.
func (s *story) reportEtcd(t *testing.T, nodes []operatorv1.NodeStatus, conditions ...operatorv1.OperatorCondition) {
	t.Helper()
	s.establish(t, operatorResource("etcds"), "Etcd", &operatorv1.Etcd{
		ObjectMeta: singleton("cluster"), Spec: operatorv1.EtcdSpec{StaticPodOperatorSpec: managed()},
		Status: operatorv1.EtcdStatus{StaticPodOperatorStatus: operatorv1.StaticPodOperatorStatus{
			OperatorStatus: operatorv1.OperatorStatus{Conditions: conditions}, NodeStatuses: nodes,
		}},
	})
}

// happen files an event as an operator does.
func (s *story) happen(t *testing.T, namespace, name, reason, message string) {
	t.Helper()
	event := &corev1.Event{
		InvolvedObject: corev1.ObjectReference{Namespace: namespace}, Reason: reason, Message: message, Type: corev1.EventTypeNormal,
		FirstTimestamp: metav1.Now(), LastTimestamp: metav1.Now(), Count: 1,
	}
	if event.Name = name; name == "" {
		event.GenerateName = "etcd-operator."
	}
	_, err := s.typed.CoreV1().Events(namespace).Create(t.Context(), event, metav1.CreateOptions{})
	must(t, err)
}

// installed lets the version's operator say how far it is.
func (s *story) installed(t *testing.T, available bool, message string) {
	t.Helper()
	progressing := configv1.ConditionTrue
	state := configv1.PartialUpdate
	if available {
		progressing, state = configv1.ConditionFalse, configv1.CompletedUpdate
	}
	release := configv1.Release{Version: "4.20.3", Image: "quay.example/release@sha256:" + zeros}
	s.establish(t, configv1.GroupVersion.WithResource("clusterversions"), "ClusterVersion", &configv1.ClusterVersion{
		ObjectMeta: singleton("version"), Spec: configv1.ClusterVersionSpec{ClusterID: "0c5b5d2e-7d0b-4d8e-9f0a-3f1c1f0e9a11"},
		Status: configv1.ClusterVersionStatus{
			Desired: release, VersionHash: "hash", ObservedGeneration: 1, AvailableUpdates: []configv1.Release{},
			History: []configv1.UpdateHistory{{State: state, StartedTime: metav1.Now(), Version: release.Version, Image: release.Image}},
			Conditions: []configv1.ClusterOperatorStatusCondition{
				operatorCondition(configv1.OperatorAvailable, truth(available), message),
				operatorCondition(configv1.OperatorProgressing, progressing, message),
				operatorCondition("Failing", configv1.ConditionFalse, ""),
			},
		},
	})
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// operate lets a cluster operator say how it is.
func (s *story) operate(t *testing.T, name string, available, progressing, degraded bool, message string) {
	t.Helper()
	s.establish(t, configv1.GroupVersion.WithResource("clusteroperators"), "ClusterOperator", &configv1.ClusterOperator{
		ObjectMeta: singleton(name),
		Status: configv1.ClusterOperatorStatus{Conditions: []configv1.ClusterOperatorStatusCondition{
			operatorCondition(configv1.OperatorAvailable, truth(available), message),
			operatorCondition(configv1.OperatorProgressing, truth(progressing), message),
			operatorCondition(configv1.OperatorDegraded, truth(degraded), message),
		}},
	})
}

func truth(yes bool) configv1.ConditionStatus {
	if yes {
		return configv1.ConditionTrue
	}
	return configv1.ConditionFalse
}

func operatorCondition(kind configv1.ClusterStatusConditionType, status configv1.ConditionStatus, message string) configv1.ClusterOperatorStatusCondition {
	return configv1.ClusterOperatorStatusCondition{
		Type: kind, Status: status, Reason: "AsExpected", Message: message, LastTransitionTime: metav1.NewTime(time.Now().Add(-10 * time.Minute)),
	}
}
