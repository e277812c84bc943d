/** Bounds what waits for a client that reads slowly: the SDK would store all of a stream that stands. */

/** `body`, which ends with an error when more than `maxBytes` of it are unread. */
export function boundedStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      void passOn(reader, controller);
    },
    cancel: (reason) => reader.cancel(reason),
  }, new ByteLengthQueuingStrategy({ highWaterMark: maxBytes }));
}

async function passOn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  controller: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value);
      if (controller.desiredSize! < 0) break;
    }
    const reason = new Error("The client reads too slowly");
    controller.error(reason);
    await reader.cancel(reason);
  } catch {
    // It was cancelled
  }
}
