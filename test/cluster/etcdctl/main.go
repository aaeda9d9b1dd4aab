// Command etcdctl is etcd's own client, as the pods of OpenShift's members have it.
package main

import "go.etcd.io/etcd/etcdctl/v3/ctlv3"

func main() { ctlv3.MustStart() }
