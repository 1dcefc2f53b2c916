package calltree

import (
	"fmt"

	"slowpath.dev/decode/internal/inputerror"
	"slowpath.dev/decode/internal/profilefile"
	"slowpath.dev/decode/internal/symbolkey"
)

// maxHeader bounds the bytes of the texts in the header: many entries may refer
// to one long string, and each is written out.
const maxHeader = 16 << 20

// readHeader fills what the header takes straight from the input, and
// the kind as far as sample types show it.
func (b *builder) readHeader() error {
	t, h := b.table, &b.file.Header
	h.Source = b.options.Source
	h.Warnings = []string{}
	h.Counts.Samples = int64(t.RowLabelset.Len())
	h.Counts.Locations = int64(t.Locations.Len())
	h.Counts.Functions = int64(t.Functions.Len())
	texts := newTexts(&t.Strings)
	b.dictionary.texts = texts
	size := int64(0)
	text := func(i int64) string {
		size += int64(len(texts.at(i)))
		return texts.at(i)
	}
	h.SampleTypes = make([]profilefile.ValueType, len(t.SampleTypes))
	unit := func(i int64) string { return symbolkey.Unit(text(i)) }
	for i, v := range t.SampleTypes {
		h.SampleTypes[i] = profilefile.ValueType{Type: unit(v.Type), Unit: unit(v.Unit)}
	}
	b.defaultSampleType = unit(t.DefaultSampleType)
	h.DefaultSampleType = max(0, len(h.SampleTypes)-1) // as pprof: the last one
	for i, v := range h.SampleTypes {
		if v.Type == b.defaultSampleType {
			h.DefaultSampleType = i
			break
		}
	}
	h.Period, h.TimeNs, h.DurationNs = t.Period, t.TimeNs, t.DurationNs
	h.PeriodType = profilefile.ValueType{Type: unit(t.PeriodType.Type), Unit: unit(t.PeriodType.Unit)}
	h.DropFrames, h.KeepFrames = text(t.DropFrames), text(t.KeepFrames)
	h.Mappings = []profilefile.Mapping{}
	for _, m := range t.Mappings {
		h.Mappings = append(h.Mappings, profilefile.Mapping{File: text(m.File), BuildID: text(m.BuildID)})
	}
	h.Comments = []string{}
	for _, comment := range t.Comments {
		h.Comments = append(h.Comments, text(comment))
	}
	h.Kind = b.kind()
	if size > maxHeader {
		return inputerror.New("header-too-large", "Comments, mappings and sample types of this profile take %d bytes. No profiler writes that much: the file is damaged.", size).
			WithLimit(maxHeader, size, "bytes")
	}
	return nil
}

// finishHeader settles what needed the stacks.
func (b *builder) finishHeader() error {
	h := &b.file.Header
	if h.Kind == kindContention {
		h.Kind = b.contentionKind()
	}
	return nil
}

// checkTexts refuses names that are not UTF-8, or warns about what was replaced.
func (b *builder) checkTexts() error {
	texts := b.dictionary.texts
	broken := len(texts.invalid)
	if broken > 0 && b.options.RefuseBadText {
		return inputerror.New("invalid-utf8", "%s not UTF-8, which the format requires: the file is damaged, or a tool wrote names without encoding them. Record the profile again, or repair its string table.",
			plural(broken, "name")).WithLimit(0, int64(broken), "strings")
	}
	if broken > 0 {
		b.warn("invalid-utf8", "Some names had bytes that are not UTF-8; each such byte was replaced by U+FFFD.")
	}
	if cut := b.table.Strings.Cut(); cut > 0 {
		b.warn("long-names", fmt.Sprintf("%s longer than %d bytes; only the beginning is shown.", plural(int(cut), "name or label value"), b.options.Limits.Text))
	}
	if texts.nuls > 0 {
		b.warn("nul-in-names", "Some names held NUL; each was replaced by U+FFFD.")
	}
	return nil
}

func (b *builder) noSamples() error {
	h := &b.file.Header
	advice := "Was the program idle, or the profiler off?"
	switch h.Kind {
	case "cpu":
		advice = "The program used no CPU while it was taken: take it under load, and for at least 10 seconds."
	case kindContention, "mutex", "block":
		advice = "Mutex and block profiles stay empty until the program calls runtime.SetMutexProfileFraction or runtime.SetBlockProfileRate."
	case "heap", "allocs":
		advice = "Is runtime.MemProfileRate 0?"
	}
	return inputerror.New("no-samples", "The profile holds no samples, so there is nothing to compare. %s", advice).
		WithLimit(1, 0, "samples")
}

func (b *builder) warn(slug, sentence string) {
	h := &b.file.Header
	h.Warnings = append(h.Warnings, slug+": "+sentence)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}
