package codec

import (
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newScheme has the types of the kinds that the simulated API serves, and of the reviews. Whole groups would make the program
// larger by what nothing uses.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(corev1.SchemeGroupVersion,
		&corev1.Namespace{}, &corev1.NamespaceList{}, &corev1.Node{}, &corev1.NodeList{}, &corev1.Pod{}, &corev1.PodList{},
		&corev1.ConfigMap{}, &corev1.ConfigMapList{}, &corev1.Secret{}, &corev1.SecretList{}, &corev1.Service{}, &corev1.ServiceList{},
		&corev1.ServiceAccount{}, &corev1.ServiceAccountList{}, &corev1.Endpoints{}, &corev1.EndpointsList{}, //nolint:staticcheck // is served still
		&corev1.Event{}, &corev1.EventList{}, &corev1.PersistentVolume{}, &corev1.PersistentVolumeList{},
		&corev1.PersistentVolumeClaim{}, &corev1.PersistentVolumeClaimList{}, &corev1.ResourceQuota{}, &corev1.ResourceQuotaList{},
		&corev1.LimitRange{}, &corev1.LimitRangeList{}, &metav1.Status{})
	s.AddKnownTypes(appsv1.SchemeGroupVersion,
		&appsv1.Deployment{}, &appsv1.DeploymentList{}, &appsv1.DaemonSet{}, &appsv1.DaemonSetList{}, &appsv1.StatefulSet{}, &appsv1.StatefulSetList{})
	s.AddKnownTypes(authenticationv1.SchemeGroupVersion, &authenticationv1.TokenRequest{}, &authenticationv1.SelfSubjectReview{})
	s.AddKnownTypes(authorizationv1.SchemeGroupVersion, &authorizationv1.SelfSubjectAccessReview{})
	s.AddKnownTypes(batchv1.SchemeGroupVersion, &batchv1.Job{}, &batchv1.JobList{}, &batchv1.CronJob{}, &batchv1.CronJobList{})
	s.AddKnownTypes(certificatesv1.SchemeGroupVersion, &certificatesv1.CertificateSigningRequest{}, &certificatesv1.CertificateSigningRequestList{})
	s.AddKnownTypes(coordinationv1.SchemeGroupVersion, &coordinationv1.Lease{}, &coordinationv1.LeaseList{})
	s.AddKnownTypes(discoveryv1.SchemeGroupVersion, &discoveryv1.EndpointSlice{}, &discoveryv1.EndpointSliceList{})
	s.AddKnownTypes(eventsv1.SchemeGroupVersion, &eventsv1.Event{}, &eventsv1.EventList{})
	s.AddKnownTypes(networkingv1.SchemeGroupVersion, &networkingv1.NetworkPolicy{}, &networkingv1.NetworkPolicyList{}, &networkingv1.Ingress{}, &networkingv1.IngressList{})
	s.AddKnownTypes(policyv1.SchemeGroupVersion, &policyv1.PodDisruptionBudget{}, &policyv1.PodDisruptionBudgetList{})
	s.AddKnownTypes(rbacv1.SchemeGroupVersion, &rbacv1.Role{}, &rbacv1.RoleList{}, &rbacv1.RoleBinding{}, &rbacv1.RoleBindingList{},
		&rbacv1.ClusterRole{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.ClusterRoleBindingList{})
	s.AddKnownTypes(schedulingv1.SchemeGroupVersion, &schedulingv1.PriorityClass{}, &schedulingv1.PriorityClassList{})
	s.AddKnownTypes(storagev1.SchemeGroupVersion, &storagev1.StorageClass{}, &storagev1.StorageClassList{}, &storagev1.CSIDriver{}, &storagev1.CSIDriverList{})
	return s
}
