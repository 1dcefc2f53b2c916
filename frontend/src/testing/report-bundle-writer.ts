const PREFIX = 4;
const FORMAT = 'slowpath.recording/1';

/** Packs a report bundle as the server does. */
export function writeReportBundle(
  report: unknown,
  answers: { block: string; request: string; mediaType: string; bytes: Uint8Array }[],
): ArrayBuffer {
  let offset = 0;
  const places = answers.map(({ block, request, mediaType, bytes }) => {
    const place = {
      block,
      request,
      status: 200,
      media_type: mediaType,
      offset,
      length: bytes.length,
    };
    offset += bytes.length;
    return place;
  });
  const header = new TextEncoder().encode(
    JSON.stringify({ format: FORMAT, report, answers: places }),
  );
  const packed = new Uint8Array(PREFIX + header.length + offset);
  new DataView(packed.buffer).setUint32(0, header.length, true);
  packed.set(header, PREFIX);
  answers.forEach(({ bytes }, index) =>
    packed.set(bytes, PREFIX + header.length + (places[index]?.offset ?? 0)),
  );
  return packed.buffer;
}
