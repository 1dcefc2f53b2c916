package quote

import (
	"io"
	"net/http"
	"sync"

	"quoter/cart"
	"quoter/meter"
)

const basketBytes = 64 << 10

// Handler answers baskets.
type Handler struct {
	quoter *Quoter
	meter  *meter.Meter
	rooms  sync.Pool
}

type room struct {
	body  []byte
	lines []cart.Line
}

// NewHandler answers baskets with quotes of a quoter.
func NewHandler(quoter *Quoter, meter *meter.Meter) *Handler {
	return &Handler{quoter: quoter, meter: meter, rooms: sync.Pool{New: func() any { return &room{body: make([]byte, basketBytes)} }}}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	room := h.rooms.Get().(*room)
	defer h.rooms.Put(room)
	read, err := io.ReadFull(r.Body, room.body)
	if err == nil {
		h.refuse(w, "the basket is larger than 64 KiB: split it", http.StatusRequestEntityTooLarge)
		return
	}
	if room.lines, err = cart.Parse(room.lines[:0], room.body[:read]); err != nil {
		h.refuse(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = w.Write(h.quoter.Quote(make([]byte, 0, 2*read+128), room.lines))
	h.meter.Quoted()
}

func (h *Handler) refuse(w http.ResponseWriter, why string, status int) {
	h.meter.Refused()
	http.Error(w, why, status)
}
