package instance

import (
	"slices"

	"exoshift/internal/simcloud/api/resource"
)

// Type is an instance type.
type Type struct {
	ID         string   `json:"id"`
	Family     string   `json:"family"`
	Size       string   `json:"size"`
	CPUs       int      `json:"cpus"`
	Memory     int      `json:"memory"` // bytes
	GPUs       int      `json:"gpus,omitempty"`
	Authorized bool     `json:"authorized"`
	Zones      []string `json:"zones"`
}

// Name returns the name, e.g. "standard.large".
func (t Type) Name() string { return t.Family + "." + t.Size }

// size is one row of the tables recorded on 2026-08-21; memory in MiB.
type size struct {
	name              string
	cpus, memory, gpu int
}

const gib = 1024

// buildTypes returns all types. The identifiers of the standard family up to huge are those of the live service.
func buildTypes() []Type {
	everywhere := resource.ZoneNames()
	withoutMunich := resource.Without(everywhere, "de-muc-1")
	return slices.Concat(
		buildFamily("standard", everywhere, listStandardSizes()...),
		buildFamily("cpu", everywhere, size{"extra-large", 8, 16 * gib, 0}, size{"huge", 16, 32 * gib, 0},
			size{"mega", 32, 64 * gib, 0}, size{"titan", 40, 128 * gib, 0}, size{"titan48c", 48, 128 * gib, 0},
			size{"colossus", 80, 320 * gib, 0}),
		buildFamily("memory", everywhere, size{"extra-large", 2, 16 * gib, 0}, size{"huge", 4, 32 * gib, 0},
			size{"mega", 8, 64 * gib, 0}, size{"titan", 12, 128 * gib, 0}),
		buildFamily("storage", withoutMunich, size{"extra-large", 4, 16 * gib, 0}, size{"huge", 8, 32 * gib, 0},
			size{"mega", 12, 64 * gib, 0}, size{"titan", 16, 128 * gib, 0}, size{"jumbo", 24, 225 * gib, 0}),
		listGPUFamilies(),
	)
}

func listStandardSizes() []size {
	return []size{
		{"micro", 1, 512, 0},
		{"tiny", 1, 1 * gib, 0},
		{"small", 2, 2 * gib, 0},
		{"medium", 2, 4 * gib, 0},
		{"large", 4, 8 * gib, 0},
		{"extra-large", 4, 16 * gib, 0},
		{"huge", 8, 32 * gib, 0},
		{"mega", 12, 64 * gib, 0},
		{"titan", 16, 128 * gib, 0},
		{"jumbo", 24, 225 * gib, 0},
		{"colossus", 40, 320 * gib, 0},
	}
}

func listGPUFamilies() []Type {
	older := []size{
		{"small", 12, 56 * gib, 1},
		{"medium", 16, 90 * gib, 2},
		{"large", 24, 120 * gib, 3},
		{"huge", 48, 225 * gib, 4},
	}
	vienna := []size{{"small", 12, 56 * gib, 1}, {"medium", 24, 112 * gib, 2}, {"large", 48, 224 * gib, 4}}
	return slices.Concat(
		buildFamily("gpu2", []string{"at-vie-1"}, older...),
		buildFamily("gpua30", []string{"ch-gva-2"}, older...),
		buildFamily("gpu3", []string{"de-fra-1"}, size{"small", 12, 56 * gib, 1}, size{"medium", 24, 120 * gib, 2},
			size{"large", 48, 224 * gib, 4}, size{"huge", 96, 448 * gib, 8}),
		buildFamily("gpua5000", []string{"at-vie-2"}, vienna...),
		buildFamily("gpu3080ti", []string{"at-vie-2"}, vienna...),
		buildFamily("gpurtx6000pro", []string{"ch-dk-2", "de-fra-1", "hr-zag-1"}, size{"small", 36, 120 * gib, 1},
			size{"medium", 72, 240 * gib, 2}, size{"large", 144, 480 * gib, 4}, size{"huge", 248, 960 * gib, 8}),
		buildFamily("gpub300", []string{"ch-gva-2"}, size{"huge", 248, 2560 * gib, 8}),
	)
}

func buildFamily(name string, zones []string, sizes ...size) []Type {
	var types []Type
	for _, s := range sizes {
		types = append(types, Type{
			ID: generateTypeID(name, s.name), Family: name, Size: s.name, CPUs: s.cpus, Memory: s.memory << 20, GPUs: s.gpu,
			Authorized: s.gpu == 0, // a new organization has to request GPUs
			Zones:      zones,
		})
	}
	return types
}

func generateTypeID(family, size string) string {
	known := map[string]string{
		"micro": "71004023-bb72-4a97-b1e9-bc66dfce9470", "tiny": "b6cd1ff5-3a2f-4e9d-a4d1-8988c1191fe8",
		"small": "21624abb-764e-4def-81d7-9fc54b5957fb", "medium": "b6e9d1e8-89fc-4db3-aaa4-9b4c5b1d0844",
		"large": "c6f99499-7f59-4138-9427-a09db13af2bc", "extra-large": "350dc5ea-fe6d-42ba-b6c0-efb8b75617ad",
		"huge": "a216b0d1-370f-4e21-a0eb-3dfc6302b564",
	}
	if id, ok := known[size]; ok && family == "standard" {
		return id
	}
	return resource.StableID("instance-type/" + family + "." + size)
}

// MaxDiskSize is the limit of the official description, in GiB.
const MaxDiskSize = 51200

// RootDiskLimit returns the largest root disk of a type in GiB, as documented for the common families.
func (t Type) RootDiskLimit() int64 {
	switch t.Family {
	case "standard", "cpu", "memory":
	default:
		return MaxDiskSize // those of other families are not known
	}
	switch t.Size {
	case "micro":
		return 200
	case "tiny", "small", "medium", "large":
		return 400
	case "extra-large", "huge", "mega":
		return 800
	case "titan", "jumbo":
		return 1600
	}
	return MaxDiskSize // newer sizes: not known
}
