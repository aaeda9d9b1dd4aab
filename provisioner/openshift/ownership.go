package openshift

// fieldManager is who the API notes as the owner of what we write.
const fieldManager = "exoshift"
