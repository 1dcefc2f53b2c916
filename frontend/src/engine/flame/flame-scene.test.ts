import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../testing/seeded-random';
import { drawnDiff, randomTree, writeParts, writeWhole } from '../../testing/diff-fixtures';
import type { Arranged } from './flame-model';
import { FlameModel } from './flame-model';
import { Scene, frameAtPlace, describeCollapsedFrames } from './flame-scene';
import type { FlameView } from './flame-view';
import { EMPTY_VIEW } from './flame-view';

function arranged(buffer: ArrayBuffer, change: Partial<FlameView> = {}): Arranged {
  const model = new FlameModel();
  model.open(buffer);
  return model.arrange({ ...EMPTY_VIEW, ...change })!;
}

/** Draws a viewport of a given width as text: one line per level, with frames and rests. */
function drawing(now: Arranged, widthPx: number, from = 0, to = 1): string {
  const scene = new Scene();
  const placement = now.sides[0]!.placements[0]!;
  const whole = placement.width[0]!;
  scene.fill(now.tables[0]!, placement, scalesOf(now), windowOf(whole, widthPx, from, to));
  const marks: { level: number; x: number; text: string }[] = [];
  for (let at = 0; at < scene.frames; at++) {
    const name = now.names.text(now.tables[0]!.name[scene.frameAt(at)]!);
    marks.push({
      level: scene.levelAt(at),
      x: scene.xAt(at),
      text: `${name}@${scene.xAt(at)}+${scene.widthAt(at)}`,
    });
  }
  for (let at = 0; at < scene.rests; at++) {
    const described = describeCollapsedFrames(now.tables[0]!, placement, scene.restAt(at));
    const text = `(${described.frames}: ${described.base} ${described.candidate})@${scene.restXAt(at)}+${scene.restWidthAt(at)}`;
    marks.push({ level: scene.restLevelAt(at), x: scene.restXAt(at), text });
  }
  const levels: string[] = [];
  for (const { level, text } of marks.sort((a, b) => a.level - b.level || a.x - b.x)) {
    levels[level] = levels[level] === undefined ? text : `${levels[level]} ${text}`;
  }
  return levels.join('\n');
}

function scalesOf(now: Arranged): { base: number; candidate: number } {
  return { base: now.basis.base_scale, candidate: now.basis.candidate_scale };
}

function windowOf(whole: number, widthPx: number, from: number, to: number) {
  return {
    from: whole * from,
    scale: widthPx / (whole * (to - from)),
    widthPx,
    firstLevel: 0,
    lastLevel: 1e6,
  };
}

const SMALL = `
a 10 10
  b 5 20 1
  c 5 0
d 30 20
`;

describe('scene of a flame graph', () => {
  test('is as wide as base and candidate together, with children from the left', () => {
    expect(drawing(arranged(drawnDiff(SMALL)), 100)).toBe(
      'all@0+100\na@0+50 d@50+50\nb@0+25 c@25+5',
    );
  });

  test('shows only the selected side', () => {
    expect(drawing(arranged(drawnDiff(SMALL), { mode: 'candidate' }), 50)).toBe(
      'all@0+50\na@0+30 d@30+20\nb@0+20',
    );
  });

  test('combines narrow siblings with their exact values and the number of frames below', () => {
    const text = drawnDiff(`
a 90 0
  x 1 0
    y 1 1
  z 2 0
`);
    expect(drawing(arranged(text), 19)).toBe('all@0+19\na@0+19\n(3: 4 1)@0+1');
  });

  test('combines a thousand narrow siblings into a single rest', () => {
    const siblings = Array.from({ length: 1000 }, (_, at) => `f${at} 1 0`);
    expect(drawing(arranged(drawnDiff(siblings.join('\n'))), 200)).toBe(
      'all@0+200\n(1000: 1000 0)@0+200',
    );
  });

  test('shows nodes that were not sent as a separate rest', () => {
    const { first } = writeParts(randomTree(400, 3), 40);
    const model = new FlameModel();
    model.open(first);
    const now = model.arrange(EMPTY_VIEW)!;
    expect(now.nodesSent).toBe(40);
    expect(now.nodesTotal).toBe(400);
    expect(drawing(now, 1000)).toMatch(/\(\d+: \d+ \d+\)/u);
  });
});

/** Checks that the total of each drawn frame is the sum of self value, drawn children and rests. */
function checkSums(now: Arranged, widthPx: number): number {
  const frames = now.tables[0]!;
  const placement = now.sides[0]!.placements[0]!;
  const scene = new Scene();
  scene.fill(frames, placement, scalesOf(now), windowOf(placement.width[0]!, widthPx, 0, 1));
  const sums = new Map<number, { base: number; candidate: number }>();
  const add = (parent: number, base: number, candidate: number): void => {
    const sum = sums.get(parent) ?? {
      base: frames.baseSelf[parent]!,
      candidate: frames.candidateSelf[parent]!,
    };
    sums.set(parent, { base: sum.base + base, candidate: sum.candidate + candidate });
  };
  for (let at = 0; at < scene.frames; at++) {
    const frame = scene.frameAt(at);
    if (frame > 0)
      add(frames.parent[frame]!, frames.baseTotal[frame]!, frames.candidateTotal[frame]!);
  }
  let narrow = 0;
  for (let at = 0; at < scene.rests; at++) {
    const described = describeCollapsedFrames(frames, placement, scene.restAt(at));
    if (described.sent) narrow += described.frames;
    add(scene.restAt(at).parent, described.base, described.candidate);
  }
  for (const [parent, sum] of sums) {
    expect(sum).toEqual({
      base: frames.baseTotal[parent],
      candidate: frames.candidateTotal[parent],
    });
  }
  expect(narrow).toBe(scene.narrow);
  return scene.frames + scene.narrow;
}

describe('frames and rests of a scene', () => {
  const random = createSeededRandom(11);
  const cases = Array.from({ length: 40 }, (_, seed) => ({
    seed,
    nodes: 2 + Math.floor(random() * 3000),
    widthPx: 1 + Math.floor(random() * 1500),
  }));
  test.each(cases)(
    'add up exactly to their parent frames ($nodes nodes, $widthPx px)',
    ({ seed, nodes, widthPx }) => {
      const now = arranged(writeWhole(randomTree(nodes, seed)));
      expect(checkSums(now, widthPx)).toBe(nodes);
    },
  );

  test.each([1, 2, 3])('add up while the rest of the tree is not loaded (seed %i)', (seed) => {
    const { first } = writeParts(randomTree(2000, seed), 300);
    expect(checkSums(arranged(first), 800)).toBe(300);
  });

  test.each(['base', 'candidate'] as const)('add up on the %s side alone', (mode) => {
    const now = arranged(writeWhole(randomTree(3000, 5)), { mode });
    expect(checkSums(now, 700)).toBeGreaterThan(2000);
  });

  test('stay below 450 drawn items for a frame of 20,000 narrow children', () => {
    const columns = randomTree(20_000, 9, 1);
    const now = arranged(writeWhole(columns));
    const scene = new Scene();
    const placement = now.sides[0]!.placements[0]!;
    scene.fill(now.tables[0]!, placement, scalesOf(now), windowOf(placement.width[0]!, 200, 0, 1));
    expect(scene.frames + scene.rests).toBeLessThan(450);
    expect(scene.frames + scene.narrow).toBe(20_000);
  });
});

test('frameAtPlace returns the frame that is drawn at a place', () => {
  const now = arranged(writeWhole(randomTree(2000, 21)));
  const placement = now.sides[0]!.placements[0]!;
  const frames = now.tables[0]!;
  for (let frame = 0; frame < frames.count; frame++) {
    if (placement.width[frame]! <= 0) continue;
    let level = 0;
    while (frames.levelStart[level + 1]! <= frame) level++;
    expect(
      frameAtPlace(frames, placement, level, placement.left[frame]! + placement.width[frame]! / 2),
    ).toBe(frame);
  }
  expect(frameAtPlace(frames, placement, 0, -1)).toBe(-1);
  expect(frameAtPlace(frames, placement, 999, 0)).toBe(-1);
});
