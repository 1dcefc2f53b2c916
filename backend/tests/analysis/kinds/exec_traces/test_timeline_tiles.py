"""Tiles cut out of a decoded trace: no segment is lost or doubled, and each tile has its numbers."""

import json

import numpy as np
from pydantic import TypeAdapter

from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.exec_traces.timeline_tiles import TimelineTileHeader, cut_tiles
from tests.analysis.kinds.exec_traces.generated_traces import GeneratedWaiter, file_of


def test_tiles_hold_all_segments_once_and_name_their_classes() -> None:
    columns = read_columns(
        file_of([GeneratedWaiter("main.batcher", "network")], np.random.default_rng(1)), "slowpath.trace"
    )
    tiles = list(cut_tiles(columns))
    assert tiles

    segments = 0
    for tile in tiles:
        read = read_columns(tile.content, "slowpath.trace-tile")
        TypeAdapter(TimelineTileHeader).validate_json(json.dumps(read.header), strict=True)
        of_class = read.column("segment_class", "u32")
        segments += len(of_class)
        assert (read.header["index"], read.header["level"], read.header["number"]) == (
            tile.index,
            tile.level,
            tile.number,
        )
        assert tile.number < read.header["numbers"]
        assert len(of_class) == 0 or of_class.max() < len(read.header["classes"])
        assert read.header["wait_start_ns"] <= read.header["wait_end_ns"]
    assert segments == len(columns.column("segment_class", "u32"))
    assert len({(tile.index, tile.level, tile.number) for tile in tiles}) == len(tiles)
