package acmedns

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"

	"exoshift/internal/simcloud/server"
)

const maxBody = 64 << 10

// Handler serves the API.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /register", s.serveRegister)
	mux.HandleFunc("POST /update", s.serveUpdate)
	return mux
}

func (s *Server) serveRegister(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		AllowFrom []string `json:"allowfrom"`
	}
	if err := decode(r, &wanted); err != nil {
		writeError(w, http.StatusBadRequest, "malformed_json_payload")
		return
	}
	for _, text := range wanted.AllowFrom {
		if _, err := netip.ParsePrefix(text); err != nil {
			writeError(w, http.StatusBadRequest, "invalid_allowfrom_cidr")
			return
		}
	}
	made, password, err := s.register(wanted.AllowFrom)
	if err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	server.WriteJSON(w, http.StatusCreated, map[string]any{"username": made.User, "password": password, "fulldomain": made.Subdomain + "." + s.zone,
		"subdomain": made.Subdomain, "allowfrom": append([]string{}, made.AllowFrom...)})
}

func (s *Server) serveUpdate(w http.ResponseWriter, r *http.Request) {
	var wanted struct{ Subdomain, TXT string }
	if err := decode(r, &wanted); err != nil {
		writeError(w, http.StatusBadRequest, "malformed_json_payload")
		return
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	found, ok := s.findAccount(wanted.Subdomain, r.Header.Get("X-Api-User"), r.Header.Get("X-Api-Key"), from.Addr())
	switch {
	case !ok:
		writeError(w, http.StatusUnauthorized, "forbidden")
	case !challenge.MatchString(wanted.TXT):
		writeError(w, http.StatusBadRequest, "bad_txt")
	default:
		if err := s.update(found, wanted.TXT); err != nil {
			writeError(w, http.StatusInternalServerError, err.Error())
			return
		}
		server.WriteJSON(w, http.StatusOK, map[string]string{"txt": wanted.TXT})
	}
}

// decode accepts an empty body.
func decode(r *http.Request, into any) error {
	err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(into)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func writeError(w http.ResponseWriter, status int, reason string) {
	server.WriteJSON(w, status, map[string]string{"error": reason})
}
