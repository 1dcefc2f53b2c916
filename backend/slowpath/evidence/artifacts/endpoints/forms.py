"""Parser of multipart bodies in a thread: files are spooled to disk, all fields share one size limit."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from anyio import to_thread
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from slowpath.evidence.artifacts.errors import MalformedBody
from slowpath.platform.http.request_bodies import SpooledBody

MAX_FILES: Final = 200
MAX_FIELDS: Final = 20
PIECE_BYTES: Final = 1 << 16
DISPOSITION: Final = b"content-disposition"


class FormReader:
    """Incremental reader of a multipart form. Call `close` to delete its files."""

    def __init__(self, content_type: str, scratch: Path | None, fields_bytes: int) -> None:
        """Create a reader for a content type. Raises `MalformedBody`."""
        _, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if not boundary:
            raise _malformed("it has no boundary")
        self.files: list[tuple[str, str, SpooledBody]] = []
        """Name of the part, name of the file, bytes."""
        self.fields: dict[str, str] = {}
        self._scratch = scratch
        self._fields_bytes = fields_bytes
        self._n_fields = 0
        self._header = (bytearray(), bytearray())
        self._disposition = b""
        self._name = ""
        self._file: SpooledBody | None = None
        self._text = bytearray()
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_field": self._add_header_name,
                    "on_header_value": self._add_header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._open,
                    "on_part_data": self._add,
                    "on_part_end": self._end,
                },
            )
        except FormParserError as error:
            raise _malformed(str(error)) from error

    async def read(self, body: AsyncIterator[bytes]) -> None:
        """Read the complete body. Raises `MalformedBody`, `Unavailable`, and errors of the body."""
        waiting = bytearray()
        async for chunk in body:
            waiting += chunk
            if len(waiting) >= PIECE_BYTES:
                await to_thread.run_sync(self._write, bytes(waiting))
                waiting.clear()
        await to_thread.run_sync(self._write, bytes(waiting))
        await to_thread.run_sync(self._finish)

    def close(self) -> None:
        """Delete the spooled files."""
        for _, _, file in self.files:
            file.close()

    def _write(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except (FormParserError, UnicodeError) as error:
            raise _malformed(str(error)) from error

    def _finish(self) -> None:
        try:
            self._parser.finalize()
        except FormParserError as error:
            raise _malformed(str(error)) from error

    def _begin(self) -> None:
        self._disposition = b""

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header[0].extend(data[start:end])

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header[1].extend(data[start:end])

    def _end_header(self) -> None:
        name, value = self._header
        if bytes(name).lower() == DISPOSITION:
            self._disposition = bytes(value)
        name.clear()
        value.clear()

    def _open(self) -> None:
        _, options = parse_options_header(self._disposition)
        if b"name" not in options:
            raise _malformed("a part has no name")
        self._name = options[b"name"].decode()
        if b"filename" not in options:
            self._n_fields += 1
            if self._n_fields > MAX_FIELDS:
                raise _malformed(f"it has more than {MAX_FIELDS} fields")
            return
        if len(self.files) >= MAX_FILES:
            raise _malformed(f"it has more than {MAX_FILES} files")
        self._file = SpooledBody(self._scratch)
        self.files.append((self._name, options[b"filename"].decode() or "unnamed", self._file))

    def _add(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
            return
        self._fields_bytes -= end - start
        if self._fields_bytes < 0:
            raise _malformed("its fields exceed the size limit")
        self._text += data[start:end]

    def _end(self) -> None:
        if self._file is None:
            self.fields[self._name] = self._text.decode()
        self._file = None
        self._text.clear()


def _malformed(why: str) -> MalformedBody:
    return MalformedBody(f"The multipart body cannot be parsed: {why}.", remedy="Check its boundary.")
