package cluster

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/backup/backuptest"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/restore"
	"exoshift/state"
)

// restored is a real API server with a backup of its objects.
type restored struct {
	cluster *openshift.Cluster
	bucket  *backuptest.Bucket
	clock   network.Clock
}

func (r restored) engine(kinds, names []string) *restore.Restore {
	return restore.New(state.Default(), restore.Clients{Cluster: r.cluster, Objects: r.bucket, Clock: r.clock}, restore.Options{
		From: "latest", Selection: restore.Selection{Kinds: kinds, Namespaces: []string{"shop"}, Names: names}, Identities: []age.Identity{r.bucket.Identity}, InfraID: "infra",
	})
}

// review returns what would be done, by the objects.
func (r restored) review(t *testing.T, engine *restore.Restore) map[string]string {
	t.Helper()
	found, err := engine.Review(t.Context())
	must(t, err)
	all := map[string]string{}
	for _, change := range found.Changes {
		words := []string{change.Action}
		if change.Reason != "" {
			words = append(words, change.Reason)
		}
		for _, field := range change.Fields {
			words = append(words, fmt.Sprintf("%s %s>%s %s", field.Path, field.Before, field.After, field.Owner))
		}
		for _, path := range change.Extra {
			words = append(words, "stays "+path)
		}
		all[change.Object.ID()] = strings.TrimSpace(strings.Join(words, "; "))
	}
	return all
}

// Objects are restored into a real API server: what is compared and what is applied is its own server-side apply, and what it refuses is said.
func TestRestoreObjects_RealAPI(t *testing.T) {
	t.Parallel()
	p := start(t)
	typed, _ := p.objects(t)
	fillShop(t, typed)
	config := kubeconfig(t, "https://"+apiName+":"+p.apiPort, p.authority, issueUser(t, p.authority, "system:admin", "system:masters"))
	clock, stop := network.NewScaledClock(20, time.Now())
	t.Cleanup(stop)
	cluster := openshift.NewCluster(network.Network{Dial: toLoopback(p.apiPort), Lookup: onLoopback, Clock: clock}, func() ([]byte, error) { return config, nil })
	t.Cleanup(cluster.Close)
	var archive bytes.Buffer
	written, err := cluster.ArchiveObjects(t.Context(), &archive)
	must(t, err)
	if written.Count < 20 || len(written.Missing) > 0 {
		t.Errorf("%+v", written)
	}
	bucket, err := backuptest.NewBucket(state.Default().Cluster.ID, "infra", archive.Bytes())
	must(t, err)
	r := restored{cluster, bucket, clock}

	kinds := []string{"cm", "secrets", "deploy", "svc", "pvc", "role", "rolebinding", "sa", "quota"}
	for object, action := range r.review(t, r.engine(kinds, nil)) {
		if action != "same" && !strings.HasPrefix(action, "leave") {
			t.Errorf("before anything was changed: %s: %s", object, action)
		}
	}
	disturb(t, typed)
	engine := r.engine(kinds, nil)
	got := r.review(t, engine)
	for object, want := range map[string]string{
		"configmaps shop/settings":                            `update; data.colour: "red">"blue" kubectl-edit; stays data.more`,
		"configmaps shop/gone":                                "create",
		"secrets shop/login":                                  "update; data.password: > kubectl-edit",
		"deployments.apps shop/web":                           `update; spec.replicas: 5>2 kubectl-edit; spec.template.spec.containers[web].image: "registry/web:2">"registry/web:1" kubectl-edit`,
		"services shop/web":                                   "create",
		"rolebindings.rbac.authorization.k8s.io shop/readers": "refuse; roleRef: it cannot be changed: immutable",
		"persistentvolumeclaims shop/data":                    "create",
		"serviceaccounts shop/robot":                          "create",
		"roles.rbac.authorization.k8s.io shop/readers":        "same",
		"configmaps shop/frozen":                              "refuse; data: it cannot be changed: immutable",
		"resourcequotas shop/limits":                          "same",
	} {
		if strings.ReplaceAll(want, ": ", " ") != strings.ReplaceAll(got[object], ": ", " ") {
			t.Errorf("%s: %s, not %s", object, got[object], want)
		}
	}
	var done []string
	must(t, provisioner.Run(t.Context(), engine.Plan(), func(e provisioner.Event) {
		if e.Type == provisioner.TypeObject {
			done = append(done, e.Action+" "+e.Kind+" "+e.Name)
		}
	}))
	if len(done) != 7 || done[0] != "created serviceaccount shop/robot" || !slices.Contains(done, "created service shop/web") {
		t.Errorf("%q", done)
	}
	secret, err := typed.CoreV1().Secrets("shop").Get(t.Context(), "login", metav1.GetOptions{})
	must(t, err)
	if string(secret.Data["password"]) != "hunter2hunter2" {
		t.Error("the secret is not restored")
	}
	for object, action := range r.review(t, r.engine(kinds, nil)) {
		if strings.HasPrefix(action, "create") || strings.HasPrefix(action, "update") {
			t.Errorf("the second time: %s: %s", object, action)
		}
	}
	namespaceRestored(t, r, typed)
}

// namespaceRestored has a whole namespace deleted, and restored.
func namespaceRestored(t *testing.T, r restored, typed *kubernetes.Clientset) {
	t.Helper()
	releaseClaim(t, typed)
	must(t, typed.CoreV1().Namespaces().Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	until(t, func() error {
		if _, err := typed.CoreV1().Namespaces().Get(t.Context(), "shop", metav1.GetOptions{}); err == nil {
			return fmt.Errorf("the namespace is still there")
		}
		return nil
	})
	engine := r.engine([]string{"ns", "cm", "secret", "deployments"}, nil)
	r.review(t, engine)
	must(t, provisioner.Run(t.Context(), engine.Plan(), func(provisioner.Event) {}))
	all, err := typed.CoreV1().ConfigMaps("shop").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if len(all.Items) < 3 {
		t.Errorf("there are %d", len(all.Items))
	}
}

func fillShop(t *testing.T, typed *kubernetes.Clientset) {
	t.Helper()
	ctx, create := t.Context(), metav1.CreateOptions{FieldManager: "kubectl-create"}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "shop"} }
	_, err := typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, create)
	must(t, err)
	for _, name := range []string{"settings", "gone", "frozen"} {
		_, err = typed.CoreV1().ConfigMaps("shop").Create(ctx, &corev1.ConfigMap{ObjectMeta: meta(name), Data: map[string]string{"colour": "blue"}}, create)
		must(t, err)
	}
	_, err = typed.CoreV1().Secrets("shop").Create(ctx, &corev1.Secret{ObjectMeta: meta("login"), Data: map[string][]byte{"password": []byte("hunter2hunter2")}}, create)
	must(t, err)
	replicas, labels := int32(2), map[string]string{"app": "web"}
	_, err = typed.AppsV1().Deployments("shop").Create(ctx, &appsv1.Deployment{ObjectMeta: meta("web"), Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry/web:1"}}},
		},
	}}, create)
	must(t, err)
	_, err = typed.CoreV1().Services("shop").Create(ctx, &corev1.Service{ObjectMeta: meta("web"), Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}}, create)
	must(t, err)
	_, err = typed.CoreV1().PersistentVolumeClaims("shop").Create(ctx, &corev1.PersistentVolumeClaim{ObjectMeta: meta("data"), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, VolumeName: "pvc-gone",
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}, create)
	must(t, err)
	_, err = typed.CoreV1().ServiceAccounts("shop").Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta("robot")}, create)
	must(t, err)
	_, err = typed.CoreV1().ResourceQuotas("shop").Create(ctx, &corev1.ResourceQuota{ObjectMeta: meta("limits"), Spec: corev1.ResourceQuotaSpec{Hard: quantity("100Gi")}}, create)
	must(t, err)
	_, err = typed.RbacV1().Roles("shop").Create(ctx, &rbacv1.Role{ObjectMeta: meta("readers"), Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}, create)
	must(t, err)
	bind(t, typed, "readers")
}

func quantity(size string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceRequestsStorage: resource.MustParse(size)}
}

func bind(t *testing.T, typed *kubernetes.Clientset, role string) {
	t.Helper()
	_, err := typed.RbacV1().RoleBindings("shop").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: role},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "robot", Namespace: "shop"}},
	}, metav1.CreateOptions{})
	must(t, err)
}

// disturb changes and deletes what fillShop has created.
func disturb(t *testing.T, typed *kubernetes.Clientset) {
	t.Helper()
	ctx, edit := t.Context(), metav1.UpdateOptions{FieldManager: "kubectl-edit"}
	settings, err := typed.CoreV1().ConfigMaps("shop").Get(ctx, "settings", metav1.GetOptions{})
	must(t, err)
	settings.Data = map[string]string{"colour": "red", "more": "x"}
	_, err = typed.CoreV1().ConfigMaps("shop").Update(ctx, settings, edit)
	must(t, err)
	frozen, err := typed.CoreV1().ConfigMaps("shop").Get(ctx, "frozen", metav1.GetOptions{})
	must(t, err)
	immutable := true
	frozen.Immutable, frozen.Data = &immutable, map[string]string{"colour": "red"}
	_, err = typed.CoreV1().ConfigMaps("shop").Update(ctx, frozen, edit)
	must(t, err)
	login, err := typed.CoreV1().Secrets("shop").Get(ctx, "login", metav1.GetOptions{})
	must(t, err)
	login.Data["password"] = []byte("other")
	_, err = typed.CoreV1().Secrets("shop").Update(ctx, login, edit)
	must(t, err)
	web, err := typed.AppsV1().Deployments("shop").Get(ctx, "web", metav1.GetOptions{})
	must(t, err)
	replicas := int32(5)
	web.Spec.Replicas, web.Spec.Template.Spec.Containers[0].Image = &replicas, "registry/web:2"
	_, err = typed.AppsV1().Deployments("shop").Update(ctx, web, edit)
	must(t, err)
	now := metav1.NewDeleteOptions(0)
	must(t, typed.CoreV1().ConfigMaps("shop").Delete(ctx, "gone", *now))
	must(t, typed.CoreV1().Services("shop").Delete(ctx, "web", *now))
	must(t, typed.CoreV1().ServiceAccounts("shop").Delete(ctx, "robot", *now))
	must(t, typed.CoreV1().PersistentVolumeClaims("shop").Delete(ctx, "data", *now))
	releaseClaim(t, typed)
	must(t, typed.RbacV1().RoleBindings("shop").Delete(ctx, "readers", *now))
	bind(t, typed, "writers")
}

// releaseClaim removes the finalizer of the claim, as the controller does that is not there.
func releaseClaim(t *testing.T, typed *kubernetes.Clientset) {
	t.Helper()
	claim, err := typed.CoreV1().PersistentVolumeClaims("shop").Get(t.Context(), "data", metav1.GetOptions{})
	must(t, err)
	claim.Finalizers = nil
	_, err = typed.CoreV1().PersistentVolumeClaims("shop").Update(t.Context(), claim, metav1.UpdateOptions{})
	must(t, err)
}
