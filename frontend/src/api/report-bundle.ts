/** The format of a report bundle: one header, then the bytes of all responses. */
import type { RecordedResponse, RecordedResponses } from './snapshot-requests';

/** The number of bytes that contain the length of the header (u32, little-endian). */
const PREFIX = 4;
const FORMAT = 'slowpath.recording/1';

type AnswerPlace = {
  block: string;
  request: string;
  status: number;
  media_type: string;
  offset: number;
  length: number;
};

/** @typeParam Report the fields of the report */
export type ReportBundle<Report> = {
  report: Report;
  answersOf: (block: string) => RecordedResponses;
};

const NONE: RecordedResponses = new Map();

/**
 * Reads a report bundle. The bytes of the responses are views of the buffer, not copies.
 * @throws Error when the buffer is not a report bundle, or is truncated
 */
export function readReportBundle<Report>(packed: ArrayBuffer): ReportBundle<Report> {
  const bytes = new Uint8Array(packed);
  const length = bytes.length < PREFIX ? -1 : new DataView(packed).getUint32(0, true);
  const from = PREFIX + length;
  if (length < 0 || from > bytes.length) throw new Error('The report bundle is truncated.');
  const header = headerOf(bytes.subarray(PREFIX, from));
  const blocks = new Map<string, Map<string, RecordedResponse>>();
  for (const place of header.answers) {
    const end = from + place.offset + place.length;
    if (place.offset < 0 || place.length < 0 || end > bytes.length)
      throw new Error('The report bundle is truncated.');
    const known = blocks.get(place.block) ?? new Map<string, RecordedResponse>();
    known.set(place.request, {
      status: place.status,
      mediaType: place.media_type,
      bytes: bytes.subarray(from + place.offset, end),
    });
    blocks.set(place.block, known);
  }
  return { report: header.report as Report, answersOf: (block) => blocks.get(block) ?? NONE };
}

function headerOf(bytes: Uint8Array): { report: unknown; answers: AnswerPlace[] } {
  const header = JSON.parse(new TextDecoder().decode(bytes)) as {
    format?: unknown;
    report: unknown;
    answers: AnswerPlace[];
  };
  if (header.format !== FORMAT || !Array.isArray(header.answers))
    throw new Error('This page cannot read the format of the report bundle. Reload the page.');
  return header;
}
