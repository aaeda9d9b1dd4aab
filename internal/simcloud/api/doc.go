// Package api is the Exoscale API v2 of a simulated zone: an http.Handler with the public wire format, and a
// read model that the rest of the zone (machines, firewall, name servers) uses.
//
// Requests take effect at once, except for resources with states (instances, instance pools, load
// balancers and their services, volumes, snapshots), which change state when their operation completes, and
// templates, which exist once they are registered. Every other operation only takes a few seconds. All of it
// survives a restart of the process.
//
// Refusals and quirks, and their sources: "recorded" from the live service, "documented" by Exoscale, its
// official description or the source of its clients, or "our reading", because it is not recorded. Each reading has an ID that is
// never given to another one: a recording of `exoshift conformance` says which of them it settles.
//
//	thing             refusal or quirk                                          status  known from
//	----------------  --------------------------------------------------------  ------  ----------------------------
//	any               what does not exist: {"message"}                          404     recorded
//	any               a value outside of the bounds: {"message","errors"}       400     form recorded, texts ours
//	any               refusals as problem details (Config.Problems)             any     documented elsewhere
//	any               no, a wrong or an expired signature                       401     our reading R01
//	any               an unknown key                                            403     our reading R02
//	any               what the policy of the key's role does not allow          403     our reading R03 (text)
//	any               an exceeded quota                                         403     our reading R04
//	any               an ID of another zone                                     404     documented
//	any               what is being deleted is deleted again                    409     recorded for pools
//	GET /zone         answered without a signature                              200     documented
//	operation         complete at once, without reference: SSH keys             200     recorded
//	operation         refers to the group, balancer or address changed          200     recorded
//	operation         a resource, no reference: start and stop                  200     recorded
//	operation         no reference in the end: anti-affinity group deleted      200     recorded
//	SSH key           material that is no public key                            409     recorded
//	SSH key           a name that is taken                                      409     status recorded
//	instance          must be stopped: reset, scale, resize, revert, TPM        400     recorded for reset
//	instance          must be running: stop, reboot                             400     our reading R05
//	instance          protected against deletion                                403     our reading R06
//	instance          disk below the template's, or above the type's limit      400     documented, status ours
//	instance          a disk that shrinks                                       400     documented, status ours
//	instance          scaled to a type of another kind                          400     documented, status ours
//	instance          more than 32768 characters of user data                   400     documented
//	instance          a password where the template has none, or after a day    404     our reading R07
//	instance          the form of the filter labels: name=value,…               200     our reading R08
//	instance          empty lists are shown, the default group is assigned      200     recorded
//	instance          security groups, networks, volumes detached on deletion  200     documented for volumes
//	instance type     gpus left out where there are none                        200     recorded
//	all but instance  no labels: the field is left out, not an empty map        200     our reading R26
//	security group    used by an instance, or named by a rule                   409     "a conflict" is known
//	security group    empty rules and sources left out                          200     recorded
//	anti-affinity     a ninth instance                                          409     limit documented
//	anti-affinity     deleted while in use                                      409     our reading R09
//	elastic IP        deleted while attached; detached where it is not          409     our reading R10
//	elastic IP        a health check added later, or of another mode            400     documented, status ours
//	private network   a range that ends before it starts                        400     recorded
//	private network   deleted while attached                                    409     our reading R11
//	private network   a lease outside of the subnet                             400     our reading R12
//	private network   a lease that is taken                                     409     our reading R13
//	template          unusable image: operation fails                           200     reasons are our reading R14
//	instance pool     locked by a load balancer, text included                  403     recorded
//	instance pool     changed while it changes                                  409     our reading R15
//	instance pool     a lost member is replaced, changes affect new ones        200     documented
//	instance pool     a member that is stopped is kept, and not replaced        200     our reading R28
//	instance pool     the newest are removed first                              200     our reading R16
//	load balancer     a service before it runs                                  404     seen by users
//	load balancer     an eleventh service                                       403     limit documented
//	load balancer     a second service on a port                                409     our reading R17
//	load balancer     its services are deleted with it                          200     our reading R18
//	load balancer     the status of a running member: not what probes found     200     simplified
//	load balancer     retries after a failed check, one success brings it back  -       our reading R27
//	volume            less than 10 GiB become 10                                200     recorded
//	volume            more than the largest size                                400     limit documented
//	volume            a sixth on an instance                                    403     limit documented
//	volume            on an instance smaller than small                         400     limit documented
//	volume            deleted or attached while attached                        409     documented, status ours
//	volume            detached twice: text ends in "Volume not attached"        400     text recorded
//	volume            resized while its instance runs                           409     documented, status ours
//	volume            resizing answers the volume, at once                      200     documented
//	volume snapshot   a twenty-first of a volume                                403     limit documented
//	volume snapshot   outlives its volume                                       200     our reading R19
//	snapshot          reverted to one of another instance                       400     our reading R20
//	snapshot          outlives its instance                                     200     our reading R21
//	DNS domain        exists already                                            409     our reading R22
//	DNS record        duplicates, trailing dots, ALIAS's TXT, apex NS           -       documented by clients
//	IAM role          deleted while a key uses it                               409     our reading R23
//	IAM policy        services beside compute and sos, expression inputs        -       our reading R24
//	event             mutations, refused ones too; the oldest first             200     order is our reading R25
//
// Groups, instances, pools, load balancers, volumes and DNS records may share a name. UDP of load balancers, private networks,
// rescue systems, deploy targets and the contents of volumes are kept and answered, but no traffic and no machine of
// the simulation uses them; only a router that a private network's DHCP names becomes the default route of machines that boot with it.
package api
