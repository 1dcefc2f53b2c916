import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useSubtree } from './use-subtree';

test('useSubtree reports a failed load for its key and loads on retry', async () => {
  const part = new ArrayBuffer(8);
  const loadSubtree = vi
    .fn<(node: number) => Promise<ArrayBuffer>>()
    .mockRejectedValueOnce(new Error('the server is away'))
    .mockResolvedValueOnce(part);
  const merge = vi.fn<(buffer: ArrayBuffer) => Promise<void>>().mockResolvedValue();
  const source = { key: 'a', first: part, rest: null, restState: 'none' as const, loadSubtree };
  const { result, rerender } = renderHook(
    ({ key }: { key: string }) => useSubtree({ ...source, key }, merge),
    { initialProps: { key: 'a' } },
  );
  act(() => result.current.load(7));
  await waitFor(() =>
    expect(result.current.trouble?.message).toBe('Could not load these frames: the server is away'),
  );
  rerender({ key: 'b' });
  expect(result.current.trouble).toBeNull();
  rerender({ key: 'a' });
  act(() => {
    result.current.trouble?.again();
  });
  await waitFor(() => expect(merge).toHaveBeenCalledWith(part));
  expect(result.current.trouble).toBeNull();
  expect(loadSubtree.mock.calls).toEqual([[7], [7]]);
});
