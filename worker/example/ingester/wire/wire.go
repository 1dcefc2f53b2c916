// Package wire is the format in which batches travel: frames of samples, length-prefixed, one burst a request body.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// MaxFrameBytes bounds one batch; a longer prefix is refused before anything is read.
const MaxFrameBytes = 64 << 10

// MaxSamples bounds the samples of one batch.
const MaxSamples = 256

// ErrFrame is returned for a frame that does not hold what it announces.
var ErrFrame = errors.New("wire: damaged frame")

// Sample is one measured value of one series. ID points into the request's body and must be cloned to outlive it.
type Sample struct {
	ID     []byte
	TimeNs int64
	Value  float64
}

// AppendFrame appends one length-prefixed batch to dst.
func AppendFrame(dst []byte, sentNs int64, samples []Sample) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(sentNs))
	dst = binary.AppendUvarint(dst, uint64(len(samples)))
	for _, sample := range samples {
		dst = binary.AppendUvarint(dst, uint64(len(sample.ID)))
		dst = append(dst, sample.ID...)
		dst = binary.AppendVarint(dst, sample.TimeNs-sentNs)
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(sample.Value))
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// SentNs reads when the batch was sent (Unix nanoseconds).
func SentNs(frame []byte) int64 {
	if len(frame) < 8 {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(frame))
}

// Restamp overwrites the time a frame was sent; the feeder sends prepared frames again and again.
func Restamp(frame []byte, sentNs int64) {
	binary.LittleEndian.PutUint64(frame, uint64(sentNs))
}

// Decode returns the samples of one frame. IDs alias the frame.
func Decode(frame []byte) ([]Sample, error) {
	if len(frame) < 9 {
		return nil, ErrFrame
	}
	sent := SentNs(frame)
	rest := frame[8:]
	count, n := binary.Uvarint(rest)
	if n <= 0 || count > MaxSamples {
		return nil, fmt.Errorf("%w: %d samples announced, at most %d", ErrFrame, count, MaxSamples)
	}
	rest = rest[n:]
	samples := make([]Sample, 0, count)
	for range count {
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return nil, ErrFrame
		}
		id := rest[n : n+int(length)]
		rest = rest[n+int(length):]
		delta, n := binary.Varint(rest)
		if n <= 0 || len(rest) < n+8 {
			return nil, ErrFrame
		}
		value := math.Float64frombits(binary.LittleEndian.Uint64(rest[n:]))
		rest = rest[n+8:]
		samples = append(samples, Sample{ID: id, TimeNs: sent + delta, Value: value})
	}
	return samples, nil
}
