/** Prints results as lines of JSON, and measures the work of the main thread in each frame. */

export function printResult(name, what, value, goal) {
  const met = value <= goal;
  console.log(
    JSON.stringify({
      name,
      what,
      value: Math.round(value * 100) / 100,
      peer: null,
      ratio: null,
      goal,
      met,
    }),
  );
  if (!met) process.exitCode = 1;
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)];
}

/**
 * Returns the milliseconds of main-thread tasks from each animation frame to the next, as processor
 * time of the thread if the trace has it, because other programs do not affect that.
 */
export async function tracedFrames(page, run) {
  const client = await page.context().newCDPSession(page);
  const events = [];
  client.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => {
    client.once('Tracing.tracingComplete', resolve);
  });
  await client.send('Tracing.start', {
    categories: 'devtools.timeline,toplevel',
    transferMode: 'ReportEvents',
  });
  await run();
  await client.send('Tracing.end');
  await complete;
  const starts = events.filter((event) => event.name === 'FireAnimationFrame');
  const main = starts[0]?.tid;
  const process = starts[0]?.pid;
  const frames = [
    ...new Set(
      starts.filter(({ tid, pid }) => tid === main && pid === process).map(({ ts }) => ts),
    ),
  ].sort((a, b) => a - b);
  const tasks = events
    .filter(
      ({ name, tid, pid, dur }) =>
        /RunTask$/u.test(name) && tid === main && pid === process && dur !== undefined,
    )
    .sort((a, b) => a.ts - b.ts);
  // All callbacks of a frame run in one task; the frame begins with that task.
  const begun = tasks
    .filter(({ ts, dur }) => frames.some((frame) => frame >= ts && frame < ts + dur))
    .map(({ ts }) => ts);
  const work = new Float64Array(begun.length);
  let at = -1;
  let last = null;
  for (const task of tasks) {
    // The times of nested RunTask events are part of their parents.
    if (last !== null && task.ts < last.ts + last.dur) continue;
    last = task;
    while (at + 1 < begun.length && begun[at + 1] <= task.ts) at += 1;
    if (at >= 0) work[at] += (task.tdur ?? task.dur) / 1000;
  }
  const clock = tasks.every(({ tdur }) => tdur !== undefined) ? 'processor time' : 'time passed';
  return { work: [...work], clock };
}
