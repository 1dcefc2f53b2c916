// Package archive unpacks zip and tar archives of uploaded files.
//
// An archive is hostile: names are never used as paths, links are not followed,
// and what comes out is bounded by count, by size of each file and of all, and
// by how much of it one packed byte may become.
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/sniff"
)

// Limits bounds what comes out of an archive.
type Limits struct {
	Entries int64 // entries of the archive, unpacked or not
	File    int64 // unpacked bytes of one file; a larger one is skipped
	Total   int64 // unpacked bytes of all files
	Ratio   int64 // unpacked bytes for each byte of the archive, above ratioGrace
}

// ratioGrace is how much may come out before the ratio is examined.
const ratioGrace = 8 << 20

// maxPath bounds the path of an entry that is reported.
const maxPath = 1024

// Member is a file that was unpacked.
type Member struct {
	Path      string `json:"path"` // in the archive, with slashes; for display only
	File      string `json:"file"` // name in the folder of the output
	SizeBytes int64  `json:"size_bytes"`
	SHA256    string `json:"sha256"`
}

// Skipped is a file that was not unpacked.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // stable machine name
}

// Contents is what an archive holds.
type Contents struct {
	Members []Member  `json:"members"`
	Skipped []Skipped `json:"skipped"`
}

// Reasons for which a file is skipped.
const (
	ReasonNested      = "nested-archive"
	ReasonTooLarge    = "too-large"
	ReasonLink        = "not-a-regular-file"
	ReasonEmpty       = "empty"
	ReasonEncrypted   = "encrypted"
	ReasonCompression = "unknown-compression"
	ReasonDamaged     = "damaged"
)

// Unpack writes the files of a zip or tar archive to a folder under numbers, and
// returns what they are. Errors about the input are *inputerror.InputError.
func Unpack(name, folder string, limits Limits) (Contents, error) {
	in, err := os.Open(name)
	if err != nil {
		return Contents{}, fmt.Errorf("opening the archive: %w", err)
	}
	defer in.Close()
	stat, err := in.Stat()
	if err != nil {
		return Contents{}, fmt.Errorf("reading the archive: %w", err)
	}
	found, err := sniff.Read(in)
	if err != nil {
		return Contents{}, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return Contents{}, fmt.Errorf("reading the archive: %w", err)
	}
	u := &unpacker{folder: folder, limits: limits, packed: stat.Size(), contents: Contents{Members: []Member{}, Skipped: []Skipped{}}}
	switch found.Kind {
	case sniff.Zip:
		err = u.zip(in, stat.Size())
	case sniff.Tar:
		err = u.tar(in)
	default:
		err = inputerror.New("not-an-archive", "The file is neither a zip nor a tar archive.")
	}
	if err != nil {
		return Contents{}, err
	}
	if len(u.contents.Members) == 0 {
		return Contents{}, u.nothing()
	}
	return u.contents, nil
}

type unpacker struct {
	folder   string
	limits   Limits
	packed   int64
	total    int64
	entries  int64
	contents Contents
}

// entry is one file of an archive; open returns its unpacked bytes.
type entry struct {
	path string
	open func() (io.Reader, error)
}

func (u *unpacker) count() error {
	u.entries++
	if u.entries > u.limits.Entries {
		return inputerror.New("too-many-files", "The archive has more than %d entries. Split it.", u.limits.Entries).
			WithLimit(u.limits.Entries, u.entries, "files")
	}
	return nil
}

// add unpacks one regular file, or records why it is skipped.
func (u *unpacker) add(e entry) error {
	if isClutter(e.path) {
		return nil
	}
	in, err := e.open()
	if err != nil {
		return u.skipFault(e, err)
	}
	member := Member{Path: shorten(e.path), File: fmt.Sprintf("%06d", len(u.contents.Members))}
	out := filepath.Join(u.folder, member.File)
	err = u.copy(in, out, &member)
	reason := ""
	switch {
	case errors.Is(err, errTooLarge):
		reason = ReasonTooLarge
	case err != nil:
		_ = os.Remove(out)
		return u.skipFault(e, err)
	case member.SizeBytes == 0:
		reason = ReasonEmpty
	default:
		if nested, err := isArchive(out); err != nil {
			return err
		} else if nested {
			reason = ReasonNested
		}
	}
	if reason != "" {
		u.skip(e.path, reason)
		if err := os.Remove(out); err != nil {
			return fmt.Errorf("removing a skipped file: %w", err)
		}
		return nil
	}
	u.contents.Members = append(u.contents.Members, member)
	return nil
}

var errTooLarge = errors.New("the file is larger than allowed")

// copy writes one file and computes its hash.
func (u *unpacker) copy(in io.Reader, name string, member *Member) error {
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing a file: %w", err)
	}
	defer out.Close()
	sum := sha256.New()
	buffer := make([]byte, 256<<10)
	for {
		n, readErr := in.Read(buffer)
		member.SizeBytes += int64(n)
		u.total += int64(n)
		if err := u.bound(); err != nil {
			return err
		}
		if member.SizeBytes > u.limits.File {
			return errTooLarge
		}
		sum.Write(buffer[:n])
		if _, err := out.Write(buffer[:n]); err != nil {
			return fmt.Errorf("writing a file: %w", err)
		}
		if errors.Is(readErr, io.EOF) {
			member.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return out.Close()
		}
		if readErr != nil {
			return readErr
		}
	}
}

// bound refuses the whole archive when too much comes out of it.
func (u *unpacker) bound() error {
	if u.total > u.limits.Total {
		return inputerror.New("unpacked-too-large", "The files of the archive have more than %d bytes together. Split it.", u.limits.Total).
			WithLimit(u.limits.Total, u.total, "bytes")
	}
	if u.total > ratioGrace && u.total/u.limits.Ratio > u.packed {
		return inputerror.New("compression-ratio", "Every byte of this archive becomes more than %d unpacked ones: this is a decompression bomb. Upload its files without an archive if you trust it.", u.limits.Ratio).
			WithLimit(u.limits.Ratio, u.total/max(1, u.packed), "ratio")
	}
	return nil
}

// skipFault skips a file that cannot be unpacked; an error about the whole archive, or of ours, ends it.
func (u *unpacker) skipFault(e entry, err error) error {
	var bad *inputerror.InputError
	var ours *os.PathError
	if errors.As(err, &bad) || errors.As(err, &ours) {
		return err
	}
	u.skip(e.path, reasonOf(err))
	return nil
}

func (u *unpacker) skip(name, reason string) {
	u.contents.Skipped = append(u.contents.Skipped, Skipped{shorten(name), reason})
}

func (u *unpacker) nothing() error {
	if len(u.contents.Skipped) == 0 {
		return inputerror.New("empty-archive", "The archive has no files.").WithLimit(1, 0, "files")
	}
	first := u.contents.Skipped[0]
	return inputerror.New("nothing-unpacked", "None of the %d files in the archive can be unpacked; the first, %s: %s.",
		len(u.contents.Skipped), first.Path, strings.ReplaceAll(first.Reason, "-", " ")).WithLimit(1, 0, "files")
}

// isArchive tells whether an unpacked file is an archive itself.
func isArchive(name string) (bool, error) {
	in, err := os.Open(name)
	if err != nil {
		return false, fmt.Errorf("reading an unpacked file: %w", err)
	}
	defer in.Close()
	found, err := sniff.Read(in)
	if err != nil {
		return false, err
	}
	return found.Kind == sniff.Zip || found.Kind == sniff.Tar, nil
}

// isClutter tells whether an entry is what file managers add to archives.
func isClutter(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._") || base == ".DS_Store" || base == "Thumbs.db" || base == "desktop.ini"
}

// shorten returns a path as valid text of a bounded length; its end, which names the file, is preserved.
func shorten(name string) string {
	text := strings.ToValidUTF8(strings.ReplaceAll(name, "\\", "/"), "\uFFFD")
	if len(text) <= maxPath {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-maxPath:], "")
}
