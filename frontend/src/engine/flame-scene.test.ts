import { expect, test } from 'vitest';
import {
  columnsOf,
  drawnDiff,
  drawnTree,
  thrownTree,
  writeParts,
  writeWhole,
} from '../testing/diffs';
import { FlameModel } from './flame-model';
import { EMPTY_VIEW } from './flame-view';
import { Scene, tellRest } from './flame-scene';

test('smoke', () => {
  const model = new FlameModel();
  model.open(
    drawnDiff(`
a 10 10
  b 5 20 1
  c 5 0
d 3 3
`),
  );
  const arranged = model.arrange(EMPTY_VIEW)!;
  expect([...arranged.sides[0]!.placements[0]!.left]).toEqual([0, 0, 50, 0, 25]);
  const t0 = performance.now();
  const columns = thrownTree(500000, 7);
  console.log('thrown', performance.now() - t0);
  const { first, rest } = writeParts(columns, 8192);
  const t1 = performance.now();
  const m = new FlameModel();
  m.open(first);
  const t2 = performance.now();
  m.merge(rest);
  const t3 = performance.now();
  const big = m.arrange(EMPTY_VIEW)!;
  const t4 = performance.now();
  const scene = new Scene();
  const f = big.tables[0]!,
    p = big.sides[0]!.placements[0]!;
  const scales = { base: 1, candidate: 1 };
  for (let i = 0; i < 5; i++) {
    const t = performance.now();
    scene.fill(f, p, scales, {
      from: 0,
      scale: 1440 / p.width[0]!,
      widthPx: 1440,
      firstLevel: 0,
      lastLevel: 99,
    });
    console.log(
      'scene',
      performance.now() - t,
      scene.frames,
      scene.rests,
      scene.narrow,
      f.levelStart.length,
    );
  }
  console.log({ open: t2 - t1, merge: t3 - t2, arrange: t4 - t3 });
});
