package gobinary

import (
	"debug/elf"
	"encoding/binary"
	"io"

	"slowpath.dev/decode/internal/inputerror"
)

const (
	headerBytes        = 64
	programHeaderBytes = 56
	maxProgramHeaders  = 256
	dynamicBytes       = 16
	relocationBytes    = 24
	tagRela            = 7
	tagRelaSize        = 8
	relativeAMD64      = 8
	relativeARM64      = 1027
)

// segment is a part of the file that is loaded at an address.
type segment struct {
	addr   uint64
	offset uint64 // in the file
	data   []byte
}

// place is where a segment is in the file and in memory.
type place struct {
	Addr   uint64 `json:"addr"`
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
}

func (img *image) places() []place {
	places := make([]place, len(img.segments))
	for i, part := range img.segments {
		places[i] = place{part.addr, part.offset, uint64(len(part.data))}
	}
	return places
}

// image is the executable as the kernel would load it. Section headers are not
// used: they can be absent.
type image struct {
	arch        string
	segments    []segment
	relocations []byte // of .rela.dyn
	relative    uint32 // type of a relocation whose value is its addend
}

// readImage reads headers and loaded segments.
func readImage(file io.ReaderAt, size int64, limits Limits) (*image, error) {
	header := make([]byte, headerBytes)
	if size < headerBytes {
		return nil, inputerror.New("not-elf", "The file has %d bytes, less than the header of an ELF executable.", size).
			WithLimit(headerBytes, size, "bytes")
	}
	if _, err := file.ReadAt(header, 0); err != nil {
		return nil, err
	}
	img, err := newImage(header)
	if err != nil {
		return nil, err
	}
	headers, err := programHeaders(file, size, header)
	if err != nil {
		return nil, err
	}
	if err := img.load(file, size, headers, limits); err != nil {
		return nil, err
	}
	img.findRelocations(headers)
	return img, nil
}

// newImage checks the file header.
func newImage(header []byte) (*image, error) {
	if string(header[:4]) != elf.ELFMAG {
		return nil, inputerror.New("not-elf", "Functions are read of ELF executables (Linux) only. Build with GOOS=linux.")
	}
	if class, data := elf.Class(header[elf.EI_CLASS]), elf.Data(header[elf.EI_DATA]); class != elf.ELFCLASS64 || data != elf.ELFDATA2LSB {
		return nil, inputerror.New("unsupported-executable", "The executable is %v, %v; read are 64-bit little-endian ones. Build for amd64 or arm64.", class, data)
	}
	switch machine := elf.Machine(binary.LittleEndian.Uint16(header[18:])); machine {
	case elf.EM_X86_64:
		return &image{arch: "amd64", relative: relativeAMD64}, nil
	case elf.EM_AARCH64:
		return &image{arch: "arm64", relative: relativeARM64}, nil
	default:
		return nil, inputerror.New("unsupported-executable", "The executable is for %v; read are amd64 and arm64. Build with GOARCH=amd64 or arm64.", machine)
	}
}

// programHeaders returns the program headers, whole ones only.
func programHeaders(file io.ReaderAt, size int64, header []byte) ([]byte, error) {
	at, each, count := binary.LittleEndian.Uint64(header[32:]), binary.LittleEndian.Uint16(header[54:]), binary.LittleEndian.Uint16(header[56:])
	if each != programHeaderBytes || count > maxProgramHeaders {
		return nil, inputerror.New("damaged-executable", "The executable has %d program headers of %d bytes; at most %d of %d bytes are read. Upload the file that the linker wrote.",
			count, each, maxProgramHeaders, programHeaderBytes).WithLimit(maxProgramHeaders, int64(count), "headers")
	}
	length := int64(count) * programHeaderBytes
	if at > uint64(size) || int64(at) > size-length {
		return nil, inputerror.New("damaged-executable", "The program headers end at byte %d of %d. Upload the whole file.", at+uint64(length), size).
			WithLimit(size, int64(min(at, 1<<62))+length, "bytes")
	}
	return readPart(file, int64(at), length)
}

// readPart reads a part that is known to be inside the file; a part without bytes
// can be at its end.
func readPart(file io.ReaderAt, offset, length int64) ([]byte, error) {
	data := make([]byte, length)
	if length == 0 {
		return data, nil
	}
	_, err := file.ReadAt(data, offset)
	return data, err
}

// load reads the segments that are loaded.
func (img *image) load(file io.ReaderAt, size int64, headers []byte, limits Limits) error {
	left := min(size, limits.Loaded)
	for ; len(headers) > 0; headers = headers[programHeaderBytes:] {
		if elf.ProgType(binary.LittleEndian.Uint32(headers)) != elf.PT_LOAD {
			continue
		}
		offset, addr, length := binary.LittleEndian.Uint64(headers[8:]), binary.LittleEndian.Uint64(headers[16:]), binary.LittleEndian.Uint64(headers[32:])
		if offset > uint64(size) || length > uint64(size)-offset || addr > 1<<63 {
			return inputerror.New("damaged-executable", "A segment of %d bytes at byte %d reaches outside the file of %d bytes. Upload the whole file.", length, offset, size).
				WithLimit(size, int64(min(offset, 1<<61))+int64(min(length, 1<<61)), "bytes")
		}
		if int64(length) > left {
			return inputerror.New("executable-too-large", "The loaded segments have more than %d bytes. Upload a smaller executable or raise the limit.", min(size, limits.Loaded)).
				WithLimit(min(size, limits.Loaded), min(size, limits.Loaded)-left+int64(length), "bytes")
		}
		left -= int64(length)
		data, err := readPart(file, int64(offset), int64(length))
		if err != nil {
			return err
		}
		img.segments = append(img.segments, segment{addr, offset, data})
	}
	return nil
}

// findRelocations finds the relocations that the dynamic section names.
func (img *image) findRelocations(headers []byte) {
	for ; len(headers) > 0; headers = headers[programHeaderBytes:] {
		if elf.ProgType(binary.LittleEndian.Uint32(headers)) == elf.PT_DYNAMIC {
			addr, size := relocationTable(img.from(binary.LittleEndian.Uint64(headers[16:])))
			relocations := img.from(addr)
			img.relocations = relocations[:min(uint64(len(relocations)), size)]
		}
	}
}

// relocationTable returns where the dynamic section says that relocations are.
func relocationTable(dynamic []byte) (addr, size uint64) {
	for ; len(dynamic) >= dynamicBytes; dynamic = dynamic[dynamicBytes:] {
		switch value := binary.LittleEndian.Uint64(dynamic[8:]); binary.LittleEndian.Uint64(dynamic) {
		case tagRela:
			addr = value
		case tagRelaSize:
			size = value
		case 0:
			return addr, size
		}
	}
	return addr, size
}

// from returns the bytes from an address to the end of its segment; none for an
// address that is not loaded.
func (img *image) from(addr uint64) []byte {
	for _, part := range img.segments {
		if addr >= part.addr && addr-part.addr < uint64(len(part.data)) {
			return part.data[addr-part.addr:]
		}
	}
	return nil
}

// eachRelative visits the relocations whose value is their addend.
func (img *image) eachRelative(visit func(offset, addend uint64)) {
	for rest := img.relocations; len(rest) >= relocationBytes; rest = rest[relocationBytes:] {
		if uint32(binary.LittleEndian.Uint64(rest[8:])) == img.relative {
			visit(binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[16:]))
		}
	}
}
