# One of each kind that a zone has for others.
terraform {
  required_providers {
    exoscale = { source = "exoscale/exoscale" }
  }
}

variable "size" { default = 2 }
variable "ttl" { default = 300 }
variable "label" { default = "first" }

locals { zone = "ch-gva-2" }

data "exoscale_template" "ubuntu" {
  zone = local.zone
  name = "Linux Ubuntu 24.04 LTS 64-bit"
}

resource "exoscale_ssh_key" "key" {
  name       = "terraform"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINbmB5+y2VJ1FZqYhxMoq3+3cEo6uty+QEjxmzfpgV2V operator@example.net"
}

resource "exoscale_security_group" "group" { name = "terraform" }

resource "exoscale_security_group_rule" "ssh" {
  security_group_id = exoscale_security_group.group.id
  type              = "INGRESS"
  protocol          = "TCP"
  cidr              = "0.0.0.0/0"
  start_port        = 22
  end_port          = 22
}

resource "exoscale_anti_affinity_group" "apart" { name = "terraform" }

resource "exoscale_elastic_ip" "address" {
  zone        = local.zone
  description = "terraform"
  healthcheck {
    mode         = "http"
    port         = 80
    uri          = "/${var.label}"
    interval     = 10
    timeout      = 2
    strikes_ok   = 2
    strikes_fail = 3
  }
}

resource "exoscale_private_network" "inside" {
  zone     = local.zone
  name     = "terraform"
  netmask  = "255.255.255.0"
  start_ip = "10.0.0.20"
  end_ip   = "10.0.0.253"
}

resource "exoscale_compute_instance" "machine" {
  zone                    = local.zone
  name                    = "terraform"
  type                    = "standard.medium"
  template_id             = data.exoscale_template.ubuntu.id
  disk_size               = 10
  ssh_key                 = exoscale_ssh_key.key.name
  security_group_ids      = [exoscale_security_group.group.id]
  anti_affinity_group_ids = [exoscale_anti_affinity_group.apart.id]
  elastic_ip_ids          = [exoscale_elastic_ip.address.id]
  labels                  = { state = var.label }
  network_interface { network_id = exoscale_private_network.inside.id }
}

resource "exoscale_instance_pool" "pool" {
  zone               = local.zone
  name               = "terraform"
  template_id        = data.exoscale_template.ubuntu.id
  instance_type      = "standard.small"
  size               = var.size
  disk_size          = 10
  security_group_ids = [exoscale_security_group.group.id]
}

resource "exoscale_domain" "domain" { name = "terraform.example.org" }

resource "exoscale_domain_record" "www" {
  domain      = exoscale_domain.domain.id
  name        = "www"
  record_type = "A"
  content     = exoscale_elastic_ip.address.ip_address
  ttl         = var.ttl
}
