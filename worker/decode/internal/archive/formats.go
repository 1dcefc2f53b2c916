package archive

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"slowpath.dev/decode/internal/decompress"
	"slowpath.dev/decode/internal/inputerror"
)

const (
	zipEncrypted = 0x1
	// zipDirectory bounds the bytes for which the directory of a zip archive is read: an entry costs 46 bytes at least.
	zipEntryBytes = 46
)

var errEncrypted = errors.New("encrypted")

func (u *unpacker) zip(in io.ReaderAt, size int64) error {
	if err := u.boundZipDirectory(in, size); err != nil {
		return err
	}
	archive, err := zip.NewReader(in, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are never used as paths
		return inputerror.New("damaged-zip", "The zip archive is damaged (%v). Fetch or copy it again.", err)
	}
	for _, file := range archive.File {
		if err := u.count(); err != nil {
			return err
		}
		mode := file.Mode()
		if mode.IsDir() {
			continue
		}
		if !mode.IsRegular() {
			u.skip(file.Name, ReasonLink)
			continue
		}
		if err := u.add(entry{file.Name, func() (io.Reader, error) { return openZip(file) }}); err != nil {
			return err
		}
	}
	return nil
}

func openZip(file *zip.File) (io.Reader, error) {
	if file.Flags&zipEncrypted != 0 {
		return nil, errEncrypted
	}
	return file.Open()
}

// boundZipDirectory refuses an archive that states more entries than allowed, before they are read into memory.
func (u *unpacker) boundZipDirectory(in io.ReaderAt, size int64) error {
	const endBytes, longestComment = 22, 1 << 16
	window := min(size, endBytes+longestComment)
	tail := make([]byte, window)
	if _, err := in.ReadAt(tail, size-window); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the archive: %w", err)
	}
	for at := len(tail) - endBytes; at >= 0; at-- {
		if string(tail[at:at+4]) == "PK\x05\x06" {
			directory := int64(tail[at+12]) | int64(tail[at+13])<<8 | int64(tail[at+14])<<16 | int64(tail[at+15])<<24
			if entries := min(directory, size) / zipEntryBytes; directory != 0xFFFFFFFF && entries > u.limits.Entries*1024 {
				return inputerror.New("too-many-files", "The directory of the archive has %d bytes, which is more than %d entries require. Split it.", directory, u.limits.Entries).
					WithLimit(u.limits.Entries, entries, "files")
			}
			return nil
		}
	}
	return nil
}

func (u *unpacker) tar(in io.Reader) error {
	unpacked, err := decompress.New(in, u.limits.Total+u.limits.Entries*2048, u.limits.Ratio)
	if err != nil {
		return err
	}
	defer unpacked.Close()
	archive := tar.NewReader(unpacked)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return tarFault(err)
		}
		if err := u.count(); err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
		case tar.TypeReg:
			if err := u.add(entry{header.Name, func() (io.Reader, error) { return archive, nil }}); err != nil {
				return err
			}
		default:
			u.skip(header.Name, ReasonLink)
		}
	}
}

func tarFault(err error) error {
	var bad *inputerror.InputError
	if errors.As(err, &bad) {
		return bad
	}
	return inputerror.New("damaged-tar", "The tar archive is damaged or incomplete (%v). Fetch or copy it again.", err)
}

// reasonOf names why one file cannot be unpacked.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, errEncrypted):
		return ReasonEncrypted
	case errors.Is(err, zip.ErrAlgorithm):
		return ReasonCompression
	}
	return ReasonDamaged
}
