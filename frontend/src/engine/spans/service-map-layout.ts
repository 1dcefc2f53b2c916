/**
 * Layout of the service map: callees are below their callers, in layers by depth. Lines over
 * several layers go around the services between them, and those to one service share a lane.
 * Services without calls are in rows below the others. The algorithm is simple, as there are a few
 * hundred services at most.
 */

export type MapEdge = { from: string; to: string };

export type MapPoint = { x: number; y: number };

type MapLayout = {
  width: number;
  height: number;
  nodes: Map<string, MapPoint & { layer: number }>;
  /** For each edge, points from the lower side of the caller to the upper side of the callee. */
  lines: MapPoint[][];
  /** Indexes of edges that do not lead to a lower layer: calls in a cycle. */
  back: Set<number>;
};

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 46;
const NODE_GAP = 22;
const LAYER_HEIGHT = 112;
const LANE_WIDTH = 34;
const MARGIN = 12;
const PASSES = 6;
/** A row of services without calls has space for at least this many: the width of a page. */
const LEAST_IN_ROW = 6;

type Item = { id: string; width: number; x: number; above: Item[]; below: Item[] };

/**
 * @param ids all services in the order of requests; in a cycle, the first service is on top
 */
export function layOutServiceMap(ids: readonly string[], edges: readonly MapEdge[]): MapLayout {
  const alone = withoutCalls(ids, edges);
  const map = layersLayout(
    ids.filter((id) => !alone.has(id)),
    edges,
  );
  if (alone.size === 0) return map;
  const step = NODE_WIDTH + NODE_GAP;
  const inRow = Math.max(LEAST_IN_ROW, Math.floor((map.width - 2 * MARGIN + NODE_GAP) / step));
  const wide = 2 * MARGIN + Math.min(inRow, alone.size) * step - NODE_GAP;
  const width = Math.max(map.width, wide);
  const top = Math.max(map.height, MARGIN);
  const aside = (width - map.width) / 2;
  const left = (width - wide) / 2 + MARGIN + NODE_WIDTH / 2;
  const below = Math.max(0, ...[...map.nodes.values()].map(({ layer }) => layer + 1));
  const places = [...alone].map((id, at): [string, MapPoint & { layer: number }] => {
    const row = Math.floor(at / inRow);
    const y = top + row * (NODE_HEIGHT + NODE_GAP);
    return [id, { x: left + (at % inRow) * step, y, layer: below + row }];
  });
  const moved = ({ x, y }: MapPoint): MapPoint => ({ x: x + aside, y });
  return {
    width,
    height: top + Math.ceil(alone.size / inRow) * (NODE_HEIGHT + NODE_GAP) - NODE_GAP + MARGIN,
    nodes: new Map([
      ...[...map.nodes].map(([id, node]): (typeof places)[number] => [
        id,
        { ...node, ...moved(node) },
      ]),
      ...places,
    ]),
    lines: map.lines.map((line) => line.map(moved)),
    back: map.back,
  };
}

/** Returns the services that have no call to or from another drawn service. */
function withoutCalls(ids: readonly string[], edges: readonly MapEdge[]): Set<string> {
  const alone = new Set(ids);
  const known = new Set(ids);
  for (const { from, to } of edges) {
    if (from === to || !known.has(from) || !known.has(to)) continue;
    alone.delete(from);
    alone.delete(to);
  }
  return alone;
}

function layersLayout(ids: readonly string[], edges: readonly MapEdge[]): MapLayout {
  if (ids.length === 0) {
    return { width: 0, height: 0, nodes: new Map(), lines: edges.map(() => []), back: new Set() };
  }
  const layerOf = layersOf(ids, edges);
  const layers = Array.from({ length: Math.max(0, ...layerOf.values()) + 1 }, (): Item[] => []);
  const items = new Map<string, Item>();
  for (const id of ids) {
    const item: Item = { id, width: NODE_WIDTH, x: 0, above: [], below: [] };
    items.set(id, item);
    layers[layerOf.get(id)!]!.push(item);
  }
  const lanes = new Map<string, Item>();
  const back = new Set<number>();
  const ways = edges.map(({ from, to }, place): Item[] => {
    const [top, bottom] = [items.get(from), items.get(to)];
    if (!top || !bottom || from === to) return [];
    const [first, last] = [layerOf.get(from)!, layerOf.get(to)!];
    if (first >= last) {
      back.add(place);
      return [top, bottom];
    }
    const way = [top];
    for (let layer = first + 1; layer < last; layer++) {
      const name = `${layer} ${to}`;
      let lane = lanes.get(name);
      if (!lane) {
        lane = { id: '', width: LANE_WIDTH, x: 0, above: [], below: [] };
        lanes.set(name, lane);
        layers[layer]!.push(lane);
      }
      way.push(lane);
    }
    way.push(bottom);
    for (let at = 1; at < way.length; at++) {
      way[at - 1]!.below.push(way[at]!);
      way[at]!.above.push(way[at - 1]!);
    }
    return way;
  });
  const width = arrange(layers);
  return {
    width,
    height: MARGIN * 2 + (layers.length - 1) * LAYER_HEIGHT + NODE_HEIGHT,
    nodes: new Map(
      ids.map((id) => {
        const layer = layerOf.get(id)!;
        return [id, { x: items.get(id)!.x, y: MARGIN + layer * LAYER_HEIGHT, layer }];
      }),
    ),
    lines: ways.map((way) => pointsOf(way, layerOf)),
    back,
  };
}

/** Returns the layer of each service: its depth below the first caller, without edges of cycles. */
function layersOf(ids: readonly string[], edges: readonly MapEdge[]): Map<string, number> {
  const place = new Map(ids.map((id, at) => [id, at]));
  const callees = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const [above, below] = [place.get(from), place.get(to)];
    if (above === undefined || below === undefined || above >= below) continue;
    callees.set(from, [...(callees.get(from) ?? []), to]);
  }
  const layers = new Map(ids.map((id) => [id, 0]));
  for (const id of ids) {
    for (const callee of callees.get(id) ?? []) {
      layers.set(callee, Math.max(layers.get(callee)!, layers.get(id)! + 1));
    }
  }
  return layers;
}

/** Sets the x of the center of every item and returns the total width. */
function arrange(layers: Item[][]): number {
  for (let pass = 0; pass < PASSES; pass++) {
    const down = pass % 2 === 0;
    const order = down ? layers : layers.toReversed();
    for (const layer of order) {
      const places = new Map(
        layer.map((item, at) => [
          item,
          middleOf(down ? item.above : item.below) ?? item.x + at * 1e-6,
        ]),
      );
      layer.sort((a, b) => places.get(a)! - places.get(b)!);
      spread(layer);
    }
  }
  const widest = Math.max(0, ...layers.map(widthOf));
  for (const layer of layers) {
    for (const item of layer) item.x += MARGIN + widest / 2;
  }
  return widest + 2 * MARGIN;
}

function spread(layer: Item[]): void {
  let x = 0;
  for (const item of layer) {
    item.x = x + item.width / 2;
    x += item.width + NODE_GAP;
  }
  const half = widthOf(layer) / 2;
  // Layers are centered on each other, because items are sorted by positions in other layers.
  for (const item of layer) item.x -= half;
}

const widthOf = (layer: readonly Item[]): number =>
  layer.reduce((sum, { width }) => sum + width, 0) + NODE_GAP * Math.max(0, layer.length - 1);

function middleOf(items: readonly Item[]): number | null {
  if (items.length === 0) return null;
  return items.reduce((sum, { x }) => sum + x, 0) / items.length;
}

function pointsOf(way: readonly Item[], layerOf: ReadonlyMap<string, number>): MapPoint[] {
  const [top, bottom] = [way[0], way.at(-1)];
  if (!top || !bottom) return [];
  const first = layerOf.get(top.id)!;
  const last = layerOf.get(bottom.id)!;
  const upper = (layer: number) => MARGIN + layer * LAYER_HEIGHT;
  if (first >= last) {
    // The line goes up or stays in its layer, so it connects the right sides of both services.
    const right = NODE_WIDTH / 2;
    return [
      { x: top.x + right, y: upper(first) + NODE_HEIGHT / 2 },
      { x: bottom.x + right, y: upper(last) + NODE_HEIGHT / 2 },
    ];
  }
  const points = [{ x: top.x, y: upper(first) + NODE_HEIGHT }];
  for (let at = 1; at < way.length - 1; at++) {
    const y = upper(first + at);
    points.push({ x: way[at]!.x, y }, { x: way[at]!.x, y: y + NODE_HEIGHT });
  }
  points.push({ x: bottom.x, y: upper(last) });
  return points;
}
