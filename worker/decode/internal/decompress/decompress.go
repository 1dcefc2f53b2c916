// Package decompress reads gzip, zstd and plain input as a stream, never more of
// it than allowed.
package decompress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"slowpath.dev/decode/internal/inputerror"
)

// Encoding is how an input is packed.
type Encoding string

// The encodings known by their first bytes.
const (
	Gzip  Encoding = "gzip"
	Zstd  Encoding = "zstd"
	Plain Encoding = "plain"
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// zstdWindow bounds the memory that a zstd frame may ask for. The format
// allows terabytes; its own recommendation for decoders is 8 MiB, the command
// line tool writes up to 128 MiB with --long.
const zstdWindow = 128 << 20

// EncodingOf returns the encoding from the first bytes.
func EncodingOf(head []byte) Encoding {
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return Gzip
	case bytes.HasPrefix(head, zstdMagic):
		return Zstd
	}
	return Plain
}

// Reader returns the unpacked bytes of an input. Every error that it returns,
// io.EOF apart, is either a *inputerror.InputError or a failure to read.
type Reader struct {
	Encoding   Encoding
	inner      io.Reader
	zstd       *zstd.Decoder
	compressed *counter
	read       int64
	limit      int64
	ratio      int64
}

// counter counts the bytes that go through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ratioGrace is how much may come out before the ratio is examined: what is
// dangerous is large.
const ratioGrace = 8 << 20

const bufferSize = 64 << 10

// New begins to read. limit bounds the unpacked bytes, ratio how many of them
// may come from one packed byte.
func New(r io.Reader, limit, ratio int64) (*Reader, error) {
	counted := &counter{r: r}
	packed := bufio.NewReaderSize(counted, bufferSize)
	head, err := packed.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	if len(head) == 0 {
		return nil, inputerror.New("empty-file", "The file is empty. Was the download interrupted, or the disk full?").WithLimit(1, 0, "bytes")
	}
	u := &Reader{Encoding: EncodingOf(head), compressed: counted, limit: limit, ratio: ratio}
	switch u.Encoding {
	case Gzip:
		u.inner, err = newMembers(packed)
	case Zstd:
		u.zstd, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
		u.inner = u.zstd
	default: // err may mean that fewer than four bytes are there
		u.inner, err = packed, nil
	}
	if err != nil {
		return nil, u.describeFailure(err)
	}
	return u, nil
}

// gzipMembers reads gzip members one after the other, as gzip files may be joined,
// and distinguishes other bytes after a member from a damaged one.
type gzipMembers struct {
	*gzip.Reader
	packed  *bufio.Reader
	started int64
}

// maxMembers bounds how many members one file may be joined from: blocked gzip
// has one every 64 KiB, so a file at the limit of what may be unpacked has 16,384.
const maxMembers = 1 << 16

func newMembers(packed *bufio.Reader) (*gzipMembers, error) {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipMembers{z, packed, 1}, nil
}

// errTrailing reports that what follows a gzip member is not another.
var errTrailing = errors.New("bytes after the gzip stream")

// Read never returns nothing without an error, however many empty members follow
// each other: a buffered reader above would lose its patience.
func (m *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := m.Reader.Read(p)
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return n, err
		}
		next, peekErr := m.packed.Peek(len(gzipMagic))
		switch {
		case len(next) == 0:
			return n, firstError(ignoreEOF(peekErr), io.EOF)
		case !bytes.Equal(next, gzipMagic):
			return n, errTrailing
		case m.started >= maxMembers:
			return n, inputerror.New("too-many-members", "The file is joined from more than %d gzip streams. Decompress it and compress it once.", maxMembers).
				WithLimit(maxMembers, m.started+1, "members")
		}
		if err := m.Reset(m.packed); err != nil {
			return n, err
		}
		m.Multistream(false)
		m.started++
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Read implements io.Reader.
func (u *Reader) Read(p []byte) (int, error) {
	n, err := u.inner.Read(p)
	u.read += int64(n)
	if u.read > u.limit {
		return 0, u.tooLarge()
	}
	if u.read > ratioGrace && u.read/u.ratio > u.compressed.n {
		return 0, u.tooDense()
	}
	if err != nil && err != io.EOF {
		return n, u.describeFailure(err)
	}
	return n, err
}

// Unpacked returns how many bytes came out so far.
func (u *Reader) Unpacked() int64 { return u.read }

// Close frees what the decoder holds.
func (u *Reader) Close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

func (u *Reader) tooLarge() error {
	return inputerror.New("unpacked-too-large", "The file unpacks to more than %d bytes. Record a shorter profile, or raise --max-unpacked if you trust it.", u.limit).
		WithLimit(u.limit, u.read, "bytes").AtOffset(u.read)
}

func (u *Reader) tooDense() error {
	return inputerror.New("compression-ratio", "Every packed byte of this file becomes more than %d unpacked ones. Profiles pack 2 to 10 times, so this is a decompression bomb, or all zeros. If you trust it, unpack it and upload what comes out.", u.ratio).
		WithLimit(u.ratio, u.read/max(1, u.compressed.n), "ratio").AtOffset(u.read)
}

// describeFailure names what a decompressor complained about.
func (u *Reader) describeFailure(err error) error {
	var output *inputerror.InputError
	switch {
	case errors.As(err, &output):
		return output.AtOffset(u.read)
	case u.Encoding == Plain:
		return fmt.Errorf("reading the input: %w", err)
	case errors.Is(err, errTrailing):
		return inputerror.New("trailing-garbage", "After the end of the gzip stream come bytes that are not gzip. Was something appended to the file?").AtOffset(u.read)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return inputerror.New("truncated-"+string(u.Encoding), "The %s stream ends after %d unpacked bytes, before its end. The file was cut short: fetch or copy it again.", u.Encoding, u.read).
			WithActual(u.read, "bytes").AtOffset(u.read)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return inputerror.New("zstd-window", "The zstd stream requires a window above %d bytes. Pack it again without --long.", zstdWindow).
			WithLimit(zstdWindow, zstdWindow+1, "bytes").AtOffset(u.read)
	}
	return inputerror.New("damaged-"+string(u.Encoding), "The %s stream is damaged after %d unpacked bytes (%v). Fetch or copy the file again.", u.Encoding, u.read, err).
		WithActual(u.read, "bytes").AtOffset(u.read)
}
