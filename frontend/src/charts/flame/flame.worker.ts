/** The worker: one model, one request at a time, and answers whose arrays are transferred. */
import { FlameModel } from '../../engine/flame/flame-model';
import type { Answer, Request } from './worker-messages';
import { answer, transferred } from './worker-messages';

const model = new FlameModel();

self.addEventListener('message', ({ data: request }: MessageEvent<Request>) => {
  let reply: Answer;
  try {
    reply = { id: request.id, ok: true, value: answer(model, request) };
  } catch (cause) {
    reply = {
      id: request.id,
      ok: false,
      message: cause instanceof Error ? cause.message : String(cause),
    };
  }
  self.postMessage(reply, { transfer: [...transferred(reply)] });
});
