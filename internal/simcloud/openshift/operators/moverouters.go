package operators

import (
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// moveRouters simulates another repository that manages the same ingress controller: once, after a placement was set, it moves
// the routers to the masters and makes these schedulable.
func (k ingressOperator) moveRouters(controller kube.Object) error {
	const what = "routers displaced"
	_, done := k.StateRecords.Get(what)
	if !k.Faults.RoutersOnMasters || done || len(controller.Map("spec.nodePlacement.nodeSelector.matchLabels")) == 0 {
		return nil
	}
	if _, err := k.Objects.Update("schedulers.config.openshift.io", "", "cluster", func(o kube.Object) error {
		o.Set("spec.mastersSchedulable", true)
		return nil
	}); err != nil {
		return err
	}
	_, err := k.Objects.Update(cluster.IngressResource, operatorNamespace, "default", func(o kube.Object) error {
		o.Set("spec.nodePlacement", kube.Object{
			"nodeSelector": kube.Object{"matchLabels": kube.Object{cluster.MasterTaint: ""}}, "tolerations": []kube.Object{{"operator": "Exists"}},
		})
		return nil
	})
	if err != nil {
		return err
	}
	return k.StateRecords.Put(what, cluster.StateRecord{What: what, State: "", Since: k.Clock.Now()})
}
